/// The starts of workouts in a table that has times and no workouts: rows less than three hours after one another are one workout.
struct WorkoutStarts: Sendable {
  private var starts: [Int64: Int64] = [:]
  private static let pause: Int64 = 3 * 3_600_000

  /// - Parameter times: local times in milliseconds, of all rows.
  init(_ times: Set<Int64>) {
    var (start, last): (Int64?, Int64?)
    for time in times.sorted() {
      if last.map({ time - $0 >= Self.pause }) ?? true { start = time }
      (starts[time], last) = (start, time)
    }
  }

  /// The start of the workout of a row.
  subscript(time: Int64) -> Int64 { starts[time] ?? time }
}
