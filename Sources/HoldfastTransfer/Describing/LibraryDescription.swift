public import Foundation
public import Holdfast

/// Describes a library: its formats, its lists, the kinds of things that it can show and search, and its numbers.
///
/// A program for several libraries, such as the command line, loops over descriptions and knows nothing else about the libraries.
///
/// Most of it follows from the schema. A library writes only what differs:
///
/// ```swift
/// extension Garden {
///   public static let description = LibraryDescription(Garden.self)
/// }
/// ```
public struct LibraryDescription: Sendable {
  /// The library's schema. Its name is the library's name.
  public var schema: StoreSchema
  /// The formats that can be imported. Default: the documented export.
  public var readable: [FormatDescription] = []
  /// The formats that can be exported. Default: the documented export.
  public var writable: [FormatDescription] = []
  /// The tables whose rows are counted for people, with the words for one row and for several rows. Default: the tables of the records, with
  /// the words of their type: `1 bed`, `2 beds`.
  public var counted: [(table: String, one: String, many: String)] = []
  /// The lists; the usual list first. Default: one for each record's table, with its columns.
  public var lists: [ListDescription] = []
  /// The kinds of things that can be shown. Default: one for each record's table with a key of one column, with the rows that are deleted
  /// with it.
  public var kinds: [ShownKind] = []
  /// What `search` looks at, for people. Default: the columns of the declared full-text indexes.
  public var searched = ""
  /// Finds things with words that begin like those of a text: `hits`, each with its `kind`, and tables for people. Nil: no search.
  ///
  /// Default: the rows that the declared full-text indexes find, as the columns of their records.
  public var search: (@Sendable (String, _ ranked: Bool, _ limit: Int, Reader) throws -> (hits: [JSONValue], tables: [ShownBlock]))?
  /// The few most important numbers of a store. Default: how many rows each counted table has.
  public var info: @Sendable (Reader) throws -> Shown = { _ in Shown([:]) }
  /// All numbers, with charts. Nil: the library has none. Default: the rows, the bytes and the newest time of each record's table.
  public var stats: (@Sendable (Reader) throws -> Shown)?
  /// What to continue with; nil when nothing was begun, or when the library has no such thing.
  public var resume: @Sendable (Reader) throws -> Shown? = { _ in nil }
  /// The files in a folder that describe the folder's content, by their paths in it. `names` are the folder's entries; `format` is the
  /// requested format, or nil.
  public var filesOfFolder: @Sendable (URL, _ names: [String], _ format: String?) throws -> [String] = { _, _, _ in [] }
  /// What a person should know about imports into this library only.
  public var aboutImports = ""
  /// Imports a source. Nil: the library has no import. Default: imports the documented export.
  public var importing: (@Sendable (LibraryImport) throws -> ImportReport)?
  /// Writes a file in one of the formats `writable`, with the values of the options that the format declares, by name. By default: the
  /// documented export.
  public var exporting: @Sendable (Store, URL, _ format: String, _ values: [String: String]) throws -> ExportReport = { store, url, _, _ in
    try store.export(to: url)
  }

  /// How the library syncs with a server. Nil: it does not.
  public var sync: SyncDescription?

  /// Describes what follows from a schema; see each property. Tables in `neverExported` are left out.
  ///
  /// A schema without migrations gives nothing but its name.
  public init(_ schema: StoreSchema) {
    self.schema = schema
    guard !schema.migrations.isEmpty else { return }
    (readable, writable) = ([.portable], [.portable])
    importing = { wanted in
      let source = try ImportSource(wanted.source, format: wanted.format, hints: wanted.hints)
      return try Store.importing(
        PortableImport(source.document(), schemas: [schema]), from: source, into: wanted.store, schemas: [schema], options: wanted.options,
        storeOptions: wanted.storeOptions)
    }
    derive()
  }

  /// The same for a library with an importer. `readable` should name its formats; until then, `--format` knows only the documented export.
  public init<Imported: ImportingLibrary>(_ library: Imported.Type) {
    self.init(library.schema)
    importing = { try Imported.importLibrary($0) }
  }

  private mutating func derive() {
    let hidden = Set(schema.neverExported.map { $0.lowercased() })
    let records = schema.records.reduce(into: [any StoredRecord.Type]()) { records, record in
      if !hidden.contains(record.table.lowercased()), !records.contains(where: { $0.table == record.table }) { records.append(record) }
    }
    let tables = records.map { ShownTable($0) }
    lists = tables.map(\.list)
    kinds = tables.compactMap(\.kind)
    counted = records.map { ($0.table, Self.words(String(describing: $0)), $0.table.replacing("_", with: " ")) }
    info = { [counted] reader in
      let counts = try counted.map { ($0.table, $0.many, try reader.count("SELECT count(*) FROM \(sql: .names([$0.table]))")) }
      return Shown(
        Dictionary(counts.map { ($0.0, .integer(Int64($0.2))) }) { first, _ in first }, [.facts(counts.map { ($0.1, String($0.2)) })])
    }
    stats = { try ShownTable.stats(of: tables, in: $0) }
    let indexes = schema.declarations.compactMap(\.textIndex).compactMap { index in
      tables.first { $0.name == index.table }.map { (table: $0, index: index) }
    }
    guard !indexes.isEmpty else { return }
    searched = indexes.map { "\($0.table.name) by \($0.index.columns.joined(separator: ", "))" }.joined(separator: "; ")
    search = { text, ranked, limit, reader in
      let found = try indexes.map { try $0.table.found(text, in: $0.index.name, ranked: ranked, limit: limit, reader) }
      return (found.flatMap(\.hits), found.map(\.table))
    }
  }

  /// `plant in bed` for `PlantInBed`.
  private static func words(_ type: String) -> String {
    type.reduce(into: "") { words, letter in words += (letter.isUppercase && !words.isEmpty ? " " : "") + letter.lowercased() }
  }

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
