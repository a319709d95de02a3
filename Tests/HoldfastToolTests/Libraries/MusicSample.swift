import Foundation
import Holdfast
import HoldfastMusic
import Testing

/// A small music library with fixed ids and times: two albums, a compilation, a track of which little is known, a playlist with a
/// repeat, and one in a folder that is called like an album.
enum MusicSample {
  static func id(_ number: Int) -> UUID { NewID.derived(from: "music sample \(number)") }

  static let tracks = [
    track(
      1, "Loomings", "Nantucket Quartet", "The Whale", "Jazz", 1998, (1, 1), 181.5, plays: 12, rating: 80, added: 1_735_689_599),
    track(
      2, "The Spouter-Inn", "Nantucket Quartet", "The Whale", "Jazz", 1998, (1, 2), 240.25, plays: 3, rating: 100, added: 1_735_689_600),
    track(3, "三体", "水滴", "黑暗森林", "電子", 2008, (nil, 1), 300, plays: 0, rating: nil, added: 1_740_909_600),
    track(4, "Duet", "水滴", "Harbour Songs", "Jazz", 2001, (2, 7), nil, plays: 1, rating: 50, added: 1_740_909_600, isCompilation: true),
    track(
      5, "Café", LibraryTrack.unknownArtist, LibraryTrack.unknownAlbum, nil, nil, (nil, nil), 61, plays: 0, rating: nil,
      added: 1_762_342_882),
  ]

  static let playlists = [
    MusicPlaylist(id: id(10), name: "Evening", trackIDs: [id(1), id(3), id(1)]), MusicPlaylist(id: id(11), name: "Moods", isFolder: true),
    MusicPlaylist(id: id(12), name: "The Whale", parentID: id(11), trackIDs: [id(4)], persistentID: "0123456789ABCDEF"),
  ]

  private static func track(
    _ number: Int, _ title: String, _ artist: String, _ album: String, _ genre: String?, _ year: Int?, _ place: (disc: Int?, track: Int?),
    _ duration: Double?, plays: Int, rating: Int?, added: Double, isCompilation: Bool = false
  ) -> LibraryTrack {
    LibraryTrack(
      id: id(number), title: title, artist: artist, album: album, isCompilation: isCompilation, genre: genre, year: year,
      trackNumber: place.track, discNumber: place.disc, duration: duration,
      file: TrackFile(
        location: FileLocation(path: "/Music/\(album)/\(title).mp3"), availability: number == 4 ? .offline : .available,
        sizeBytes: 1_000_000 * Int64(number)), playCount: plays,
      lastPlayedAt: plays > 0 ? Date(timeIntervalSince1970: 1_762_342_882.5) : nil, rating: rating,
      addedAt: Date(timeIntervalSince1970: added))
  }
}

extension Workbench {
  /// A store with the sample in it.
  func music() async throws -> String { try await put(Self.musicSample.value, "music.sqlite") }

  private static let musicSample: Task<PreparedFiles, any Error> = Task {
    let bench = try Workbench()
    let library = try MusicStore.open(at: bench.url("music.sqlite"))
    try await library.saveTracks(MusicSample.tracks)
    try await library.savePlaylists(MusicSample.playlists)
    try library.store.close()
    return try bench.prepared()
  }
}
