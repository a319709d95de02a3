import Foundation
import Holdfast
import HoldfastTransfer
import HoldfastWorkouts

/// Bringing a table of Strong in, with copy, verification and commit, against Python's csv module only reading the same file.
enum CSVImport {
  static let workload = "import 100,000 sets from a table of Strong"
  static let python = "Python csv, reading only"
  private static let sets = 100_000

  static func run(_ dataSets: DataSets, rounds: Int) throws -> [Outcome] {
    let file = try dataSets.newFolder() + "/strong.csv"
    try StrongFile.write(sets: sets, to: file)
    var other = Outcome(workload: workload, contestant: python)
    var own = Outcome(workload: workload, contestant: Gate.contestant)
    for _ in 0..<min(rounds, 5) {
      let read = try readByPython(file)
      other.add(wall: read.wall, processor: read.processor)
      let folder = try dataSets.newFolder()
      let stopwatch = try importFile(file, into: folder + "/" + DataSet.databaseName)
      own.add(wall: stopwatch.operations.median, processor: stopwatch.processor)
      try FileManager.default.removeItem(atPath: folder)
    }
    return [other, own]
  }

  private static func importFile(_ file: String, into store: String) throws -> Stopwatch {
    var hints = SourceHints()
    hints.timeZone = .gmt
    hints.weightUnit = "kg"
    let stopwatch = Stopwatch()
    let report = try stopwatch.time {
      try WorkoutLog.importLibrary(from: URL(fileURLWithPath: file), into: URL(fileURLWithPath: store), hints: hints)
    }
    guard report.verified, report.isClean, report.backup != nil, report.counts["exercise_sets"]?.imported == sets else {
      throw Failure("the import is not whole: \(report.text)")
    }
    return stopwatch
  }

  /// Without Python's start; no row is kept.
  private static func readByPython(_ file: String) throws -> (wall: Double, processor: Double) {
    let program = """
      import csv, sys, time
      start, processor = time.perf_counter(), time.process_time()
      with open(sys.argv[1], newline='', encoding='utf-8') as file: rows = sum(1 for row in csv.reader(file))
      print((time.perf_counter() - start) * 1000, (time.process_time() - processor) * 1000, rows)
      """
    let found = try Python.numbers(3, program, reading: file)
    guard found[2] == Double(sets + 1) else { throw Failure("python3 found \(found[2]) rows") }
    return (found[0], found[1])
  }
}

/// Workouts as Strong's classic table.
private enum StrongFile {
  static func write(sets: Int, to path: String) throws {
    var seed = WorkoutSeed()
    var text = "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Distance,Seconds,Notes,Workout Notes,RPE\n"
    var written = 0
    // Each has 24 sets.
    for workout in seed.workouts((sets + 23) / 24) {
      let start = workout.startedAt.ISO8601Format().replacingOccurrences(of: "T", with: " ").replacingOccurrences(of: "Z", with: "")
      for exercise in workout.exercises {
        for (place, set) in exercise.sets.enumerated() where written < sets {
          let cells = [
            start, quoted(workout.name), "1h", quoted(exercise.name), place == 0 ? "W" : "\(place)", "\(set.actual.weight ?? 0)",
            "\(set.actual.reps ?? 0)", "0", "0", quoted(place == 0 ? exercise.notes.joined(separator: " ") : ""),
            quoted(workout.note ?? ""), set.actual.rpe.map { "\($0)" } ?? "",
          ]
          text += cells.joined(separator: ",") + "\n"
          written += 1
        }
      }
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private static func quoted(_ text: String) -> String { "\"\(text)\"" }
}
