import Foundation
import Holdfast
import HoldfastTransfer

extension MusicStore {
  /// The reader for a file of another player, by the format's name or the content; nil for any other file.
  static func interchange(_ source: ImportSource) throws -> (any ImportFormat)? {
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
