import Foundation
import Holdfast
import HoldfastTransfer

/// A row from a source: one of the three kinds of record that every source of a training log has.
enum WorkoutRecord: Sendable {
  case workout(SaidRow<WorkoutRow>)
  case exercise(SaidRow<ExerciseRow>)
  case set(SaidRow<SetRow>)

  /// When the source says that the workout ended, in milliseconds since 1970: the source did not change it later. Compared only
  /// with a workout in progress in this log; other stored rows have no such time.
  var modifiedAt: Int64? {
    guard case .workout(let said) = self else { return nil }
    return said.row.endedAt.flatMap(DateCodec.milliseconds)
  }

  /// In the order in which rows must be written.
  static let kinds = WorkoutLog.tables.map { (name: $0, table: $0) }
}

/// One of the two apps' own files.
protocol WorkoutFormat: ImportFormat where Content == WorkoutRecord {
  var shape: WorkoutShape { get }
}

extension WorkoutFormat {
  var kinds: [(name: String, table: String)] { WorkoutRecord.kinds }

  func write(_ record: SourceRecord<WorkoutRecord>, in tx: Writer) throws { try shape.write(record.content, in: tx) }

  func readBack(_ record: SourceRecord<WorkoutRecord>, in reader: Reader) throws -> StoredShape? { try shape.readBack(record, in: reader) }
}

extension WorkoutShape {
  // MARK: Compared fields

  /// - Parameters:
  ///   - id: as the source spells it.
  ///   - parent: as the source spells it; nil for a workout.
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

  /// The stored row of a record. A template and a workout are never the same record.
  func readBack(_ record: SourceRecord<WorkoutRecord>, in reader: Reader) throws -> StoredShape? {
    switch record.content {
    case .workout(let said):
      guard let stored = try reader.find(WorkoutRow.self, id: said.row.id), said.row.isSameKind(as: stored) else { return nil }
      // It counts as older than any end in a source.
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

  /// - Throws: `.constraint` when the id belongs to another row of the log.
  func write(_ record: WorkoutRecord, in tx: Writer) throws {
    switch record {
    case .workout(let said): try write(said, in: tx)
    case .exercise(let said):
      var row = said.row
      if let stored = try tx.find(ExerciseRow.self, id: row.exercise.id) {
        guard stored.workoutID == row.workoutID else { throw StoreError(.constraint, "its id belongs to an exercise of another workout") }
        row = exercises.merged(said, into: stored)
      }
      row.position = try tx.freePosition(
        from: said.row.position, in: ExerciseRow.table, where: "workout_id = \(row.workoutID) AND id <> \(row.exercise.id)")
      try tx.upsert(row)
    case .set(let said):
      var row = said.row
      if let stored = try tx.find(SetRow.self, id: row.set.id) {
        guard stored.exerciseID == row.exerciseID else { throw StoreError(.constraint, "its id belongs to a set of another exercise") }
        row = sets.merged(said, into: stored)
      }
      row.position = try tx.freePosition(
        from: said.row.position, in: SetRow.table, where: "exercise_id = \(row.exerciseID) AND id <> \(row.set.id)")
      try tx.upsert(row)
    }
  }

  /// A workout in progress becomes the log's, if the log has none; otherwise it becomes history without an end. The log's one
  /// is never changed. A stored workout keeps its state, with one exception: a workout in progress that came from an import,
  /// and that no verb has changed, is finished by a source that has its end.
  private func write(_ said: SaidRow<WorkoutRow>, in tx: Writer) throws {
    var row = said.row
    if let stored = try tx.find(WorkoutRow.self, id: row.id) {
      guard row.isSameKind(as: stored) else {
        throw StoreError(.constraint, "its id belongs to a \(stored.isTemplate ? "template" : "workout")")
      }
      row = workouts.merged(said, into: stored)
      let isUntouched = try ActiveRow.isUntouched(stored, in: tx)
      if row.state == .active, row.endedAt != nil {
        guard isUntouched else { throw StoreError(.constraint, "it is in progress in this log, and has an end in the source") }
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
  /// Takes the trained time from the source. The time since then does not count.
  fileprivate init(imported row: WorkoutRow) {
    let trained = min(max(0, row.durationSeconds ?? 0), Self.longestSeconds)
    let lastActive = min(row.startedAt.addingTimeInterval(Double(trained)), Self.lastDate)
    self.init(row.id, TrainingTimer(lastActiveAt: lastActive, trainedMilliseconds: trained * 1000))
  }

  /// Whether the workout is in progress, came from a source and is unchanged since: every verb moves its clock.
  fileprivate static func isUntouched(_ row: WorkoutRow, in reader: Reader) throws -> Bool {
    guard row.state == .active, let active = try WorkoutLog.active(in: reader), active == ActiveRow(imported: row) else { return false }
    return try reader.wasImported(kind: WorkoutRow.table, key: IDCodec.lowercase(row.id))
  }

  /// A hundred years: no clock can have counted more.
  private static let longestSeconds: Int64 = 3_155_760_000
  private static let lastDate = DateCodec.date(milliseconds: DateCodec.range.upperBound) ?? .distantFuture
}

extension WorkoutRow {
  var isTemplate: Bool { state == .template }

  func isSameKind(as other: WorkoutRow) -> Bool { isTemplate == other.isTemplate }
}

extension UUID {
  /// Stands for an id while a record is read field by field, before its own id is known. No record has this id.
  static let zero = UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
}
