import Foundation
import Holdfast
import HoldfastTransfer

/// Imports a table of workouts from any program.
///
/// Such tables have no ids, so ids are derived. A workout's id is derived from the format, its start in the table's local time,
/// and its name; if the program numbers its workouts and several have the same start and name, also from its place among these,
/// except for the first. An exercise's id is derived from its workout, its name and its number among exercises of that name; a
/// set's id from its exercise and its place there. So the same table again, or a later and longer one, finds what is stored. A
/// set that was inserted between two exports moves only the later sets of its exercise. A workout that the log has from
/// elsewhere, with the same start and name, is skipped with its contents.
struct TrainingCSV: ImportFormat, Sendable {
  let version = 1
  let kinds = WorkoutRecord.kinds
  let laterIndexes = WorkoutRecord.laterIndexes
  let total: Int
  private let file: CSVTable
  private let dialect: any TrainingDialect
  private let shape: TrainingShape
  private let signs = SeenSigns()
  private let clock: WallClock
  /// Reads the table with another clock; nil where a person has named the time zone.
  private let again: (@Sendable (WallClock) throws -> any TrainingDialect)?
  /// What the report says of the time zone.
  private var remark: String?

  init(
    _ file: CSVTable, _ dialect: any TrainingDialect, _ clock: WallClock,
    again: (@Sendable (WallClock) throws -> any TrainingDialect)? = nil
  ) {
    (self.file, self.dialect, self.clock, self.again) = (file, dialect, clock, again)
    shape = TrainingShape(dialect: dialect, clock: clock)
    total = Int(clamping: file.source.bytes)
  }

  var timeZone: TimeZone? { clock.timeZone }

  /// Where nobody names a time zone, that of the import before counts: another one would move the whole history.
  ///
  /// - Throws: `.misuse` when that is not known here.
  func settled(in reader: Reader) throws -> TrainingCSV {
    guard let before = try reader.timeZone(ofImports: name), before != clock.timeZone.identifier else { return self }
    let mine = clock.timeZone.identifier
    var settled = self
    guard let again, !before.isEmpty else {
      let former = before.isEmpty ? "it is not known in which one the import before read them" : "the import before read them in \(before)"
      settled.remark = "the times were read in \(mine); \(former)"
      return settled
    }
    guard let former = TimeZone(identifier: before) else {
      throw StoreError(
        .misuse, "the import before read the times in \(before), which is no time zone here",
        suggestion: "Import it again and name the time zone.")
    }
    let formerClock = WallClock(timeZone: former, months: clock.months)
    settled = TrainingCSV(file, try again(formerClock), formerClock, again: again)
    settled.remark = "the times were read in \(before), as by the import before; this computer's time zone is \(mine)"
    return settled
  }

  var name: String { type(of: dialect).name }
  /// The same whatever the file's name: every export of a program is another edition of one log.
  var origin: String? { name }

  private enum Line: Sendable {
    case damaged(String, CSVPlace)
    case guessed(CSVPlace)
    case header
    case skipped(kind: String, reason: String, CSVPlace)
    case rows([TrainingRow], CSVPlace)
  }

  func scan(_ reader: Reader, _ visit: (Scanned<TrainingRecord>, Int) throws -> Void) throws {
    var groups = TrainingGroups(interleaves: dialect.interleaves)
    var told: Set<TrainingRow.Doubt> = []
    var left: Set<LeftOut> = []
    var edition = Edition(isFirst: try reader.count("SELECT count(*) FROM (SELECT 1 FROM exercise_sets LIMIT 1)") == 0)
    try ReadAhead.run(
      { put in try lines { try put(($0, $1)) } },
      use: { (line: Line, position: Int) in
        switch line {
        case .damaged(let reason, let place): try visit(damaged(reason, place), position)
        case .guessed(let place):
          try visit(.note("rows that are not UTF-8 were read as Windows-1252", path: place.path), position)
        case .header:
          if let done = groups.takeHeader() { try hand(done, reader, position, &edition, visit) }
        case .skipped(let kind, let reason, let place):
          try visit(.skipped(kind: kind, path: place.path, reason: reason), position)
        case .rows(let rows, let place):
          for row in rows {
            if let done = groups.take(row, at: place) { try hand(done, reader, position, &edition, visit) }
            for part in row.parts {
              switch part {
              case .damaged(let reason): try visit(damaged(reason, place), position)
              case .skipped(let kind, let reason): try visit(.skipped(kind: kind, path: place.path, reason: reason), position)
              case .set, .note, .empty: break
              }
            }
            for doubt in row.damaged where left.insert(LeftOut(head: row.head, number: row.number, doubt: doubt)).inserted {
              try visit(field(doubt, place), position)
            }
            for doubt in row.unknown where told.insert(doubt).inserted { try visit(field(doubt, place), position) }
          }
        }
      })
    if let remark { try visit(.note(remark, path: .text(file.source.url.lastPathComponent)), total) }
    if let done = groups.finish() { try hand(done, reader, total, &edition, visit) }
    try tellEarlier(than: edition, reader, visit)
  }

