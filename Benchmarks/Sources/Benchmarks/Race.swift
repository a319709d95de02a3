import Foundation

/// Runs a workload: the contestants take turns, round by round, so that a busy machine disturbs all of them.
struct Race {
  let dataSets: DataSets
  let rounds: Int

  /// Throws if two contestants did not do the same work.
  func run(_ workload: Workload) throws -> [Outcome] {
    let types = roster.filter { $0.takesPart(in: workload) }
    let rounds = min(rounds, workload.maximumRounds)
    var entries = try types.map { try Entry($0, workload, dataSets) }
    for number in 0...rounds {
      // Round 0 warms up. Who begins changes, for the first turn pays for cold caches.
      if number == 0, workload.freshEachRound { continue }
      var checksum: Checksum?
      for turn in entries.indices {
        let place = (turn + number) % entries.count
        if entries[place].isWholeFile, number == 0 || number > 2 { continue }
        let found = try entries[place].play(number, workload, dataSets)
        if let checksum, checksum != found {
          throw Failure("\(workload.name): \(entries[place].outcome.contestant) loaded \(found), another contestant \(checksum)")
        }
        checksum = found
      }
    }
    try compareFiles(&entries, workload)
    return entries.map(\.outcome)
  }

  private func compareFiles(_ entries: inout [Entry], _ workload: Workload) throws {
    var contents: [String: [String]] = [:]
    for place in entries.indices {
      try entries[place].finish(workload)
      let entry = entries[place]
      if workload.writes, entry.isWholeFile {
        try Contents.check(json: entry.folder, tracks: expectedTracks(workload, rounds: entry.outcome.rounds.count))
      } else if workload.writes {
        contents[entry.outcome.contestant] = try Contents.read(database: entry.folder)
      }
    }
    for (name, found) in contents where found != contents.first?.value {
      throw Failure("\(workload.name) left different libraries: \(name) \(found), another contestant \(contents.first?.value ?? [])")
    }
  }

  private func expectedTracks(_ workload: Workload, rounds: Int) throws -> Int {
    if workload.freshEachRound { return try dataSets.dataSet(.large(.new)).seed.insertionOrder.count }
    return try dataSets.dataSet(workload.dataSet).seed.insertionOrder.count + rounds * workload.tracksChanged
  }
}

/// One contestant in one workload.
private struct Entry {
  let type: any Contestant.Type
  var folder: String
  var contestant: (any Contestant)?
  var observer: (any Observer)?
  var outcome: Outcome
  let seed: SeedLibrary
  var isWholeFile: Bool { type.rewritesWholeFile }

  init(_ type: any Contestant.Type, _ workload: Workload, _ dataSets: DataSets) throws {
    self.type = type
    // An empty library is filled with what the large one is made of.
    seed = try dataSets.dataSet(workload.freshEachRound ? .large(.new) : workload.dataSet).seed
    folder = try dataSets.copy(workload.dataSet, file: type.fileName)
    outcome = Outcome(workload: workload.name, contestant: type.name)
    try open(workload)
  }

  private mutating func open(_ workload: Workload) throws {
    let opened = try type.init(folder: folder, durability: workload.durability)
    contestant = opened
    if workload.observed { observer = try opened.observe() }
  }

  mutating func play(_ number: Int, _ workload: Workload, _ dataSets: DataSets) throws -> Checksum {
    if workload.freshEachRound, number > 1 {
      try contestant?.close()
      try FileManager.default.removeItem(atPath: folder)
      folder = try dataSets.copy(workload.dataSet, file: type.fileName)
      try open(workload)
    }
    guard let contestant else { throw Failure("\(type.name) is closed") }
    if workload.writes { try contestant.settle() }
    let stopwatch = Stopwatch()
    let checksum = try workload.round(Round(number: number, contestant: contestant, seed: seed, stopwatch: stopwatch))
    if number > 0 {
      outcome.rounds.append(stopwatch.operations.median)
      outcome.processor.append(stopwatch.processor / Double(max(1, stopwatch.operations.count)))
      outcome.operations += stopwatch.operations
    }
    return checksum
  }

  mutating func finish(_ workload: Workload) throws {
    if let observer {
      // The initial value, and at least one after a commit.
      guard observer.values > 1 else { throw Failure("\(workload.name): the observer of \(type.name) saw no save") }
      observer.stop()
    }
    observer = nil
    try contestant?.close()
    contestant = nil
  }
}
