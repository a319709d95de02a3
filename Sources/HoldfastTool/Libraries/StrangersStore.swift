import Foundation
import Holdfast
import HoldfastTransfer

/// Imports into a store whose library this program does not know.
enum StrangersStore {
  enum Way: String {
    /// A documented export of the same library, by the tables of the store.
    case export = "holdfast"
    /// A database of another app, by the names of its tables.
    case byNames = "tables-by-name"

    var words: String { self == .byNames ? "an import by the names of tables" : "an import of \(rawValue)" }
  }

  /// The way of a source that is imported without `--library`. Nil: its library must be known.
  static func way(of source: FilePath, into kinds: [String: Int], format: String?) throws -> Way? {
    guard !kinds.isEmpty, Libraries.schemas(kinds).isEmpty else { return nil }
    if format == nil, SQLiteSource.isDatabase(source.url) { return .byNames }
    guard format == nil || format == Way.export.rawValue else { return nil }
    return try PortableImport.recognises(ImportSource(source.url)) ? .export : nil
  }

  /// - Throws: what the format and an import throw; the store is then as before.
  static func importing(
    _ wanted: LibraryImport, _ way: Way, into store: FilePath, _ choice: LibraryOption, _ lock: LockOptions
  ) throws -> ImportReport {
    if way == .byNames { return try TablesByName(from: wanted.source, into: store, choice, lock).run(wanted) }
    let source = try ImportSource(wanted.source)
    let document = try source.document()
    let format = try withLibrary(store, choice, lock) { _, open in try open.read { try PortableTablesImport(document, into: $0) } }
    return try fill(store, with: format, from: source, wanted)
  }

  /// - Parameter wanted: its options, and how the store is opened.
  static func fill<Format: ImportFormat>(
    _ store: FilePath, with format: Format, from source: ImportSource, _ wanted: LibraryImport
  ) throws -> ImportReport {
    var options = wanted.storeOptions
    (options.createsIfMissing, options.migrating) = (false, .never)
    return try Store.importing(format, from: source, into: store.url, schemas: [], options: wanted.options, storeOptions: options)
  }
}