  /// Calls `body` with each line, and how far the file was read.
  private func lines(_ body: (Line, Int) throws -> Void) throws {
    var dialect = dialect
    var knowsSigns = false
    try file.lines { line, position in
      switch line {
      case .damaged(let reason, let place): try body(.damaged(reason, place), position)
      case .guessed(let place): try body(.guessed(place), position)
      case .header:
        _ = dialect.take(file.header)
        try body(.header, position)
      case .row(let cells, let place):
        switch dialect.take(cells) {
        case .row: break
        case .known: return
        case .skipped(let kind, let reason): return try body(.skipped(kind: kind, reason: reason, place), position)
        case .damaged(let reason): return try body(.damaged(reason, place), position)
        }
        // Most tables have no open number. For another one, the table is read once more.
        if !knowsSigns, cells.contains(where: CSVEvidence.isOpen) {
          dialect.table.signs = try signs.value { try seen(dialect.table.signs) }
          knowsSigns = true
        }
        let rows: [TrainingRow]
        do {
          rows = try dialect.rows(checked(cells, place, dialect))
        } catch let problem as RowProblem {
          try refuseHeader(cells, place)
          return try body(.damaged(problem.reason, place), position)
        } catch let missing as UnitMissing {
          throw WorkoutLog.unitQuestion(place, hasBothUnits: missing.hasBothUnits)
        }
        try body(.rows(rows, place), position)
      }
    }
  }

  /// A field that a workout is imported without.
  private struct LeftOut: Hashable {
    var head: TrainingRow.Head
    var number: String?
    var doubt: TrainingRow.Doubt
  }

  private func seen(_ signs: CSVSigns) throws -> CSVSigns {
    var signs = signs
    try file.lines { line, _ in
      if case .row(let cells, _) = line { for number in dialect.numbers(cells) { signs.see(number.text, of: number.quantity) } }
    }
    return signs
  }

  /// Refuses concatenated exports of other versions or units: the later rows would be read by the wrong columns.
  private func refuseHeader(_ cells: [String], _ place: CSVPlace) throws {
    guard WorkoutLog.isHeader(cells) else { return }
    throw StoreError(
      .invalidSource, "\(file.source.url.path) is several tables: line \(place.line) is a header, and another than the first",
      offset: place.offset, suggestion: "Import the files one by one. Nothing was changed.")
  }

  /// Spreadsheets write extra empty cells after the header's last, and leave out empty cells at the end. Both are allowed.
  private func checked(_ cells: [String], _ place: CSVPlace, _ dialect: any TrainingDialect) throws -> [String] {
    let width = dialect.width ?? file.header.count
    if cells.count < width, cells.count >= dialect.leastCells, !place.isCut {
      return cells + Array(repeating: "", count: width - cells.count)
    }
    if cells.count > width, let joined = dialect.joined(cells, place.original) { return joined }
    guard cells.count >= width, cells.dropFirst(width).allSatisfy(\.isEmpty) else {
      throw RowProblem(reason: "it has \(cells.count) cells, and the header has \(width)")
    }
    return cells
  }

  private func damaged(_ reason: String, _ place: CSVPlace) -> Scanned<TrainingRecord> {
    .damaged(kind: "exercise_sets", path: place.path, reason: reason, original: .bytes(place.original))
  }

  private func field(_ doubt: TrainingRow.Doubt, _ place: CSVPlace) -> Scanned<TrainingRecord> {
    .damagedField(kind: doubt.kind, field: doubt.field, path: place.path, reason: doubt.reason, original: .bytes(place.original))
  }

  // MARK: One workout

