import Foundation
import Holdfast
import HoldfastTransfer

/// The common part of readings of the app's own JSON: workouts contain exercises, and exercises contain sets.
struct WorkoutScan {
  typealias Visit = (Scanned<WorkoutRecord>, Int) throws -> Void

  /// The record that contains others.
  struct Parent {
    /// Nil when it has no readable id.
    var id: Written<UUID>?
    /// Why its children cannot be imported; nil when they can.
    var problem: String?
    /// Whether its id stood earlier in the source.
    var isRepeated = false
  }

  /// The kind of a record, by its depth.
  enum Level: Int {
    case workout, exercise, set

    var kind: String { WorkoutRecord.kinds[rawValue].name }
    var noun: String { ["workout", "exercise", "set"][rawValue] }
    var above: Level? { Level(rawValue: rawValue - 1) }
  }

  let shape: WorkoutShape
  /// Whether the document is damaged, and read up to the damage.
  private let isDamaged: Bool
  /// By level, the ids read so far that can be imported, each with its first parent.
  private var seen: [[UUID: UUID]] = [[:], [:], [:]]

  init(shape: WorkoutShape, isDamaged: Bool = false) {
    self.shape = shape
    self.isDamaged = isDamaged
  }

  /// Calls `body` with each element of a list, or with a document that is not a list; null has no element. In a damaged
  /// document, everything from the damaged record on is one damaged record.
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

  /// Reads the record at the scanner; of a damaged record, the part before the damage.
  func members(_ at: inout JSONScanner, _ what: String, list: String?) throws -> SourceMembers {
    var members = try SourceMembers(&at, what, lists: list.map { [$0] } ?? [], isPlain: true, isDamaged: isDamaged)
    for object in ["suggest", "actual"] { members.open(object) }
    return members
  }

  /// `at` stands at a workout, and ends after it.
  mutating func workout(_ at: inout JSONScanner, state: (WorkoutRow) -> WorkoutState, _ visit: Visit) throws {
    let start = at
    var members = try members(&at, "a workout", list: "exercises")
    let id = members.id("id")
    let blank = WorkoutRow(Workout(id: id?.value ?? .zero, name: "", startedAt: Date(timeIntervalSince1970: 0)), .finished)
    var said = members.read(shape.workouts, into: blank)
    said.row.state = state(said.row)
    let parent = try take(.workout, &members, id, in: Parent(), .workout(said), at: start, visit)
    try each(members.list("exercises")) { try $0.exercise(&$1, in: parent, at: $2, visit) }
    if let damage = members.damage { throw damage }
  }

  private mutating func exercise(_ at: inout JSONScanner, in workout: Parent, at place: Int, _ visit: Visit) throws {
    let start = at
    var members = try members(&at, "an exercise", list: "sets")
    let id = members.id("id")
    members.check("workoutId", is: workout.id?.value, "workout")
    let content = shape.read(.exercise, &members, id?.value ?? .zero, in: workout.id?.value ?? .zero, at: place)
    let parent = try take(.exercise, &members, id, in: workout, content, at: start, visit)
    try each(members.list("sets")) { try $0.set(&$1, in: parent, of: workout, at: $2, visit) }
    if let damage = members.damage { throw damage }
  }

  private mutating func set(_ at: inout JSONScanner, in exercise: Parent, of workout: Parent, at place: Int, _ visit: Visit) throws {
    let start = at
    var members = try members(&at, "a set", list: nil)
    let id = members.id("id")
    members.check("exerciseId", is: exercise.id?.value, "exercise")
    members.check("workoutId", is: workout.id?.value, "workout")
    members.dropIndex("setIndex")
    let content = shape.read(.set, &members, id?.value ?? .zero, in: exercise.id?.value ?? .zero, at: place)
    _ = try take(.set, &members, id, in: exercise, content, at: start, visit)
  }

  /// Visits a record, and returns the parent for its children.
  ///
  /// A child of a repeated record must also be in the first one: no record is put together from two.
  mutating func take(
    _ level: Level, _ members: inout SourceMembers, _ id: Written<UUID>?, in parent: Parent, _ content: WorkoutRecord,
    at start: JSONScanner, _ visit: Visit
  ) throws -> Parent {
    if let problem = parent.problem { members.fail(problem) }
    if parent.isRepeated, let id, seen[level.rawValue][id.value] != parent.id?.value {
      members.fail("the first \(level.above?.noun ?? "") with this id does not contain this \(level.noun)")
    }
    let path = SourcePath.json(start.location)
    guard try members.finish(kind: level.kind, path: path, original: .value(start), at: start.offset, visit), let id else {
      return Parent(id: id, problem: "its \(level.noun) is quarantined")
    }
    let isRepeated = seen[level.rawValue][id.value] != nil
    if !isRepeated { seen[level.rawValue][id.value] = parent.id?.value ?? .zero }
    try visit(shape.scanned(level, content, id, in: parent.id, path: path, original: .value(start)), start.offset)
    return Parent(id: id, isRepeated: isRepeated)
  }

  /// Calls `body` with each element of a list and its place.
  mutating func each(_ list: JSONScanner?, _ body: (inout WorkoutScan, inout JSONScanner, Int) throws -> Void) throws {
    guard var list else { return }
    try list.array { place, element in try body(&self, &element, place) }
  }
}

extension WorkoutShape {
  /// Reads the fields of a record.
  func read(_ level: WorkoutScan.Level, _ members: inout SourceMembers, _ id: UUID, in parent: UUID, at place: Int) -> WorkoutRecord {
    let position = ListPlace.position(at: place)
    switch level {
    case .workout:
      let blank = WorkoutRow(Workout(id: id, name: "", startedAt: Date(timeIntervalSince1970: 0)), .finished)
      return .workout(members.read(workouts, into: blank))
    case .exercise: return .exercise(members.read(exercises, into: ExerciseRow(Exercise(id: id, name: ""), in: parent, at: position)))
    case .set: return .set(members.read(sets, into: SetRow(ExerciseSet(id: id), in: parent, at: position)))
    }
  }

  /// A record that will be written to the store.
  func scanned(
    _ level: WorkoutScan.Level, _ content: WorkoutRecord, _ id: Written<UUID>, in parent: Written<UUID>?, path: SourcePath,
    original: SourceBytes
  ) -> Scanned<WorkoutRecord> {
    let above = level.above.flatMap { level in parent.map { (level.kind, IDCodec.lowercase($0.value)) } }
    return .record(
      SourceRecord(
        kind: level.kind, key: IDCodec.lowercase(id.value), parent: above.map { .init(kind: $0, key: $1) }, path: path,
        fields: fields(of: content, id: id.text, in: parent?.text), modifiedAt: content.modifiedAt, content: content, original: original))
  }
}

extension SourceMembers {
  /// The order of the list counts: the app computes the numbers from it. A value that is not a number is reported.
  mutating func dropIndex(_ name: String) {
    if value(name).wholeNumber == nil { leave(name, "it should be a whole number") } else { remove(name) }
  }
}
