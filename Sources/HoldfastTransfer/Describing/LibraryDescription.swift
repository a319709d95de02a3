public import Foundation
public import Holdfast

/// What a library says of itself: its formats, its lists, what can be shown and searched, its numbers.
///
/// A program that serves several libraries, as the command line does, loops over descriptions and knows nothing else of them.
public struct LibraryDescription: Sendable {
  /// Its name is the library's.
  public var schema: StoreSchema
  /// What can be imported.
  public var readable: [FormatDescription] = []
  /// What can be exported.
  public var writable: [FormatDescription] = []
  /// The tables that say how much there is, with the words for one row and for more.
  public var counted: [(table: String, one: String, many: String)] = []
  /// The usual list first.
  public var lists: [ListDescription] = []
  /// What can be shown.
  public var kinds: [ShownKind] = []
  /// What `search` looks at, for people.
  public var searched = ""
  /// Finds things whose words begin as those of a text; what it says is `hits`, each with its `kind`, and tables.
  public var search: (@Sendable (String, _ ranked: Bool, _ limit: Int, Reader) throws -> (hits: [JSONValue], tables: [ShownBlock]))?
  /// The few numbers that say what a store holds.
  public var info: @Sendable (Reader) throws -> Shown = { _ in Shown([:]) }
  /// All numbers, with charts.
  public var stats: (@Sendable (Reader) throws -> Shown)?
  /// What to go on with; nil: nothing was begun, or the library has no such place.
  public var resume: @Sendable (Reader) throws -> Shown? = { _ in nil }
  /// The files in a folder that describe what the folder holds, by their paths from there; `names` is what stands in it, and `format` what
  /// was asked for, or nil.
  public var filesOfFolder: @Sendable (URL, _ names: [String], _ format: String?) throws -> [String] = { _, _, _ in [] }
  /// What a person should know of imports into the library alone.
  public var aboutImports = ""
  /// Imports a source.
  public var importing: (@Sendable (LibraryImport) throws -> ImportReport)?
  /// Writes a file of one of `writable`.
  public var exporting: @Sendable (Store, URL, _ format: String, ExportOptions) throws -> ExportReport = { store, url, _, _ in
    try store.export(to: url)
  }

  /// Describes nothing but the schema yet.
  public init(_ schema: StoreSchema) { self.schema = schema }

  /// The library's.
  public var name: String { schema.name }

  /// How sure a look at a source is that it is for this library; nil: nothing speaks for it.
  public func likeness(of source: SourceLook) throws -> FormatDescription.Likeness? {
    if let exported = source.exportedSchemas { return exported.contains(name) ? .certain : nil }
    if source.isEmpty { return nil }
    var likeness: FormatDescription.Likeness?
    for format in readable {
      guard let found = try format.likeness(source) else { continue }
      if found == .certain { return found }
      likeness = found
    }
    return likeness
  }
}

/// One import, as a person asks for it.
public struct LibraryImport: Sendable {
  /// The file to read.
  public var source: URL
  /// The store to fill.
  public var store: URL
  /// Nil: by its content.
  public var format: String?
  /// What the source leaves open.
  public var hints = SourceHints()
  /// How it runs.
  public var options = ImportOptions()
  /// How the store is opened.
  public var storeOptions = StoreOptions.production
  /// For what no option may say, such as keys.
  public var environment: [String: String] = [:]

  /// An import with nothing said beside the files.
  public init(from source: URL, into store: URL) { (self.source, self.store) = (source, store) }
}

/// What a person wants of an export beside its format.
public struct ExportOptions: Sendable {
  /// The only playlist to write; nil: everything.
  public var playlist: UUID?
  /// `kg` or `lb`; nil: the format's own.
  public var weightUnit: String?
  /// Where the clock stands whose times are written; nil: where this computer is.
  public var timeZone: TimeZone?

  /// Everything, as the format has it.
  public init() {}
}
