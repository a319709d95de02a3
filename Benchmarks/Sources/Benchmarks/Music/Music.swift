import CLimit
import Foundation
import Holdfast
import MusicLibrary

/// What a contestant loaded, for comparison; and the values themselves, which live until the clock has stopped.
struct MusicSum {
  var tracks = 0
  var entries = 0
  var textBytes = 0
  var kept: [Any]

  init(kept: [Any]) { self.kept = kept }

  var withoutValues: MusicSum {
    var sum = self
    sum.kept = []
    return sum
  }

  func isEqual(to other: MusicSum) -> Bool { (tracks, entries, textBytes) == (other.tracks, other.entries, other.textBytes) }
}

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
    let library = try MusicLibrary.open(at: URL(fileURLWithPath: path))
    try library.saveTracks(tracks)
    try library.savePlaylists(playlists)
    let c = try CMusic(path: path)
    let grdb = try MusicGRDB(path: path)
    defer {
      c.close()
      try? grdb.close()
      try? library.store.close()
    }
    let loads = try race(
      load, rounds,
      [
        ("C", { try c.load() }), (Gate.contestant, { try sum(library.tracks(), library.playlists()) }),
        (MusicGRDB.name, { try grdb.load() }),
      ])
    let typed = seed.typing(searches)
    let found = try race(
      search, rounds,
      [("C", { try c.search(typed[$0]) }), (Gate.contestant, { try sum(library.search(typed[$0], limit: 50), []) })], operations: searches)
    let file = folder + "/Library.xml"
    try ITunesFile.write(tracks, playlists, to: file)
    return (loads + found, try MusicImport.run(file, tracks: tracks.count, dataSets, rounds: min(rounds, 3)))
  }

  private static func race(
    _ workload: String, _ rounds: Int, _ contestants: [(name: String, work: () throws -> MusicSum)]
  ) throws -> [Outcome] {
    try race(workload, rounds, contestants.map { contestant in (contestant.name, { _ in try contestant.work() }) }, operations: 1)
  }

  private static func race(
    _ workload: String, _ rounds: Int, _ contestants: [(name: String, work: (Int) throws -> MusicSum)], operations: Int
  ) throws -> [Outcome] {
    var outcomes = contestants.map { Outcome(workload: workload, contestant: $0.name) }
    for number in 0...rounds {
      var first: [MusicSum] = []
      for turn in contestants.indices {
        let place = (turn + number) % contestants.count
        let stopwatch = Stopwatch()
        let sums = try (0..<operations).map { operation in try stopwatch.time { try contestants[place].work(operation) } }
        if first.isEmpty { first = sums.map(\.withoutValues) }
        guard zip(sums, first).allSatisfy({ $0.isEqual(to: $1) }) else {
          throw Failure("\(workload): \(contestants[place].name) found something else than another contestant")
        }
        // Round 0 warms up.
        guard number > 0 else { continue }
        outcomes[place].rounds.append(stopwatch.operations.median)
        outcomes[place].processor.append(stopwatch.processor / Double(operations))
        outcomes[place].operations += stopwatch.operations
      }
    }
    return outcomes
  }

  private static func sum(_ tracks: [Track], _ playlists: [Playlist]) -> MusicSum {
    var sum = MusicSum(kept: [tracks, playlists])
    sum.tracks = tracks.count
    sum.entries = playlists.reduce(0) { $0 + $1.trackIDs.count }
    sum.textBytes = tracks.reduce(0) { $0 + $1.title.utf8.count + $1.metadata.text.utf8.count }
    return sum
  }
}

/// Plain C on the same file.
private final class CMusic {
  private let pointer: OpaquePointer

  init(path: String) throws {
    var opened: OpaquePointer?
    let code = cmusic_open(path, &opened)
    guard code == 0, let opened else { throw Failure("C cannot open the music library: \(code)") }
    pointer = opened
  }

  func close() { cmusic_close(pointer) }

  func load() throws -> MusicSum { try loaded { cmusic_load(pointer, $0) } }

  func search(_ text: String) throws -> MusicSum { try loaded { cmusic_search(pointer, text, 50, $0) } }

  private func loaded(_ work: (UnsafeMutablePointer<cmusic_library>) -> Int32) throws -> MusicSum {
    let box = CMusicLibrary()
    guard work(&box.library) == 0 else { throw Failure(String(cString: cmusic_message(pointer))) }
    var sum = MusicSum(kept: [box])
    sum.tracks = box.library.track_count
    for playlist in UnsafeBufferPointer(start: box.library.playlists, count: box.library.playlist_count) {
      sum.entries += playlist.track_count
    }
    for track in UnsafeBufferPointer(start: box.library.tracks, count: box.library.track_count) {
      sum.textBytes += Int(track.title.count + track.metadata.count)
    }
    return sum
  }
}

private final class CMusicLibrary {
  var library = cmusic_library()
  deinit { cmusic_free(&library) }
}
