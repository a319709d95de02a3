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

  /// The reader for a file of another player, by the format's name or the content; nil for any other file.
  private static func interchange(_ source: ImportSource) throws -> (any ImportFormat)? {
    switch source.format {
    case "itunes-xml": return try iTunes(source)
    case "m3u": return try FileListImport(m3u: source)
    case "xspf": return try FileListImport(xspf: source)
    case nil: break
    default: return nil
    }
    if try beginsAsXML(source) {
      return source.xmlRoot() == "playlist" ? try FileListImport(xspf: source) : try iTunes(source)
    }
    return M3U.recognises(source) ? try FileListImport(m3u: source) : nil
  }

  private static func iTunes(_ source: ImportSource) throws -> ITunesXML {
    try ITunesXML(source, timeZone: source.hints.timeZone ?? .current)
  }

  /// True also for a binary property list: its reader throws an error with the remedy.
  private static func beginsAsXML(_ source: ImportSource) throws -> Bool {
    let start = try source.peek(64)
    // Skips a byte order mark, and the zeros of wider encodings.
    let text = String(decoding: start.filter { $0 > 0x20 && $0 < 0x7F }, as: UTF8.self)
    return text.hasPrefix("<") || text.hasPrefix("bplist")
  }
}
