import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer

/// What it costs to note each change for a server: the same saves, and the same import, in a store that is connected and in one that is not.
enum Capture {
  static let column = "sync: save one column, rows that were sent"
  static let group = "sync: save a group of two columns, rows that wait"
  static let hundred = "sync: 100 saves of one column in one transaction, rows that were sent"
  static let library = "sync: import 20 x 1,000 tracks"

  static let plain = "without .synced"
  static let unconnected = "not connected"
  static let connected = "connected"

  private static let songs = 10_000

  static func run(_ dataSets: DataSets, rounds: Int) throws -> [Outcome] {
    let songs = CaptureStore.makeSongs(songs)
    let stores = try [(plain, false, false), (unconnected, true, false), (connected, true, true)].map { name, declares, connects in
      try CaptureStore(name, declares: declares, connects: connects, songs: songs, in: dataSets.newFolder())
    }
    var outcomes = try takeTurns(column, rounds: rounds, operations: 2_000, stores.map { player($0) { save($1, $2, in: $0) } })
    // The warm-up is the first save of these rows since they were sent.
    outcomes += try takeTurns(
      group, rounds: rounds, operations: 2_000, stores.map { player($0, sends: false) { savePlay($1, $2, in: $0) } })
    outcomes += try takeTurns(hundred, rounds: rounds, operations: 40, stores.map { player($0) { saveHundred($1, $2, in: $0) } })
    let sums = try stores.map { try $0.sums() }
    guard Set(sums).count == 1 else { throw Failure("the stores of songs differ: \(sums)") }
    for songs in stores { try songs.store.close() }
    return outcomes + (try imports(dataSets, rounds: min(rounds, 5)))
  }
}

// MARK: Saves

extension Capture {
  private typealias Save = (_ songs: CaptureStore, _ operation: Int, _ round: Int) -> (Writer) throws -> Void

  private static func player(_ songs: CaptureStore, sends: Bool = true, _ save: @escaping Save) -> Player {
    Player(name: songs.name) {
      if sends { try songs.markSent() }
      try songs.store.checkpoint(.truncate)
    } work: { operation, round in
      try songs.store.write(save(songs, operation, round))
      return Found()
    }
  }

  private static func save(_ operation: Int, _ round: Int, in songs: CaptureStore) -> (Writer) throws -> Void {
    { tx in try tx.update(SyncedSong.self, id: song(operation, in: songs), "rating = \(round * songs.songs.count + operation + 1)") }
  }

  private static func savePlay(_ operation: Int, _ round: Int, in songs: CaptureStore) -> (Writer) throws -> Void {
    { tx in
      let number = round * songs.songs.count + operation + 1
      try tx.update(SyncedSong.self, id: song(operation, in: songs), "play_count = \(number), last_played_at = \(number)")
    }
  }

  private static func saveHundred(_ operation: Int, _ round: Int, in songs: CaptureStore) -> (Writer) throws -> Void {
    { tx in
      for place in operation * 100..<operation * 100 + 100 {
        // No value that `save` has written.
        try tx.update(SyncedSong.self, id: song(place, in: songs), "rating = \(-round * songs.songs.count - place - 1)")
      }
    }
  }

  /// Neighbours in time are far from each other in the file.
  private static func song(_ place: Int, in songs: CaptureStore) -> UUID { songs.songs[place * 7_919 % songs.songs.count] }
}

// MARK: Import

extension Capture {
  /// Into a library that was opened before, and has no rows yet.
  private static func imports(_ dataSets: DataSets, rounds: Int) throws -> [Outcome] {
    let file = try dataSets.legacyFile(collections: 20)
    var outcomes = [unconnected, connected].map { Outcome(workload: library, contestant: $0) }
    for number in 0..<rounds {
      for turn in outcomes.indices {
        let place = (turn + number) % outcomes.count
        let folder = try dataSets.newFolder()
        let stopwatch = try importLibrary(file, in: folder, connects: outcomes[place].contestant == connected)
        outcomes[place].add(wall: stopwatch.operations.median, processor: stopwatch.processor)
        try FileManager.default.removeItem(atPath: folder)
      }
    }
    return outcomes
  }

  private static func importLibrary(_ json: String, in folder: String, connects: Bool) throws -> Stopwatch {
    // An import keeps a copy beside its source.
    let source = folder + "/" + DataSet.jsonName
    try FileManager.default.linkItem(atPath: json, toPath: source)
    let url = URL(fileURLWithPath: folder + "/" + DataSet.databaseName)
    let library = try AudiobookLibrary.open(at: url)
    if connects { _ = try connect(library.store) }
    try library.store.close()
    let stopwatch = Stopwatch()
    let report = try stopwatch.time { try AudiobookLibrary.importLibrary(from: URL(fileURLWithPath: source), into: url) }
    guard report.verified, report.problemCount == 0 else { throw Failure("the import had \(report.problemCount) problems") }
    return stopwatch
  }
}
