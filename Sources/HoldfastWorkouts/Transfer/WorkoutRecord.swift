import Foundation
import Holdfast
import HoldfastTransfer

/// What every source of a training log has: three kinds of record. See `WorkoutShape`.
enum WorkoutRecord {
  /// In the order in which rows must be written.
  static let kinds = WorkoutLog.tables.map { (name: $0, table: $0) }

  static let laterIndexes = ["templates_by_name", "exercises_by_name"]
}

extension RecordKind<WorkoutRow> {
  /// The source's time is its end: the source did not change it later. It is compared only with a workout in progress in this log, which counts
  /// as older than any end; other stored rows have no such time. A template and a workout are never the same record.
  static func workouts(_ fields: FieldTable<WorkoutRow>) -> RecordKind {
    RecordKind(
      "workouts", table: WorkoutRow.table, fields, key: { IDCodec.lowercase($0.workout.id) }, ids: ["id"],
      storedIDs: { row, _ in [.id(row.workout.id)] }, modifiedAt: { $0.workout.endedAt },
      storedAt: { try ActiveRow.isUntouched($0, in: $1) ? .min : nil },
      find: { said, reader in
        try reader.find(WorkoutRow.self, id: said.row.workout.id).flatMap { stored in
          (said.row.state == .template) == (stored.state == .template) ? stored : nil
        }
      }, save: { try save($0, $1, in: $2) })
  }

  /// A workout in progress becomes the log's, if the log has none; otherwise it becomes history without an end. The log's one
  /// is never changed. A stored workout keeps its state, with one exception: a workout in progress that came from an import,
  /// and that no verb has changed, is finished by a source that has its end.
  ///
  /// - Throws: `.constraint` when the id belongs to another row of the log.
  private static func save(_ said: WorkoutRow, _ stored: WorkoutRow?, in tx: Writer) throws {
    var row = said
    if let stored {
      let isUntouched = try ActiveRow.isUntouched(stored, in: tx)
      if row.state == .active, row.workout.endedAt != nil {
        guard isUntouched else { throw StoreError(.constraint, "the workout is in progress in this log, but finished in the source") }
        row.state = .finished
        try tx.execute("DELETE FROM active_workout WHERE slot = 1")
      } else if isUntouched {
        try tx.upsert(ActiveRow(imported: row))
      }
      return try tx.upsert(row)
    }
    if let other = try tx.find(WorkoutRow.self, id: row.workout.id) {
      throw StoreError(.constraint, "its id belongs to a \(other.state.noun)")
    }
    guard row.state == .active else { return try tx.insert(row) }
    if try WorkoutLog.active(in: tx) != nil { row.state = .finished }
    try tx.insert(row)
    if row.state == .active { try tx.insert(ActiveRow(imported: row)) }
  }
}

extension RecordKind<ExerciseRow> {
  static func exercises(_ fields: FieldTable<ExerciseRow>) -> RecordKind {
    RecordKind(
      "exercises", table: ExerciseRow.table, fields, key: { IDCodec.lowercase($0.exercise.id) },
      parent: { .init(kind: "workouts", key: IDCodec.lowercase($0.workoutID)) }, ids: ["id", "workout"],
      storedIDs: { row, _ in [.id(row.exercise.id), .id(row.workoutID)] },
      place: .list(\.position) { "workout_id = \($0.workoutID) AND id <> \($0.exercise.id)" },
      find: { try $1.find(ExerciseRow.self, id: $0.row.exercise.id) },
      check: {
        if $0.workoutID != $1.workoutID { throw StoreError(.constraint, "its id belongs to an exercise of another workout") }
      }, save: { try $2.upsert($0) })
  }
}

extension RecordKind<SetRow> {
  static func sets(_ fields: FieldTable<SetRow>) -> RecordKind {
    RecordKind(
      "exercise_sets", table: SetRow.table, fields, key: { IDCodec.lowercase($0.set.id) },
      parent: { .init(kind: "exercises", key: IDCodec.lowercase($0.exerciseID)) }, ids: ["id", "exercise"],
      storedIDs: { row, _ in [.id(row.set.id), .id(row.exerciseID)] },
      place: .list(\.position) { "exercise_id = \($0.exerciseID) AND id <> \($0.set.id)" },
      find: { try $1.find(SetRow.self, id: $0.row.set.id) },
      check: { if $0.exerciseID != $1.exerciseID { throw StoreError(.constraint, "its id belongs to a set of another exercise") } },
      save: { try $2.upsert($0) })
  }
}

extension ActiveRow {
  /// Takes the trained time from the source. The time since then does not count.
  init(imported row: WorkoutRow) {
    let trained = min(max(0, Int64(row.workout.durationSeconds ?? 0)), Self.longestSeconds)
    let lastActive = min(row.workout.startedAt.addingTimeInterval(Double(trained)), Self.lastDate)
    self.init(row.workout.id, TrainingTimer(lastActiveAt: lastActive, trainedMilliseconds: trained * 1000))
  }

  /// Whether the workout is in progress, came from a source and is unchanged since: every verb moves its clock.
  static func isUntouched(_ row: WorkoutRow, in reader: Reader) throws -> Bool {
    guard row.state == .active, let active = try WorkoutLog.active(in: reader), active == ActiveRow(imported: row) else { return false }
    return try reader.wasImported(kind: WorkoutRow.table, key: IDCodec.lowercase(row.workout.id))
  }

  /// A hundred years: no clock can have counted more.
  private static let longestSeconds: Int64 = 3_155_760_000
  private static let lastDate = DateCodec.date(milliseconds: DateCodec.range.upperBound) ?? .distantFuture
}
