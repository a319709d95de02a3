import Foundation

extension Workload {
  static var all: [Workload] { reads + saves + changes }

  static let loadNew = "W1 load 100 x 1,000"
  static let loadAged = "W1 load 100 x 1,000, aged"
  static let loadSmall = "W2 load 100 x 10"
  static let loadOne = "W2 load one of 1,000"
  static let saveFast = "W3 save position, fast"
  static let saveDurable = "W3 save position, durable"
  static let saveObserved = "W3 save position, fast, observed"
  static let saveDurableObserved = "W3 save position, durable, observed"
  static let writersFast = "W3 64 tasks save 10 positions each, fast"
  static let writersDurable = "W3 64 tasks save 10 positions each, durable"
  static let addNew = "W5 add 50 tracks"
  static let addAged = "W5 add 50 tracks, aged"
  static let deleteNew = "W5 delete 1,000 tracks"
  static let deleteAged = "W5 delete 1,000 tracks, aged"
  static let point = "W6 read one track"
  static let bulk = "bulk insert 100,000 tracks"

  private static var reads: [Workload] {
    [
      Workload(group: "W1", name: loadNew, dataSet: .large(.new), round: loadLibrary),
      Workload(group: "W1", name: loadAged, dataSet: .large(.aged), wholeFile: false, round: loadLibrary),
      Workload(group: "W2", name: loadSmall, dataSet: .small) { round in
        try round.checksums(10) { _ in try round.contestant.loadLibrary() }
      },
      Workload(group: "W2", name: loadOne, dataSet: .large(.new)) { round in
        try round.checksums(10) { operation in
          let places = round.seed.collections.count
          return try round.contestant.loadCollection(round.seed.collections[(round.number * 10 + operation) * 37 % places].id)
        }
      },
      Workload(group: "W6", name: point, dataSet: .large(.new), wholeFile: false, hasAsyncForm: true) { try readTracks(300, $0) },
    ]
  }

  private static var saves: [Workload] {
    [
      // A file replaced atomically is synchronised to the disk: it runs in the durable race only.
      Workload(group: "W3", name: saveFast, dataSet: .large(.new), writes: true, wholeFile: false, hasAsyncForm: true) {
        try savePositions(300, $0)
      },
      Workload(group: "W3", name: saveObserved, dataSet: .large(.new), writes: true, observed: true, wholeFile: false) {
        try savePositions(300, $0)
      },
      Workload(group: "W3", name: saveDurable, dataSet: .large(.new), durability: .durable, writes: true) { try savePositions(60, $0) },
      Workload(
        group: "W3", name: saveDurableObserved, dataSet: .large(.new), durability: .durable, writes: true, observed: true, wholeFile: false
      ) { try savePositions(60, $0) },
      Workload(
        group: "W3", name: writersFast, dataSet: .large(.new), writes: true, wholeFile: false, hasAsyncForm: true, isConcurrent: true,
        round: savePositionsAtOnce),
      Workload(
        group: "W3", name: writersDurable, dataSet: .large(.new), durability: .durable, writes: true, wholeFile: false, hasAsyncForm: true,
        isConcurrent: true, round: savePositionsAtOnce),
    ]
  }

  private static var changes: [Workload] {
    [
      Workload(group: "W5", name: addNew, dataSet: .large(.new), writes: true, insertsTracks: true, tracksChanged: 50, round: addTracks),
      Workload(
        group: "W5", name: addAged, dataSet: .large(.aged), writes: true, wholeFile: false, insertsTracks: true, tracksChanged: 50,
        round: addTracks),
      Workload(group: "W5", name: deleteNew, dataSet: .large(.new), writes: true, tracksChanged: -1000, round: deleteCollection),
      Workload(
        group: "W5", name: deleteAged, dataSet: .large(.aged), writes: true, wholeFile: false, tracksChanged: -1000, round: deleteCollection
      ),
      Workload(group: "bulk", name: bulk, dataSet: .empty, writes: true, freshEachRound: true, maximumRounds: 5, insertsTracks: true) {
        round in
        let work = try round.contestant.insertAll(round.seed)
        try round.stopwatch.time(work)
        return Checksum()
      },
    ]
  }