  private func hand(
    _ group: TrainingGroups.Workout, _ reader: Reader, _ position: Int, _ edition: inout Edition,
    _ visit: (Scanned<TrainingRecord>, Int) throws -> Void
  ) throws {
    var group = group
    let start = shape.clock.date(group.first.content.head.start)
    let endsEarly = group.first.content.end.map { shape.clock.end($0, of: start) < start } ?? false
    if endsEarly { group.first.content.end = nil }
    if let end = group.first.content.end, group.first.content.durationSeconds == nil, shape.carries.contains(.duration) {
      group.first.content.take(endsAt: end, on: shape.clock)
    }
    let row = group.first.content
    let id = id(row.head)
    let isElsewhere = try isElsewhere(id, row, edition, reader)
    func give(_ record: SourceRecord<TrainingRecord>) throws {
      guard isElsewhere else { return try visit(.record(record), position) }
      try visit(.skipped(kind: record.kind, path: record.path, reason: "this log has its workout from another source"), position)
    }
    if group.begins {
      try give(workout(group.first, id))
      if !isElsewhere { for remark in row.remarks { try visit(.note(remark, path: group.first.place.path), position) } }
      for other in row.others {
        try visit(.skipped(kind: other.kind, path: group.first.place.path, reason: other.reason), position)
      }
    }
    if !isElsewhere {
      edition.workouts.insert(id)
      if let start = DateCodec.milliseconds(start) { edition.starts.insert(start) }
      if endsEarly {
        try visit(field(.init(kind: "workouts", field: "end", reason: "it is before the start"), group.first.place), position)
      }
      for doubt in group.doubts { try visit(field(doubt.content, doubt.place), position) }
    }
    for (index, exercise) in group.exercises.enumerated() {
      let record = self.exercise(exercise, id, index: group.offset + index, &edition)
      guard case .exercise(let parent, _, _) = record.content else { continue }
      // A continued exercise was already visited, unless none of its sets could be read there: that stored no exercise.
      if !exercise.isDamaged, exercise.offset == 0 || !edition.exercises.contains(parent.id) {
        edition.exercises.insert(parent.id)
        try give(record)
      }
      let earlier = dialect.interleaves ? 0 : group.earlier[exercise.key] ?? 0
      for (index, set) in exercise.sets.enumerated() {
        let setID = NewID.derived(from: "\(IDCodec.lowercase(parent.id))/\(exercise.offset + index)")
        edition.sets.insert(setID)
        guard var set else { continue }
        set.content.set.id = setID
        if index < earlier, !isElsewhere { try visit(field(Self.again, set.place), position) }
        try give(self.set(set, parent.id, index: exercise.offset + index, isNew: edition.isFirst))
        if !isElsewhere { for remark in set.content.remarks { try visit(.note(remark, path: set.place.path), position) } }
      }
    }
  }

  private static let again = TrainingRow.Doubt(
    kind: "exercise_sets", field: "place", reason: "its workout appears earlier in the table with the same set; the two sets count as one")

  // MARK: Earlier editions

  /// The contents of this edition of the table.
  private struct Edition {
    /// Whether the log had no sets before this reading of the table.
    let isFirst: Bool
    var workouts: Set<UUID> = []
    /// Starts of workouts, in milliseconds since 1970.
    var starts: Set<Int64> = []
    var exercises: Set<UUID> = []
    var sets: Set<UUID> = []
    /// By the category and the name of an exercise.
    var bodyParts: [[String?]: BodyPart?] = [:]
  }

  /// Reports what was deleted or renamed in the program since an earlier import. It stays in the log, and counts beside its
  /// replacement: nothing is deleted because a file lacks it.
  private func tellEarlier(than edition: Edition, _ reader: Reader, _ visit: (Scanned<TrainingRecord>, Int) throws -> Void) throws {
    var sets: [UUID?] = []
    if !edition.isFirst {
      sets = try reader.values("SELECT s.id, e.workout_id FROM exercise_sets s JOIN exercises e ON e.id = s.exercise_id") { row in
        let (set, workout) = (try row.id(), try row.id())
        return edition.workouts.contains(workout) && !edition.sets.contains(set) ? set : nil
      }
    }
    for id in sets.compactMap({ $0 }) where try reader.wasImported(kind: "exercise_sets", key: IDCodec.lowercase(id)) {
      let reason = "an earlier edition had this set, and this one has not; it stays in the log"
      try visit(.skipped(kind: "earlier_sets", path: .text(file.source.url.path), reason: reason), total)
    }
    let workouts = try reader.values("SELECT id, started_at FROM workouts WHERE state = 'finished'") { row in
      let (id, start) = (try row.id(), DateCodec.milliseconds(try row.date()))
      return start.map(edition.starts.contains) == true && !edition.workouts.contains(id) ? id : nil
    }
    for id in workouts.compactMap({ $0 }) where try reader.wasImported(kind: "workouts", key: IDCodec.lowercase(id)) {
      let reason = "an earlier import had another workout of the same start; it stays in the log"
      try visit(.skipped(kind: "earlier_workouts", path: .text(file.source.url.path), reason: reason), total)
    }
  }

  /// The first workout with a start and name has the same id as in a table without numbers.
  private func id(_ head: TrainingRow.Head) -> UUID {
    let first = "workout/\(name)/\(WallTime.text(head.start))/\(head.name)"
    return NewID.derived(from: head.copy == 0 ? first : "\(head.copy)/\(first)")
  }

