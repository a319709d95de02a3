public import Foundation
import Holdfast
public import HoldfastTransfer

extension MusicStore {
  /// Writes one playlist, or all tracks, as M3U in UTF-8.
  ///
  /// Times are cut to whole seconds. A track without a file is left out and listed in the report. An existing file is replaced
  /// only at the end of a successful export.
  /// - Parameters:
  ///   - id: the playlist; nil writes all tracks of the library.
  ///   - folder: the folder where the list will lie; paths of files in it are written relative to it. Nil writes every path in full.
  /// - Throws: `.notFound` when there is no such playlist; `.misuse` for the store's own file; `.decoding` when a stored value
  ///   is damaged; `.diskFull`, `.cannotCreate`, `.permissionDenied`, `.inputOutput`.
  public func exportM3U(playlist id: UUID? = nil, to url: URL, relativeTo folder: URL? = nil) throws -> ExportReport {
    let folder = folder.map { $0.standardizedFileURL.path }
    return try export("m3u8", id, to: url) { M3UWriter(folder: folder).text($0, $1) }
  }

  /// Writes one playlist, or all tracks, as XSPF. As ``exportM3U(playlist:to:relativeTo:)``, but times are cut to milliseconds,
  /// and paths are in full.
  public func exportXSPF(playlist id: UUID? = nil, to url: URL) throws -> ExportReport {
    try export("xspf", id, to: url) { XSPFWriter.text($0, $1) }
  }

  private func export(_ format: String, _ id: UUID?, to url: URL, _ text: (String?, [LibraryTrack]) -> String) throws -> ExportReport {
    let (name, tracks) = try store.read { try Self.list(id, in: $0) }
    // A track from library.json may have an empty text as its file; the library keeps it.
    func hasFile(_ track: LibraryTrack) -> Bool { track.file.location?.text.isEmpty == false }
    let written = tracks.filter(hasFile)
    let left = tracks.filter { !hasFile($0) }.map {
      ExportReport.LeftOut(kind: "tracks", id: IDCodec.lowercase($0.id), reason: "it has no file")
    }
    let file = try FileExport.write(Data(text(name, written).utf8), to: url, from: store)
    return ExportReport(
      format: format, path: url.path, bytes: file.bytes, sha256: file.sha256,
      counts: ["collections": id == nil ? 0 : 1, "tracks": written.count], leftOut: left)
  }

  private static func list(_ id: UUID?, in reader: Reader) throws -> (name: String?, tracks: [LibraryTrack]) {
    guard let id else { return (nil, try tracks(in: reader)) }
    guard let playlist = try playlist(id, in: reader) else {
      throw StoreError(.notFound, "there is no playlist \(IDCodec.lowercase(id))")
    }
    var found: [UUID: LibraryTrack] = [:]
    let tracks = try playlist.trackIDs.compactMap { id -> LibraryTrack? in
      if found[id] == nil { found[id] = try track(id, in: reader) }
      return found[id]
    }
    return (playlist.name, tracks)
  }
}

/// Writes a list as M3U. A line break in a text would begin a new line, so it is written as a space.
struct M3UWriter {
  let folder: String?

  func text(_ name: String?, _ tracks: [LibraryTrack]) -> String {
    var lines = ["#EXTM3U"]
    if let name { lines.append("#PLAYLIST:\(Self.line(name))") }
    // A value holds until the next line of its kind.
    var said = ["#EXTALB:": "", "#EXTART:": "", "#EXTGENRE:": ""]
    for track in tracks {
      guard let location = track.file.location else { continue }
      let own = [
        ("#EXTALB:", track.album == LibraryTrack.unknownAlbum ? "" : track.album), ("#EXTART:", track.albumArtist ?? ""),
        ("#EXTGENRE:", track.genre ?? ""),
      ]
      for (name, value) in own where said[name] != Self.line(value) {
        said[name] = Self.line(value)
        lines.append(name + Self.line(value))
      }
      let seconds = track.duration.flatMap { Int(exactly: $0.rounded(.down)) } ?? -1
      lines.append("#EXTINF:\(seconds),\(Self.line(Self.info(track)))")
      lines.append(place(location))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// A title that looks like `artist - title` would be read wrongly without an artist before it.
  private static func info(_ track: LibraryTrack) -> String {
    let hasArtist = track.artist != LibraryTrack.unknownArtist || track.title.contains(" - ")
    return hasArtist ? "\(track.artist) - \(track.title)" : track.title
  }

  private static func line(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).joined(separator: " ")
  }

  /// Whether a path has a slash inside a name, or a backslash that would separate folders.
  private static func escapesSlash(_ location: FileLocation, _ path: String) -> Bool {
    let isWindows = !path.hasPrefix("/") || path.hasPrefix("//")
    return location.text.lowercased().contains("%2f") || isWindows && path.contains("\\")
  }

  /// A readable path, or the URL if the path would not be read back the same.
  private func place(_ location: FileLocation) -> String {
    guard let path = location.path, !path.isEmpty, !Self.escapesSlash(location, path),
      !path.unicodeScalars.contains(where: { $0.value < 0x20 || $0.properties.isWhitespace && $0 != " " })
    else { return Self.line(location.text) }
    if path.hasPrefix("//") { return path.replacingOccurrences(of: "/", with: "\\") }
    guard path.hasPrefix("/") else { return path }
    guard let folder, path.hasPrefix(folder == "/" ? folder : folder + "/") else { return path }
    let relative = path.dropFirst(folder == "/" ? 1 : folder.count + 1)
    // These characters begin a comment, a drive or a scheme, or look like a Windows path.
    return relative.contains { "#:\\".contains($0) } || relative.first == " " ? "./\(relative)" : String(relative)
  }
}

/// Writes a list as XSPF.
enum XSPFWriter {
  static func text(_ name: String?, _ tracks: [LibraryTrack]) -> String {
    var out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\">\n"
    if let name { out += "  \(element("title", name))\n" }
    out += "  <trackList>\n"
    for track in tracks {
      guard let location = track.file.location else { continue }
      var parts = [element("location", place(location)), element("title", track.title)]
      if track.artist != LibraryTrack.unknownArtist { parts.append(element("creator", track.artist)) }
      if track.album != LibraryTrack.unknownAlbum { parts.append(element("album", track.album)) }
      if let number = track.trackNumber, number >= 0 { parts.append(element("trackNum", String(number))) }
      if let duration = track.duration, let milliseconds = Int64(exactly: (duration * 1000).rounded()) {
        parts.append(element("duration", String(milliseconds)))
      }
      out += "    <track>\(parts.joined())</track>\n"
    }
    return out + "  </trackList>\n</playlist>\n"
  }

  private static func element(_ name: String, _ text: String) -> String { "<\(name)>\(XMLText.escaped(text))</\(name)>" }

  /// A URL. A URL without escapes is written again from its path, because XSPF requires escapes.
  private static func place(_ location: FileLocation) -> String {
    let isPlain = location.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"<>\\^`{|}".utf8.contains($0) }
    guard !isPlain, let path = location.path else { return location.text }
    return (FileLocation(windowsPath: path) ?? FileLocation(path: path)).text
  }
}