  private static func loadLibrary(_ round: Round) throws -> Checksum {
    try round.checksums(1) { _ in try round.contestant.loadLibrary() }
  }

  private static func readTracks(_ wished: Int, _ round: Round) throws -> Checksum {
    let order = round.seed.insertionOrder
    let ids = (0..<wished).map { operation in
      let place = order[(round.number * wished + operation) &* 7919 % order.count]
      return round.seed.collections[place.collection].tracks[place.track].id
    }
    guard let contestant = round.asyncContestant else { return try round.checksums(wished) { try round.contestant.readTrack(ids[$0]) } }
    return try blocking { [stopwatch = round.stopwatch] in
      var kept: [any Loaded] = []
      for id in ids { kept.append(try await stopwatch.time { try await contestant.readTrackAsync(id) }) }
      return kept.first?.checksum ?? Checksum()
    }
  }

  /// Saves with a changing value: SQLite writes no page for a row that stays the same.
  private static func positions(_ wished: Int, _ round: Round) -> [SavedPosition] {
    (0..<round.count(wished)).map { operation in
      let turn = round.number * wished + operation
      let collection = round.seed.collections[turn &* 37 % round.seed.collections.count]
      let played = collection.tracks.filter { $0.state != nil }
      let milliseconds = Int64(1_800_000_000_000) + Int64(turn) * 1000
      return SavedPosition(
        track: played[turn &* 61 % played.count].id, collection: collection.id, position: Double(turn) * 1.5, duration: 3600,
        updatedAt: Date(milliseconds: milliseconds), updatedAtMilliseconds: milliseconds)
    }
  }

  private static func savePositions(_ wished: Int, _ round: Round) throws -> Checksum {
    let saves = positions(wished, round)
    if let contestant = round.asyncContestant {
      try blocking { [stopwatch = round.stopwatch] in
        for save in saves { try await stopwatch.time { try await contestant.savePositionAsync(save) } }
      }
    } else {
      for save in saves { try round.stopwatch.time { try round.contestant.savePosition(save) } }
    }
    return Checksum()
  }

  /// One operation: 64 tasks write at once, each one save after the other.
  private static func savePositionsAtOnce(_ round: Round) throws -> Checksum {
    guard let contestant = round.asyncContestant else { return Checksum() }
    let (tasks, saves) = (64, positions(640, round))
    try blocking { [stopwatch = round.stopwatch] in
      try await stopwatch.time {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for task in 0..<tasks {
            group.addTask {
              for place in stride(from: task, to: saves.count, by: tasks) { try await contestant.savePositionAsync(saves[place]) }
            }
          }
          try await group.waitForAll()
        }
      }
    }
    return Checksum()
  }

  private static func addTracks(_ round: Round) throws -> Checksum {
    let collections = round.seed.collections
    // The new ids are of the library's own version.
    let age = (collections.first?.id.uuid.6 ?? 0) >> 4 == 4 ? Age.aged : .new
    for operation in 0..<round.count(4) {
      let turn = round.number * 4 + operation
      var maker = SeedMaker(age: age, seed: UInt64(1000 + turn), after: UInt64(1_000_000 + turn * 50))
      let collection = collections[turn % collections.count].id
      let tracks = maker.tracks(50, collection: collection, from: 1000)
      let work = try round.contestant.addTracks(tracks, to: collection, at: Int64(1_800_000_000_000) + Int64(turn) * 1000)
      try round.stopwatch.time(work)
    }
    return Checksum()
  }

  private static func deleteCollection(_ round: Round) throws -> Checksum {
    let id = round.seed.collections[round.number * 13 % round.seed.collections.count].id
    try round.stopwatch.time { try round.contestant.deleteCollection(id) }
    return Checksum()
  }
}
