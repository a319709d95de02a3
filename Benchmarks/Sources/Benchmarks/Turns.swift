/// What a contestant found, for comparison; and the values themselves, which live until the clock has stopped.
struct Found {
  /// Counts and sums, the same for all.
  var numbers: [Double]
  var kept: [Any]

  init(_ numbers: [Double] = [], kept: [Any] = []) {
    self.numbers = numbers
    self.kept = kept
  }

  var withoutValues: Found { Found(numbers) }

  /// Sums of the same numbers in another order differ in their last digits.
  func isEqual(to other: Found) -> Bool {
    numbers.count == other.numbers.count && zip(numbers, other.numbers).allSatisfy { abs($0 - $1) <= 1e-9 * max(1, abs($0)) }
  }
}

/// Who takes part in a workload that is not one of the audiobook library's.
struct Player {
  var name: String
  /// Before each round, without the clock.
  var settle: () throws -> Void = {}
  /// One operation, by its number in the round and the round's.
  var work: (_ operation: Int, _ round: Int) throws -> Found
}

/// Runs the players by turns, round by round; throws when two found different things.
func takeTurns(_ workload: String, rounds: Int, operations: Int = 1, _ players: [Player]) throws -> [Outcome] {
  var outcomes = players.map { Outcome(workload: workload, contestant: $0.name) }
  for number in 0...rounds {
    var first: [Found] = []
    for turn in players.indices {
      let place = (turn + number) % players.count
      try players[place].settle()
      let stopwatch = Stopwatch()
      let found = try (0..<operations).map { operation in try stopwatch.time { try players[place].work(operation, number) } }
      if first.isEmpty { first = found.map(\.withoutValues) }
      guard zip(found, first).allSatisfy({ $0.isEqual(to: $1) }) else {
        throw Failure("\(workload): \(players[place].name) found something else than another contestant")
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
