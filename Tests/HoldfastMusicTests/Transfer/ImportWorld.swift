import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

typealias ImportWorld = HoldfastTesting.ImportWorld<MusicStore>

extension ImportWorld {
  /// - Parameter name: of the source, which is not there yet.
  convenience init(_ name: String = "library.json") throws {
    try self.init(name) { wanted in
      try MusicStore.importLibrary(
        from: wanted.source, into: wanted.store, format: wanted.format, hints: wanted.hints, options: wanted.options,
        storeOptions: wanted.storeOptions)
    }
  }

  /// Changes a track as the listener does.
  func edit(track id: UUID, _ change: (inout LibraryTrack) -> Void) throws {
    try withLibrary { library in
      var track = try #require(try library.store.read { try MusicStore.track(id, in: $0) })
      change(&track)
      try library.store.write { try MusicStore.saveTracks([track], in: $0) }
    }
  }

  /// Changes a playlist as the listener does.
  func edit(list id: UUID, _ change: (inout MusicPlaylist) -> Void) throws {
    try withLibrary { library in
      var list = try #require(try library.store.read { try MusicStore.playlist(id, in: $0) })
      change(&list)
      _ = try library.store.write { try MusicStore.savePlaylists([list], in: $0) }
    }
  }

  func track(_ id: UUID) throws -> LibraryTrack? { try withLibrary { try $0.store.read { try MusicStore.track(id, in: $0) } } }
  func tracks() throws -> [LibraryTrack] { try withLibrary { try $0.store.read { try MusicStore.tracks(in: $0) } } }

  /// What is in the library: one line a track, and one a playlist with the titles of its tracks.
  func shelf() throws -> String {
    try withLibrary { library in
      let tracks = try library.store.read { try MusicStore.tracks(in: $0) }
      let titles = Dictionary(tracks.map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first })
      let lists = try library.store.read { try MusicStore.playlists(in: $0) }.map { list in
        "\(list.name): \(list.trackIDs.map { titles[$0] ?? "?" }.joined(separator: ", "))"
      }
      return (tracks.map(Self.line) + lists).joined(separator: "\n")
    }
  }

  private static func line(_ track: LibraryTrack) -> String {
    var line = "\(track.title) by \(track.artist) on \(track.album)"
    if let artist = track.albumArtist { line += " of \(artist)" }
    if let genre = track.genre { line += ", \(genre)" }
    if let year = track.year { line += ", year \(year)" }
    if let number = track.trackNumber { line += ", no. \(number)" }
    if let disc = track.discNumber { line += ", disc \(disc)" }
    if let duration = track.duration { line += ", \(duration) s" }
    if track.playCount > 0 { line += ", played \(track.playCount)" }
    if let rating = track.rating { line += ", rated \(rating)" }
    if let hash = track.artworkHash { line += ", picture \(hash.prefix(6))" }
    return "\(line) at \(track.file.location?.text ?? "no place")"
  }
}

/// The picture of a report whose records all came in: how many, by kind.
func allImported(_ counts: KeyValuePairs<String, Int>) -> String {
  counts.map { kind, count in "\(kind) \(count): \(count) imported" }.joined(separator: "\n")
}

/// The picture of a report whose records are all in the store already.
func allSkipped(_ counts: KeyValuePairs<String, Int>) -> String {
  let lines = counts.map { kind, count in "\(kind) \(count): \(count) skipped" }
  return (lines + ["skipped \(counts.map(\.value).reduce(0, +)): in the store already"]).joined(separator: "\n")
}