  /// Whether the log has this workout from another source. Compared to the minute: some programs store no seconds.
  private func isElsewhere(_ id: UUID, _ row: TrainingRow, _ edition: Edition, _ reader: Reader) throws -> Bool {
    guard let start = DateCodec.milliseconds(shape.clock.date(row.head.start)) else { return false }
    let minute = start - (start % 60_000 + 60_000) % 60_000
    let others = try reader.values(
      """
      SELECT id, started_at FROM workouts
      WHERE state = 'finished' AND started_at >= \(minute) AND started_at < \(minute + 60_000) AND name = \(row.head.name)
        AND id <> \(id)
      """
    ) { row in (id: try row.id(), start: try row.date()) }
    let foreign = others.filter { other in
      if edition.workouts.contains(other.id) { return false }
      // There are at most as many copies as other workouts with this start and name.
      return !(0...others.count).contains {
        self.id(.init(start: shape.clock.time(other.start), name: row.head.name, copy: $0)) == other.id
      }
    }
    // Only the first `foreign.count` copies can be workouts from elsewhere.
    guard foreign.count > row.head.copy else { return false }
    return try reader.find(WorkoutRow.self, id: id) == nil && !reader.wasImported(kind: "workouts", key: IDCodec.lowercase(id))
  }

  // A table says nothing about times of change, so no record follows its parent, and changes made in the log stay.
  private func workout(_ first: TrainingGroups.Placed<TrainingRow>, _ id: UUID) -> SourceRecord<TrainingRecord> {
    let row = first.content
    let workout = Workout(
      id: id, name: row.head.name, note: row.note, startedAt: shape.clock.date(row.head.start),
      endedAt: row.end.map { shape.clock.end($0, of: shape.clock.date(row.head.start)) },
      durationSeconds: row.durationSeconds)
    return SourceRecord(
      kind: "workouts", key: IDCodec.lowercase(id), path: first.place.path, fields: shape.fields(of: row), modifiedAt: 0,
      content: .workout(workout),
      original: .bytes(first.place.original))
  }

  private func exercise(
    _ group: TrainingGroups.Exercise, _ workoutID: UUID, index: Int, _ edition: inout Edition
  ) -> SourceRecord<TrainingRecord> {
    let row = group.first.content
    let id = NewID.derived(from: "\(IDCodec.lowercase(workoutID))/\(group.number)/\(row.exercise)")
    let words = [row.category, row.exercise]
    let bodyPart: BodyPart? = edition.bodyParts[words] ?? row.category.map(FitNotes.bodyPart) ?? BodyPart.guessed(from: row.exercise)
    edition.bodyParts.updateValue(bodyPart, forKey: words)
    let exercise = Exercise(
      id: id, name: row.exercise, bodyPart: bodyPart, superset: row.superset,
      weightUnit: group.sets.lazy.compactMap { $0?.content.set.weightUnit }.first, notes: group.notes)
    return SourceRecord(
      kind: "exercises", key: IDCodec.lowercase(id), parent: .init(kind: "workouts", key: IDCodec.lowercase(workoutID)),
      path: group.first.place.path,
      fields: shape.fields(
        of: exercise, in: workoutID, index: Int64(index), written: row, unit: group.sets.lazy.compactMap { $0?.content.unit }.first),
      modifiedAt: 0,
      content: .exercise(exercise, workoutID: workoutID, index: index), original: .bytes(group.first.place.original),
      note: row.category == nil && exercise.bodyPart != nil ? Self.guess : nil)
  }

  private static let guess = "the source gives no body part; the import guesses it from the name of a new exercise"

  private func set(
    _ placed: TrainingGroups.Placed<WrittenSet>, _ exerciseID: UUID, index: Int, isNew: Bool
  ) -> SourceRecord<TrainingRecord> {
    let set = placed.content.set
    return SourceRecord(
      kind: "exercise_sets", key: IDCodec.lowercase(set.id), parent: .init(kind: "exercises", key: IDCodec.lowercase(exerciseID)),
      path: placed.place.path, fields: shape.fields(of: set, in: exerciseID, index: Int64(index), written: placed.content), modifiedAt: 0,
      content: .set(set, exerciseID: exerciseID, index: index, isNew: isNew), original: .bytes(placed.place.original))
  }

  func write(_ record: SourceRecord<TrainingRecord>, in tx: Writer) throws {
    try record.content.write(carrying: shape.carries, in: tx)
  }

  func readBack(_ record: SourceRecord<TrainingRecord>, in reader: Reader) throws -> StoredShape? {
    try shape.readBack(record.content, in: reader).map { StoredShape(fields: $0, modifiedAt: 0) }
  }
}
