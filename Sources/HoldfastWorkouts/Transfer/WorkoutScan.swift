import Foundation
import Holdfast
import HoldfastTransfer

/// The common part of readings of the app's own JSON: workouts contain exercises, and exercises contain sets.
struct WorkoutScan {
  typealias Visit = (Scanned<SaidContent>, Int) throws -> Void

  /// The record that contains others.
  struct Parent {
    /// Nil when it has no readable id.
    var id: Written<UUID>?
    /// Why its children cannot be imported; nil when they can.
    var problem: String?
    /// Whether its id stood earlier in the source.
    var isRepeated = false
  }

  /// What a record is, by its depth.
  enum Level: Int {
    case workout, exercise, set

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
      let kind = shape.workouts.name
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
    var said = members.read(shape.workouts.fields, into: .blank(id?.value ?? .zero))
    said.row.state = state(said.row)
    let parent = try take(.workout, &members, id, in: Parent(), shape.workouts, said, at: start, visit)
    try each(members.list("exercises")) { try $0.exercise(&$1, in: parent, at: $2, visit) }
    if let damage = members.damage { throw damage }
  }

  private mutating func exercise(_ at: inout JSONScanner, in workout: Parent, at place: Int, _ visit: Visit) throws {
    let start = at
    var members = try members(&at, "an exercise", list: "sets")
    let id = members.id("id")
    members.check("workoutId", is: workout.id?.value, "workout")
    let said = members.read(shape.exercises.fields, into: .blank(id?.value ?? .zero, in: workout.id?.value ?? .zero, at: place))
    let parent = try take(.exercise, &members, id, in: workout, shape.exercises, said, at: start, visit)
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
    let said = members.read(shape.sets.fields, into: .blank(id?.value ?? .zero, in: exercise.id?.value ?? .zero, at: place))
    _ = try take(.set, &members, id, in: exercise, shape.sets, said, at: start, visit)
  }

  /// Visits a record, and returns the parent for its children.
  ///
  /// A child of a repeated record must also be in the first one: no record is put together from two.
  mutating func take<Row>(
    _ level: Level, _ members: inout SourceMembers, _ id: Written<UUID>?, in parent: Parent, _ kind: RecordKind<Row>, _ said: SaidRow<Row>,
    at start: JSONScanner, _ visit: Visit
  ) throws -> Parent {
    if let problem = parent.problem { members.fail(problem) }
    if parent.isRepeated, let id, seen[level.rawValue][id.value] != parent.id?.value {
      members.fail("the first \(level.above?.noun ?? "") with this id does not contain this \(level.noun)")
    }
    let path = SourcePath.json(start.location)
    guard try members.finish(kind: kind.name, path: path, original: .value(start), at: start.offset, visit), let id else {
      return Parent(id: id, problem: "its \(level.noun) is quarantined")
    }
    let isRepeated = seen[level.rawValue][id.value] != nil
    if !isRepeated { seen[level.rawValue][id.value] = parent.id?.value ?? .zero }
    let ids = [id, parent.id].compactMap { $0?.text }
    try visit(.record(kind.record(said, ids: ids, path: path, original: .value(start))), start.offset)
    return Parent(id: id, isRepeated: isRepeated)
  }

  /// Calls `body` with each element of a list and its place.
  mutating func each(_ list: JSONScanner?, _ body: (inout WorkoutScan, inout JSONScanner, Int) throws -> Void) throws {
    guard var list else { return }
    try list.array { place, element in try body(&self, &element, place) }
  }
}

// MARK: Rows without a source's values

extension WorkoutRow {
  static func blank(_ id: UUID, _ state: WorkoutState = .finished) -> WorkoutRow {
    WorkoutRow(Workout(id: id, name: "", startedAt: Date(timeIntervalSince1970: 0)), state)
  }
}

extension ExerciseRow {
  static func blank(_ id: UUID, in workout: UUID, at place: Int) -> ExerciseRow {
    ExerciseRow(Exercise(id: id, name: ""), in: workout, at: ListPlace.position(at: place))
  }
}

extension SetRow {
  static func blank(_ id: UUID, in exercise: UUID, at place: Int) -> SetRow {
    SetRow(ExerciseSet(id: id), in: exercise, at: ListPlace.position(at: place))
  }
}

extension SourceMembers {
  /// The order of the list counts: the app computes the numbers from it. A value that is not a number is reported.
  mutating func dropIndex(_ name: String) {
    if value(name).wholeNumber == nil { leave(name, "it should be a whole number") } else { remove(name) }
  }
}
