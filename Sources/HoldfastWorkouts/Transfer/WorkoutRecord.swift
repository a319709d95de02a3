import Foundation
import Holdfast
import HoldfastTransfer

/// A stored row as a source has it, of any of the three kinds that every source of a training log is made of.
enum WorkoutRecord: Sendable {
  case workout(SaidRow<WorkoutRow>)
  case exercise(SaidRow<ExerciseRow>)
  case set(SaidRow<SetRow>)

  /// When a source says that a workout ended, in milliseconds since 1970: then it was not changed last before. It counts against one
  /// that is in progress here alone, as nothing else that is stored has such a time.
  var modifiedAt: Int64? {
    guard case .workout(let said) = self else { return nil }
    return said.row.endedAt.flatMap(DateCodec.milliseconds)
  }

  /// In the order in which rows must be there.
  static let kinds = WorkoutLog.tables.map { (name: $0, table: $0) }
}

extension WorkoutShape {
  // MARK: What verification compares

  /// - Parameters:
  ///   - id: as the source has it.
  ///   - parent: as the source has it; nil for a workout.
  func fields(of record: WorkoutRecord, id: JSONValue, in parent: JSONValue?) -> [SourceField] {
    switch record {
    case .workout(let said): fields(id, said.fields)
    case .exercise(let said): fields(id, said.fields, in: ("workout", parent ?? .null), at: said.row.position)
    case .set(let said): fields(id, said.fields, in: ("exercise", parent ?? .null), at: said.row.position)
    }
  }

  private func fields(
    _ id: JSONValue, _ said: [SourceField], in parent: (name: String, id: JSONValue)? = nil, at position: Int64? = nil
  ) -> [SourceField] {
    [SourceField("id", id)] + (parent.map { [SourceField($0.name, $0.id)] } ?? []) + said
      + (position.map { [ListPlace.field(of: $0)] } ?? [])
  }

  /// The stored row of a record of this form. A template and a workout are no editions of each other.
  func readBack(_ record: SourceRecord<WorkoutRecord>, in reader: Reader) throws -> StoredShape? {
    switch record.content {
    case .workout(let said):
      guard let stored = try reader.find(WorkoutRow.self, id: said.row.id), said.row.isSameKind(as: stored) else { return nil }
      // Older than whatever a source says of its end.
      let isUntouched = try ActiveRow.isUntouched(stored, in: reader)
      return StoredShape(
        fields: fields(.id(stored.id), workouts.shape(of: stored, as: said)), modifiedAt: isUntouched ? .min : nil)
    case .exercise(let said):
      guard let stored = try reader.find(ExerciseRow.self, id: said.row.exercise.id) else { return nil }
      return StoredShape(
        fields: fields(
          .id(stored.exercise.id), exercises.shape(of: stored, as: said), in: ("workout", .id(stored.workoutID)), at: stored.position))
    case .set(let said):
      guard let stored = try reader.find(SetRow.self, id: said.row.set.id) else { return nil }
      return StoredShape(
        fields: fields(.id(stored.set.id), sets.shape(of: stored, as: said), in: ("exercise", .id(stored.exerciseID)), at: stored.position))
    }
  }

  // MARK: Writing

  /// - Throws: `.constraint` when the id is that of something else in the log.
  func write(_ record: WorkoutRecord, in tx: Writer) throws {
    switch record {
    case .workout(let said): try write(said, in: tx)
    case .exercise(let said):
      var row = said.row
      if let stored = try tx.find(ExerciseRow.self, id: row.exercise.id) {
        guard stored.workoutID == row.workoutID else { throw StoreError(.constraint, "its id is that of another workout's exercise") }
        row = exercises.merged(said, into: stored)
      }
      row.position = try tx.freePosition(
        from: said.row.position, in: ExerciseRow.table, where: "workout_id = \(row.workoutID) AND id <> \(row.exercise.id)")
      try tx.upsert(row)
    case .set(let said):
      var row = said.row
      if let stored = try tx.find(SetRow.self, id: row.set.id) {
        guard stored.exerciseID == row.exerciseID else { throw StoreError(.constraint, "its id is that of another exercise's set") }
        row = sets.merged(said, into: stored)
      }
      row.position = try tx.freePosition(
        from: said.row.position, in: SetRow.table, where: "exercise_id = \(row.exerciseID) AND id <> \(row.set.id)")
      try tx.upsert(row)
    }
  }

  /// A workout in progress becomes the one in progress when there is none, and history without an end otherwise: the one that is there
  /// is never touched. What is stored already keeps its state, but for one that only an import brought in and nobody went on with: a
  /// source that has its end finishes it.
  private func write(_ said: SaidRow<WorkoutRow>, in tx: Writer) throws {
    var row = said.row
    if let stored = try tx.find(WorkoutRow.self, id: row.id) {
      guard row.isSameKind(as: stored) else {
        throw StoreError(.constraint, "its id is that of a \(stored.isTemplate ? "template" : "workout")")
      }
      row = workouts.merged(said, into: stored)
      let isUntouched = try ActiveRow.isUntouched(stored, in: tx)
      if row.state == .active, row.endedAt != nil {
        guard isUntouched else { throw StoreError(.constraint, "it is in progress here, and has an end there") }
        row.state = .finished
        try tx.execute("DELETE FROM active_workout WHERE slot = 1")
      } else if isUntouched {
        try tx.upsert(ActiveRow(imported: row))
      }
      return try tx.upsert(row)
    }
    guard row.state == .active else { return try tx.insert(row) }
    if try WorkoutLog.active(in: tx) != nil { row.state = .finished }
    try tx.insert(row)
    if row.state == .active { try tx.insert(ActiveRow(imported: row)) }
  }
}

extension ActiveRow {
  /// What was trained is known to the source alone: the time since then, and the night, is not counted.
  fileprivate init(imported row: WorkoutRow) {
    let trained = min(max(0, row.durationSeconds ?? 0), Self.longestSeconds)
    let lastActive = min(row.startedAt.addingTimeInterval(Double(trained)), Self.lastDate)
    self.init(row.id, TrainingTimer(lastActiveAt: lastActive, trainedMilliseconds: trained * 1000))
  }

  /// Whether a workout is the one in progress, came from a source and stands as that left it: every verb moves its clock.
  fileprivate static func isUntouched(_ row: WorkoutRow, in reader: Reader) throws -> Bool {
    guard row.state == .active, let active = try WorkoutLog.active(in: reader), active == ActiveRow(imported: row) else { return false }
    return try reader.wasImported(kind: WorkoutRow.table, key: IDCodec.lowercase(row.id))
  }

  /// A hundred years: what a clock can have counted.
  private static let longestSeconds: Int64 = 3_155_760_000
  private static let lastDate = DateCodec.date(milliseconds: DateCodec.range.upperBound) ?? .distantFuture
}

extension WorkoutRow {
  var isTemplate: Bool { state == .template }

  func isSameKind(as other: WorkoutRow) -> Bool { isTemplate == other.isTemplate }
}
