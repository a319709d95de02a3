import Foundation
import Holdfast
import HoldfastTransfer

/// Imports a list of files, in `m3u` or `xspf`, as one playlist.
///
/// A listed file that already has a track in the library is that track, found by the file's place in any spelling; only its entry in the
/// list is new. Other files become tracks, with ids derived from their places. If such a track's file has moved since, another list that
/// names the place gets another track. The playlist's id is derived from the list's file name without its folder, so that a moved list is
/// found again, if half of the tracks of each are in the other. Otherwise it is another playlist, with an id derived from the full path.
struct FileListImport: ImportFormat {
  let name: String
  let version = 1
  let kinds = MusicRecord.kinds.filter { $0.name != "artwork" }
  let total: Int
  private let source: ImportSource
  private let list: () throws -> FileList
  private let fields: [RecordField<LibraryTrack>]
  private let read: Reading

  /// The list as it was first read. The scan that writes takes it; the scan that verifies reads the file again.
  private final class Reading {
    var list: FileList?
    init(_ list: FileList) { self.list = list }
  }

  /// Reads the list once: an unreadable list is refused before anything is written.
  ///
  /// - Throws: `.invalidSource`.
  init(m3u source: ImportSource) throws {
    let content = try source.content()
    try self.init("m3u", source, units: 1) { try M3U.list(content, of: source.url, encoding: source.hints.encoding) }
  }

  /// The same for XSPF.
  init(xspf source: ImportSource) throws { try self.init("xspf", source, units: 1000) { try XSPF.list(source) } }

  private init(_ name: String, _ source: ImportSource, units: Double, _ list: @escaping () throws -> FileList) throws {
    (self.name, self.source, self.list, fields) = (name, source, list, Self.fields(units: units))
    let first = try list()
    read = Reading(first)
    total = first.entries.count
  }

  private var fileName: String { source.url.lastPathComponent }
  /// The file name without its extension.
  private var title: String { source.url.deletingPathExtension().lastPathComponent }

