public import Foundation
import Holdfast
public import HoldfastTransfer

extension WorkoutLog {
  /// Writes all finished workouts, the newest first, as a list in the app's own JSON, which `importLibrary` reads back equal.
  ///
  /// Fields that the app does not know are written beside its own, and the app ignores them: distances, notes of sets, and when
  /// sets were completed. A word or number that the app cannot read is written, too; the report lists it, because the app then
  /// skips the whole workout. The report also lists what is left out: the workout in progress, templates and custom exercises.
  /// An existing file is replaced only at the end of a successful export.
  /// - Throws: `.misuse` for the store's own file; `.decoding` when a stored value is damaged; `.diskFull`, `.cannotCreate`,
  ///   `.permissionDenied`, `.inputOutput`.
  @discardableResult
  public func exportJSON(to url: URL) throws -> ExportReport {
    var text = Data("[".utf8)
    var counts = ["workouts": 0, "exercises": 0, "exercise_sets": 0]
    let left = try store.read { reader in
      var left: [ExportReport.LeftOut] = []
      var key: PageKey?
      repeat {
        let page = try Self.workouts(after: key, limit: 200, in: reader)
        for workout in page.items {
          text.append(contentsOf: Array((counts["workouts"] == 0 ? "\n" : ",\n").utf8))
          text.append(contentsOf: try JSONText.bytes(of: CoreWorkout(workout)))
          left += AppLimits.exceeded(by: workout)
          counts["workouts", default: 0] += 1
          counts["exercises", default: 0] += workout.exercises.count
          counts["exercise_sets", default: 0] += workout.exercises.reduce(0) { $0 + $1.sets.count }
        }
        key = page.next
      } while key != nil
      return try left + Self.leftOut(of: "the app's JSON", in: reader)
    }
    text.append(contentsOf: Array("\n]\n".utf8))
    let file = try FileExport.write(text, to: url, from: store)
    return ExportReport(format: "json", path: url.path, bytes: file.bytes, sha256: file.sha256, counts: counts, leftOut: left)
  }

  /// The workouts and exercises that an export of finished workouts leaves out.
  static func leftOut(of format: String, in reader: Reader) throws -> [ExportReport.LeftOut] {
    let rows = try reader.values("SELECT state, id FROM workouts WHERE state <> 'finished' ORDER BY state, id") { row in
      (isActive: try row.text() == "active", id: try row.text())
    }
    let exercises = try reader.values("SELECT id FROM custom_exercises ORDER BY id") { row in try row.text() }
    return rows.map { .init(kind: "workouts", id: $0.id, reason: $0.isActive ? "it is in progress" : "it is a template") }
      + exercises.map { .init(kind: "custom_exercises", id: $0, reason: "\(format) has no place for it") }
  }
}
