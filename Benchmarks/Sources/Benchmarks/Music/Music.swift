import CLimit
import Foundation
import Holdfast
import HoldfastMusic

/// The music library's workloads: C, GRDB's Codable records where they take part, and the product take turns.
enum Music {
  static let load = "M1 load 100,000 tracks and 200 playlists"
  static let search = "M2 search as you type, 50 of 100,000"
  private static let searches = 400

  static func run(_ dataSets: DataSets, rounds: Int) throws -> (outcomes: [Outcome], imports: [MusicImport]) {
    var seed = MusicSeed()
    let tracks = seed.tracks()
    let playlists = seed.playlists(of: tracks)
    let folder = try dataSets.newFolder()
    let path = folder + "/" + DataSet.databaseName
    let library = try MusicStore.open(at: URL(fileURLWithPath: path))
    try library.store.write { try MusicStore.saveTracks(tracks, in: $0) }
    try library.store.write { try MusicStore.savePlaylists(playlists, in: $0) }
    let c = try CMusic(path: path)
    let grdb = try MusicGRDB(path: path)
    defer {
      c.close()
      try? grdb.close()
      try? library.store.close()
    }
    let loads = try takeTurns(
      load, rounds: rounds,
      [
        Player(name: "C") { _, _ in try c.load() },
        Player(name: Gate.contestant) { _, _ in
          try sum(library.store.read { try MusicStore.tracks(in: $0) }, library.store.read { try MusicStore.playlists(in: $0) })
        },
        Player(name: MusicGRDB.name) { _, _ in try grdb.load() },
      ])
    let typed = seed.typing(searches)
    let found = try takeTurns(
      search, rounds: rounds, operations: searches,
      [
        Player(name: "C") { operation, _ in try c.search(typed[operation]) },
        Player(name: Gate.contestant) { operation, _ in
          try sum(library.store.read { try MusicStore.search(typed[operation], limit: 50, in: $0) }, [])
        },
      ])
    let file = folder + "/Library.xml"
    try ITunesFile.write(tracks, playlists, to: file)
    return (loads + found, try MusicImport.run(file, tracks: tracks.count, dataSets, rounds: min(rounds, 3)))
  }

  private static func sum(_ tracks: [LibraryTrack], _ playlists: [MusicPlaylist]) -> Found {
    let entries = playlists.reduce(0) { $0 + $1.trackIDs.count }
    let textBytes = tracks.reduce(0) { $0 + $1.title.utf8.count + $1.metadata.text.utf8.count }
    return Found([Double(tracks.count), Double(entries), Double(textBytes)], kept: [tracks, playlists])
  }
}

/// Plain C on the same file.
private final class CMusic: CConnection {
  init(path: String) throws { try super.init(path, cmusic_open) }

  func load() throws -> Found { try loaded { cmusic_load(pointer, $0) } }

  func search(_ text: String) throws -> Found { try loaded { cmusic_search(pointer, text, 50, $0) } }

  private func loaded(_ work: (UnsafeMutablePointer<cmusic_library>) -> Int32) throws -> Found {
    let box = CMusicLibrary()
    try check(work(&box.library))
    let playlists = UnsafeBufferPointer(start: box.library.playlists, count: box.library.playlist_count)
    let tracks = UnsafeBufferPointer(start: box.library.tracks, count: box.library.track_count)
    let entries = playlists.reduce(0) { $0 + $1.track_count }
    let textBytes = tracks.reduce(0) { $0 + Int($1.title.count + $1.metadata.count) }
    return Found([Double(tracks.count), Double(entries), Double(textBytes)], kept: [box])
  }
}

private final class CMusicLibrary {
  var library = cmusic_library()
  deinit { cmusic_free(&library) }
}
