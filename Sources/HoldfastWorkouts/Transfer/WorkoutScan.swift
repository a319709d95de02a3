import Foundation
import Holdfast
import HoldfastTransfer

/// What the readings of the app's own JSON have in common: workouts with their exercises with their sets, each within the other.
struct WorkoutScan {
  typealias Visit = (Scanned<WorkoutRecord>, Int) throws -> Void

  /// The record that others stand in.
  struct Parent {
    /// Nil when it has none that can be read.
    var id: Written<UUID>?
    /// Why nothing in it can be imported; nil when it can.
    var problem: String?
    /// Its id stood earlier in the source.
    var isRepeated = false
  }

  /// A kind of record, by how deep it stands.
  enum Level: Int {
    case workout, exercise, set

    var kind: String { WorkoutRecord.kinds[rawValue].name }
    var noun: String { ["workout", "exercise", "set"][rawValue] }
    var above: Level? { Level(rawValue: rawValue - 1) }
  }

  let shape: WorkoutShape
  /// Whether the document is damaged somewhere, and read until there.
  private let isDamaged: Bool
  /// By level, the ids of the source so far that can be imported, and what they first stood in.
  private var seen: [[UUID: UUID]] = [[:], [:], [:]]

  init(shape: WorkoutShape, isDamaged: Bool = false) {
    self.shape = shape
    self.isDamaged = isDamaged
  }

  /// Calls `body` with each element of a document that is a list, or else with the document; null has none. Tells of damage, where the
  /// document is read until there: what stands from the record on that it is in is one damaged record.
  mutating func all(of document: JSONDocument, _ visit: Visit, _ body: (inout WorkoutScan, inout JSONScanner) throws -> Void) throws {
    var scanner = JSONScanner(document)
    var begun = 0
    do {
      switch try scanner.peek() {
      case .array:
        try each(scanner) { scan, element, _ in
          begun = element.offset
          try body(&scan, &element)
          begun = element.offset
        }
      case .null: break
      default: try body(&self, &scanner)
      }
    } catch let error as JSONScanError where isDamaged {
      let rest = SourceBytes.bytes(document.bytes(begun..<document.count))
      let kind = Level.workout.kind
      try visit(
        .damaged(kind: kind, path: .text(error.path), reason: StoreError.invalidJSON(error).message, original: rest), document.count)
    }
  }

  /// Reads the record at the scanner, of a damaged one what stands before the damage.
  func source(_ at: inout JSONScanner, _ what: String, list: String?) throws -> WorkoutSource {
    try WorkoutSource(&at, what, list: list, isDamaged: isDamaged)
  }

  /// `at` stands at a workout, and ends behind it.
  mutating func workout(_ at: inout JSONScanner, state: (WorkoutRow) -> WorkoutState, _ visit: Visit) throws {
    let start = at
    var source = try source(&at, "a workout", list: "exercises")
    let id = source.id("id")
    var row = WorkoutRow(Workout(id: id?.value ?? .zero, name: "", startedAt: Date(timeIntervalSince1970: 0)), .finished)
    source.read(shape.workouts, into: &row, shape)
    row.state = state(row)
    let parent = try take(
      .workout, &source, id, in: Parent(), .workout(.init(row: row, carries: source.carries)), at: start, visit)
    try each(source.list) { try $0.exercise(&$1, in: parent, at: $2, visit) }
    if let damage = source.damage { throw damage }
  }

  private mutating func exercise(_ at: inout JSONScanner, in workout: Parent, at place: Int, _ visit: Visit) throws {
    let start = at
    var source = try source(&at, "an exercise", list: "sets")
    let id = source.id("id")
    source.check(shape.isSnake ? "workout_id" : "workoutId", is: workout.id?.value, "workout")
    var row = ExerciseRow(Exercise(id: id?.value ?? .zero, name: ""), in: workout.id?.value ?? .zero, at: ListPlace.position(at: place))
    source.read(shape.exercises, into: &row, shape)
    let parent = try take(
      .exercise, &source, id, in: workout, .exercise(.init(row: row, carries: source.carries)), at: start, visit)
    try each(source.list) { try $0.set(&$1, in: parent, of: workout, at: $2, visit) }
    if let damage = source.damage { throw damage }
  }

  private mutating func set(_ at: inout JSONScanner, in exercise: Parent, of workout: Parent, at place: Int, _ visit: Visit) throws {
    let start = at
    var source = try source(&at, "a set", list: nil)
    let id = source.id("id")
    source.check(shape.isSnake ? "exercise_id" : "exerciseId", is: exercise.id?.value, "exercise")
    source.check(shape.isSnake ? "workout_id" : "workoutId", is: workout.id?.value, "workout")
    source.dropIndex("setIndex")
    var row = SetRow(ExerciseSet(id: id?.value ?? .zero), in: exercise.id?.value ?? .zero, at: ListPlace.position(at: place))
    source.read(shape.sets, into: &row, shape)
    _ = try take(.set, &source, id, in: exercise, .set(.init(row: row, carries: source.carries)), at: start, visit)
  }

  /// Tells of a record, and returns what stands in it needs to know.
  ///
  /// What stands in a record whose id stood earlier must stand in that one, too: nothing is put together from two.
  mutating func take(
    _ level: Level, _ source: inout WorkoutSource, _ id: Written<UUID>?, in parent: Parent, _ content: WorkoutRecord,
    at start: JSONScanner, _ visit: Visit
  ) throws -> Parent {
    source.tellUnknown()
    if let problem = parent.problem { source.fail(problem) }
    if parent.isRepeated, let id, seen[level.rawValue][id.value] != parent.id?.value {
      source.fail("the \(level.above?.noun ?? "") of this id that stands earlier does not have it")
    }
    guard let id, source.problem == nil else {
      let reason = source.problem ?? "it cannot be read"
      try visit(.damaged(kind: level.kind, path: .json(start.location), reason: reason, original: .value(start)), start.offset)
      return Parent(id: id, problem: "its \(level.noun) is quarantined")
    }
    for field in source.damaged {
      try visit(
        .damagedField(kind: level.kind, field: field.name, path: .json(start.location), reason: field.reason, original: field.original),
        start.offset)
    }
    let isRepeated = seen[level.rawValue][id.value] != nil
    if !isRepeated { seen[level.rawValue][id.value] = parent.id?.value ?? .zero }
    let above = level.above.flatMap { level in
      parent.id.map { SourceRecord<WorkoutRecord>.Parent(kind: level.kind, key: IDCodec.lowercase($0.value)) }
    }
    try visit(
      .record(
        SourceRecord(
          kind: level.kind, key: IDCodec.lowercase(id.value), parent: above, path: .json(start.location),
          fields: shape.fields(of: content, id: id.text, in: parent.id?.text, saying: source.fields),
          modifiedAt: content.modifiedAt, content: content,
          original: .value(start))), start.offset)
    return Parent(id: id, isRepeated: isRepeated)
  }

  /// Calls `body` with each element of a list and its place.
  mutating func each(_ list: JSONScanner?, _ body: (inout WorkoutScan, inout JSONScanner, Int) throws -> Void) throws {
    guard var list else { return }
    try list.array { place, element in try body(&self, &element, place) }
  }
}
