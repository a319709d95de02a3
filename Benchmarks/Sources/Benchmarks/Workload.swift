import Foundation

/// One thing that the contestants are timed at.
struct Workload {
  /// What `--only` names.
  var group: String
  var name: String
  var dataSet: DataSet.Kind
  var durability = Durability.fast
  /// The log is emptied before each round, and the files are compared at the end.
  var writes = false
  /// Each round begins with a new copy of the data set.
  var freshEachRound = false
  /// For operations of seconds: fewer rounds than asked for.
  var maximumRounds = Int.max
  /// A live query runs meanwhile; a contestant that has none runs without, so that there is something to compare with.
  var observed = false
  /// Whether a contestant that rewrites its whole file takes part.
  var wholeFile = true
  /// Whether there is a form of it for contestants with `async` verbs.
  var hasAsyncForm = false
  /// Whether many tasks write at once: only for contestants with `async` verbs.
  var isConcurrent = false
  /// Whether it is about inserting tracks.
  var insertsTracks = false
  /// How many tracks one operation adds to the library, or takes from it if negative.
  var tracksChanged = 0
  var round: (Round) throws -> Checksum
}

/// One contestant's turn.
struct Round {
  var number: Int
  var contestant: any Contestant
  var seed: SeedLibrary
  var stopwatch: Stopwatch
  /// Timed operations wished for; one that rewrites its whole file does one.
  func count(_ wished: Int) -> Int { type(of: contestant).rewritesWholeFile ? 1 : wished }

  /// The contestant, if it is one with `async` verbs.
  var asyncContestant: (any AsyncContestant)? { contestant as? any AsyncContestant }

  func checksums(_ wished: Int, _ work: (Int) throws -> any Loaded) rethrows -> Checksum {
    // Kept to the end of the turn: a release between two operations would disturb the allocator of the next.
    var kept: [any Loaded] = []
    for operation in 0..<count(wished) { kept.append(try stopwatch.time { try work(operation) }) }
    return kept.first?.checksum ?? Checksum()
  }
}

/// What one contestant did in one workload.
struct Outcome {
  var workload: String
  var contestant: String
  /// Milliseconds; the median operation of each round.
  var rounds: [Double] = []
  /// Processor milliseconds of each round, per operation.
  var processor: [Double] = []
  /// Milliseconds of every operation.
  var operations: [Double] = []
  /// What one operation works on, in megabytes; nil where that is not counted.
  var megabytes: Double?

  /// Adds a round of one operation.
  mutating func add(wall: Double, processor: Double) {
    rounds.append(wall)
    operations.append(wall)
    self.processor.append(processor)
  }

  /// Compared round by round: disturbances that hit both cancel out.
  func pairedRatio(to other: Outcome) -> Double { zip(rounds, other.rounds).map { $0 / $1 }.median }
  func ratio(to other: Outcome) -> Double { rounds.median / other.rounds.median }
  func processorRatio(to other: Outcome) -> Double { processor.median / other.processor.median }
}
