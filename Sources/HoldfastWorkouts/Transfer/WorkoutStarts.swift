import HoldfastTransfer

/// The starts of workouts in a table that has times and no workouts: rows less than three hours after one another are one workout.
struct WorkoutStarts: Sendable {
  private var starts: [Int64: Int64] = [:]
  private static let pause: Int64 = 3 * 3_600_000

  /// - Parameter time: a row's local time, in milliseconds.
  /// - Throws: what `CSVTable.lines(_:)` throws.
  init(_ file: CSVTable, _ time: ([String]) -> Int64?) throws {
    var times: Set<Int64> = []
    try file.lines { line, _ in
      if case .row(let cells, _) = line, let time = time(cells) { times.insert(time) }
    }
    var (start, last): (Int64?, Int64?)
    for time in times.sorted() {
      if last.map({ time - $0 >= Self.pause }) ?? true { start = time }
      (starts[time], last) = (start, time)
    }
  }

  /// The start of the workout of a row.
  subscript(time: Int64) -> Int64 { starts[time] ?? time }
}
