public import Foundation
public import Holdfast

/// Describes a library: its formats, its lists, the kinds of things that it can show and search, and its numbers.
///
/// A program for several libraries, such as the command line, loops over descriptions and knows nothing else about the libraries.
public struct LibraryDescription: Sendable {
  /// The library's schema. Its name is the library's name.
  public var schema: StoreSchema
  /// The formats that can be imported.
  public var readable: [FormatDescription] = []
  /// The formats that can be exported.
  public var writable: [FormatDescription] = []
  /// The tables whose rows are counted for people, with the words for one row and for several rows.
  public var counted: [(table: String, one: String, many: String)] = []
  /// The lists; the usual list first.
  public var lists: [ListDescription] = []
  /// The kinds of things that can be shown.
  public var kinds: [ShownKind] = []
  /// The fields that `search` reads, for people.
  public var searched = ""
  /// Finds things whose words begin with the words of a text: `hits`, each with its `kind`, and tables for people. Nil: no search.
  public var search: (@Sendable (String, _ ranked: Bool, _ limit: Int, Reader) throws -> (hits: [JSONValue], tables: [ShownBlock]))?
  /// The few most important numbers of a store.
  public var info: @Sendable (Reader) throws -> Shown = { _ in Shown([:]) }
  /// All numbers, with charts. Nil: the library has none.
  public var stats: (@Sendable (Reader) throws -> Shown)?
  /// What to continue with; nil when nothing was begun, or when the library has no such thing.
  public var resume: @Sendable (Reader) throws -> Shown? = { _ in nil }
  /// The files in a folder that describe the folder's content, by their paths in it. `names` are the folder's entries; `format` is the
  /// requested format, or nil.
  public var filesOfFolder: @Sendable (URL, _ names: [String], _ format: String?) throws -> [String] = { _, _, _ in [] }
  /// What a person should know about imports into this library only.
  public var aboutImports = ""
  /// Imports a source. Nil: the library has no import.
  public var importing: (@Sendable (LibraryImport) throws -> ImportReport)?
  /// Writes a file in one of the formats `writable`, with the values of the options that the format declares, by name. By default: the
  /// documented export.
  public var exporting: @Sendable (Store, URL, _ format: String, _ values: [String: String]) throws -> ExportReport = { store, url, _, _ in
    try store.export(to: url)
  }

  /// How the library syncs with a server. Nil: it does not.
  public var sync: SyncDescription?

  /// Makes a description that so far has only the schema.
  public init(_ schema: StoreSchema) { self.schema = schema }

  /// The library's name.
  public var name: String { schema.name }

  /// How likely a source is for this library, from a look at the source; nil: nothing indicates it.
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

/// One import, as a person requests it.
public struct LibraryImport: Sendable {
  /// The file to read.
  public var source: URL
  /// The store to fill.
  public var store: URL
  /// The name of the format; nil: the content decides.
  public var format: String?
  /// Facts that the source lacks, such as its time zone.
  public var hints = SourceHints()
  /// The values of all options that a person gave, by name, also those in `hints`. Default none.
  public var values: [String: String] = [:]
  /// How the import runs.
  public var options = ImportOptions()
  /// How the store is opened.
  public var storeOptions = StoreOptions.production
  /// Values that must not be options on a command line, such as keys.
  public var environment: [String: String] = [:]

  /// An import without any options.
  public init(from source: URL, into store: URL) { (self.source, self.store) = (source, store) }
}
