import Foundation
import Holdfast
public import HoldfastTransfer

extension MusicStore: ImportingLibrary {
  /// The importer for a file of any readable format. The content decides, or `source.format` when it fits several.
  ///
  /// `source.hints` give facts that the source lacks: the time zone of times in old iTunes exports, and the encoding of an M3U without a
  /// byte order mark.
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource` with the offset, `.newerSource`.
  public static func importer(for source: ImportSource) throws -> any ImportFormat {
    try source.check(among: description.readable)
    if source.format == "music-sqlite" || source.format == nil && SQLiteSource.isDatabase(source.url) {
      return try MusicSQLite(SQLiteSource(source), named: source.url.path)
    }
    if let found = try interchange(source) { return found }
    // The kit compares the hash of these bytes with the copy, whatever their content.
    let document = try source.document()
    if source.format == "holdfast" || source.format == nil && PortableImport.recognises(document) {
      return MusicPortable(base: try PortableImport(document, schemas: [schema]))
    }
    return try MusicJSON(document)
  }
}
