import Foundation
import Holdfast
import HoldfastTransfer

/// A stored row as a source has it, of any of the three kinds that every source of a training log is made of.
enum WorkoutRecord: Sendable {
  case workout(Said<WorkoutRow>)
  case exercise(Said<ExerciseRow>)
  case set(Said<SetRow>)

  /// A row, and which of its table's fields the source says: the others stay as they are stored.
  struct Said<Row: Sendable>: Sendable {
    var row: Row
    /// Bit n: the nth field.
    var carries: UInt64
  }

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
  ///   - id: as the source has it; nil: as it is stored. The same for `parent`.
  ///   - fields: what is said of it besides.
  func fields(
    of record: WorkoutRecord, id: JSONValue? = nil, in parent: JSONValue? = nil, saying fields: [SourceField]
  ) -> [SourceField] {
    switch record {
    case .workout(let said): [SourceField("id", id ?? .id(said.row.id))] + fields
    case .exercise(let said):
      [SourceField("id", id ?? .id(said.row.exercise.id)), SourceField("workout", parent ?? .id(said.row.workoutID))] + fields
        + [place(said.row.position)]
    case .set(let said):
      [SourceField("id", id ?? .id(said.row.set.id)), SourceField("exercise", parent ?? .id(said.row.exerciseID))] + fields
        + [place(said.row.position)]
    }
  }

  private func place(_ position: Int64) -> SourceField {
    SourceField("place", .integer(ListPlace.index(of: position)), isPlace: true)
  }

  /// The stored row of a record of this form. A template and a workout are no editions of each other.
  func readBack(_ record: SourceRecord<WorkoutRecord>, in reader: Reader) throws -> StoredShape? {
    switch record.content {
    case .workout(let said):
      guard let stored = try reader.find(WorkoutRow.self, id: said.row.id), said.row.isSameKind(as: stored) else { return nil }
      var shape = shape(of: .workout(.init(row: stored, carries: said.carries)), workouts, stored, said.carries)
      // Older than whatever a source says of its end.
      if try ActiveRow.isUntouched(stored, in: reader) { shape.modifiedAt = .min }
      return shape
    case .exercise(let said):
      guard let stored = try reader.find(ExerciseRow.self, id: said.row.exercise.id) else { return nil }
      return shape(of: .exercise(.init(row: stored, carries: said.carries)), exercises, stored, said.carries)
    case .set(let said):
      guard let stored = try reader.find(SetRow.self, id: said.row.set.id) else { return nil }
      return shape(of: .set(.init(row: stored, carries: said.carries)), sets, stored, said.carries)
    }
  }

  /// Null for what the source does not say: whatever the store has for it is no difference.
  private func shape<Row>(of record: WorkoutRecord, _ table: [WorkoutField<Row>], _ row: Row, _ carries: UInt64) -> StoredShape {
    let said = table.enumerated().map { number, field in
      SourceField(name(field), carries & 1 << UInt64(number) != 0 ? field.get(row, dates) : .null)
    }
    return StoredShape(fields: fields(of: record, saying: said))
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
        row = merged(exercises, said, into: stored)
        row.position = said.row.position
      }
      // In a workout that was changed since, another one may have this place by now.
      while try tx.count(
        "SELECT count(*) FROM exercises WHERE workout_id = \(row.workoutID) AND position = \(row.position) AND id <> \(row.exercise.id)")
        > 0
      {
        row.position &+= 1
      }
      try tx.upsert(row)
    case .set(let said):
      var row = said.row
      if let stored = try tx.find(SetRow.self, id: row.set.id) {
        guard stored.exerciseID == row.exerciseID else { throw StoreError(.constraint, "its id is that of another exercise's set") }
        row = merged(sets, said, into: stored)
        row.position = said.row.position
      }
      while try tx.count(
        "SELECT count(*) FROM exercise_sets WHERE exercise_id = \(row.exerciseID) AND position = \(row.position) AND id <> \(row.set.id)")
        > 0
      {
        row.position &+= 1
      }
      try tx.upsert(row)
    }
  }

  /// A workout in progress becomes the one in progress when there is none, and history without an end otherwise: the one that is there
  /// is never touched. What is stored already keeps its state, but for one that only an import brought in and nobody went on with: a
  /// source that has its end finishes it.
  private func write(_ said: WorkoutRecord.Said<WorkoutRow>, in tx: Writer) throws {
    var row = said.row
    if let stored = try tx.find(WorkoutRow.self, id: row.id) {
      guard row.isSameKind(as: stored) else {
        throw StoreError(.constraint, "its id is that of a \(stored.isTemplate ? "template" : "workout")")
      }
      row = merged(workouts, said, into: stored)
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

  private func merged<Row>(_ table: [WorkoutField<Row>], _ said: WorkoutRecord.Said<Row>, into stored: Row) -> Row {
    var row = stored
    for (number, field) in table.enumerated() where said.carries & 1 << UInt64(number) != 0 {
      _ = field.take(field.get(said.row, dates), &row, dates)
    }
    return row
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