  // MARK: Scan

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var list = try read.list ?? self.list()
    read.list = nil
    try Self.unescape(&list, reader)
    var tracks: [UUID?] = []
    var isNew: [Bool] = []
    for entry in list.entries {
      guard let location = entry.location?.stored else {
        tracks.append(nil)
        isNew.append(false)
        continue
      }
      let own = try ownID(of: location, reader)
      let found = try Self.track(at: location, own, reader)
      tracks.append(found ?? own)
      isNew.append(found == nil || found == own)
    }
    var seen: Set<UUID> = []
    for (index, entry) in list.entries.enumerated() {
      guard let id = tracks[index], let location = entry.location else {
        try visit(
          .damaged(
            kind: "tracks", path: .text(entry.path), reason: entry.problem ?? "it names no file",
            original: .bytes(Array(entry.original.utf8))),
          index)
        continue
      }
      // The list may contain the file several times; the first entry's facts count.
      guard seen.insert(id).inserted else { continue }
      guard isNew[index] else {
        try visit(.skipped(kind: "tracks", path: .text(entry.path), reason: "in the library already"), index)
        continue
      }
      for damaged in entry.damaged { try visit(damaged, index) }
      try visit(.record(record(entry, location, id)), index)
    }
    try playlist(list, tracks, reader, visit)
  }

  private func playlist(
    _ list: FileList, _ tracks: [UUID?], _ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void
  ) throws {
    let id = try playlistID(tracks, reader)
    let deleted = try reader.deletedSinceImport(kind: "tracks", table: "tracks")
    for note in list.notes { try visit(.note(note.text, path: .text(note.path)), total) }
    let playlist = MusicPlaylist(id: id, name: list.title ?? title)
    for (name, path) in list.leftOut {
      try visit(.skipped(kind: "playlist_notes", path: .text(path), reason: FileList.leftOut(name, of: playlist.name)), total)
    }
    let said = Self.lists.fields.said(SourceList(PlaylistRow(playlist, at: 0)))
    try visit(.record(Self.lists.record(said, path: .text(fileName), original: .made { [name = playlist.name] in name })), total)
    let entries = MusicRecord.entries
    var numbers: [UUID: Int] = [:]
    for (index, entry) in list.entries.enumerated() {
      let path = SourcePath.text(entry.path)
      let original = SourceBytes.bytes(Array(entry.original.utf8))
      guard let track = tracks[index] else {
        try visit(.damaged(kind: "collection_tracks", path: path, reason: "its track is quarantined", original: original), total)
        continue
      }
      guard !deleted.contains(IDCodec.lowercase(track)) else {
        try visit(.skipped(kind: "collection_tracks", path: path, reason: "its track was deleted since it was imported"), total)
        continue
      }
      let number = numbers[track, default: 0]
      numbers[track] = number + 1
      let row = MusicRecord.entry(of: track, number: number, in: id, at: index)
      try visit(.record(entries.record(entries.fields.said(row), ids: [.id(id), .id(track)], path: path, original: original)), total)
    }
  }

  // MARK: Finding the track and the playlist

  /// Chooses the name as it stands if the library, the list itself or the disk has a file of that name; otherwise the decoded name.
  private static func unescape(_ list: inout FileList, _ reader: Reader) throws {
    let plain = Set(list.entries.compactMap { $0.unescaped == nil ? $0.location?.stored.key : nil })
    for (index, entry) in list.entries.enumerated() {
      guard let unescaped = entry.unescaped else { continue }
      if let location = entry.location?.stored, let path = location.path, let key = location.key {
        let id = NewID.derived(from: place(of: location))
        guard !plain.contains(key), !FileManager.default.fileExists(atPath: path), try track(at: location, id, reader) == nil,
          try !reader.wasImported(kind: "tracks", key: IDCodec.lowercase(id))
        else { continue }
      }
      list.entries[index].location = unescaped
    }
  }

  private static func place(of location: FileLocation) -> String { location.key.map { "file/\($0)" } ?? "url/\(location.text)" }

  /// The id of a file's track from this list, derived from the file's place. That track's file may have moved since. The list
  /// that imported the track still means it; for any other list the place has a new track.
  private func ownID(of location: FileLocation, _ reader: Reader) throws -> UUID {
    let place = Self.place(of: location)
    var id = NewID.derived(from: place)
    var meant: UUID?
    var number = 1
    while let there = try MusicStore.track(id, in: reader)?.file.location {
      // This check comes first: on the second reading, `hasEntry` is also true for entries on other lines.
      if Self.place(of: there) == place { return id }
      if try meant == nil && hasEntry(of: id, reader) { meant = id }
      number += 1
      id = NewID.derived(from: "\(place)/\(number)")
    }
    return meant ?? id
  }

  /// Whether this list has imported an entry of the track.
  private func hasEntry(of track: UUID, _ reader: Reader) throws -> Bool {
    try [idByName, idByPath].contains { list in
      let key = IDCodec.lowercase(MusicRecord.entryID(of: track, number: 0, in: list))
      return try reader.wasImported(kind: "collection_tracks", key: key)
    }
  }

  /// The library's track for the file; of several, the track that an import of a list made.
  private static func track(at location: FileLocation, _ own: UUID, _ reader: Reader) throws -> UUID? {
    guard let key = location.key else { return try MusicStore.track(own, in: reader)?.id }
    return try reader.value("SELECT id FROM tracks WHERE file_key = \(key) ORDER BY id = \(own) DESC, id LIMIT 1") { row in
      try row.id()
    }
  }

  private var idByName: UUID { NewID.derived(from: "list/\(fileName)") }
  private var idByPath: UUID { NewID.derived(from: "list/\(source.url.standardizedFileURL.path)") }

  /// Two lists with one name are the same list only if they are mostly equal, because joined lists cannot be separated again.
  private func playlistID(_ tracks: [UUID?], _ reader: Reader) throws -> UUID {
    if try reader.wasImported(kind: "collections", key: IDCodec.lowercase(idByPath)) { return idByPath }
    let wanted = Set(tracks.compactMap { $0 })
    guard !wanted.isEmpty, let stored = try MusicStore.playlist(idByName, in: reader), !stored.trackIDs.isEmpty else { return idByName }
    let has = Set(stored.trackIDs)
    let both = wanted.intersection(has).count
    let isKnown = try both > 0 && reader.count("SELECT count(*) FROM holdfast_imports WHERE source_path = \(source.url.path)") > 0
    return isKnown || 2 * both >= max(wanted.count, has.count) ? idByName : idByPath
  }

  // MARK: The source's own shape

  private static let lists = RecordKind.playlists([.required("title", \.row.name, .text)], hasPlace: false)

  /// The ledgers of earlier imports have these values in this order, after the location, so both must stay.
  private static func fields(units: Double) -> [RecordField<LibraryTrack>] {
    [
      .kept("title", \.title, .text), .kept("creator", \.artist, .text), .kept("album", \.album, .text),
      .optional("album artist", \.albumArtist, .text, .keeps), .optional("genre", \.genre, .text, .keeps),
      .optional("trackNum", \.trackNumber, .int, .keeps), .optional("image", \.artworkURL, .text, .keeps),
      .optional("duration", \.duration, .duration(in: units), .keeps), .kept("metadata", \.metadata, .textMap),
    ]
  }

  private func record(_ entry: FileList.Entry, _ location: FileList.Location, _ id: UUID) -> SourceRecord<SaidContent> {
    var blank = MusicRecord.blank
    (blank.id, blank.title) = (id, Self.title(of: location))
    let tracks = RecordKind.tracks(FieldTable([.init("location", \.file.location, .location(location), .keeps)] + fields))
    var members = SourceMembers(entry.members)
    members.set("location", .string(location.meant))
    if !entry.metadata.isEmpty { members.set("metadata", .object(entry.metadata.mapValues(JSONValue.string))) }
    let said = members.read(tracks.fields, into: blank)
    return tracks.record(said, path: .text(entry.path), original: .bytes(Array(entry.original.utf8)))
  }

  /// The file's name, for a list without titles.
  private static func title(of location: FileList.Location) -> String {
    let path = location.stored.path ?? location.stored.text
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }
}

extension ValueForm<FileLocation?> {
  /// The path or the URL that the source means.
  fileprivate static func location(_ location: FileList.Location) -> ValueForm {
    ValueForm("a location", write: location.written) { _ in Written(value: location.stored, text: .string(location.meant)) }
  }
}

extension ValueForm<Double> {
  /// - Parameter units: how many units one second has.
  fileprivate static func duration(in units: Double) -> ValueForm {
    ValueForm("a number") {
      .double(units == 1 ? $0 : ($0 * units).rounded())
    } read: { json in
      json.finiteNumber.map { Written(value: $0 / units, text: .double($0)) }
    }
  }
}
