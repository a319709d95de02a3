public import Foundation
import Holdfast
public import HoldfastTransfer

extension AudiobookLibrary: ImportingLibrary {
  /// The file itself. If it is missing, and a crash of the player left a `.tmp` beside it: that file.
  public static func file(of source: URL) -> URL {
    let files = FileManager.default
    let left = URL(fileURLWithPath: source.path + ".tmp")
    return !files.fileExists(atPath: source.path) && files.fileExists(atPath: left.path) ? left : source
  }

  /// See `ImportingLibrary`.
  public static func importer(for source: ImportSource) throws -> any ImportFormat {
    try source.check(among: description.readable)
    if source.format?.hasSuffix("-sqlite") ?? SQLiteSource.isDatabase(source.url) {
      let database = try SQLiteSource(source)
      let isShelf = source.format.map { $0 == "audiobookshelf-sqlite" } ?? AudiobookshelfSQLite.recognises(database)
      return isShelf
        ? try AudiobookshelfSQLite(database, named: source.url.path) : try LibrarySQLite(database, named: source.url.path)
    }
    let document = try source.document()
    if source.format == "audiobookshelf-json" || source.format == nil && AudiobookshelfJSON.recognises(document) {
      return try AudiobookshelfJSON(document)
    }
    if source.format == "holdfast" || source.format == nil && PortableImport.recognises(document) {
      return try PortableImport(document, schemas: [schema])
    }
    return try LibraryJSON(document)
  }
}
