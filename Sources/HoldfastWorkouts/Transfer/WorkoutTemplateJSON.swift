import Foundation
import Holdfast
import HoldfastTransfer

/// A template of the first app: `{"title": …, "date": "2025-04-08T11:00:00", "exercises": [[…], …]}`, or a list of them.
///
/// The inner lists are supersets where they hold more than one exercise. A template has no id and its exercises have those of a catalogue,
/// which every template uses again and the report tells: here each gets an id that depends on the title, the date and where it stands, so
/// the same template stays the same at every import. Its values are what its sets suggest. The date is read on the clock of a zone, and
/// stands for nothing but when the template was made.
struct WorkoutTemplateJSON: ImportFormat {
  static let formatName = "workout-template-json"
  let name = formatName
  let version = 1
  let kinds = WorkoutRecord.kinds
  let total: Int
  private let document: JSONDocument
  private let shape: WorkoutShape
  private let isDamaged: Bool

  /// - Throws: `.invalidSource` with the byte offset.
  init(_ document: JSONDocument, _ hints: SourceHints) throws {
    var scanner = JSONScanner(document)
    do {
      try scanner.skip()
      try scanner.finish()
    } catch {
      throw StoreError.invalidJSON(error)
    }
    self.init(document, hints, isDamaged: false)
  }

  /// What can be read of a document that is damaged or cut off, as of a workout.
  init(damaged document: JSONDocument) { self.init(document, SourceHints(), isDamaged: true) }

  private init(_ document: JSONDocument, _ hints: SourceHints, isDamaged: Bool) {
    self.document = document
    self.isDamaged = isDamaged
    total = document.count
    shape = WorkoutShape(
      workouts: [.text("title", \.name).required, .date("date", \.startedAt).required],
      exercises: [
        .text("name", \.exercise.name).required, .textOrNil("unit", \.exercise.templateUnit), .superset("superset"),
        .int("default_rest_seconds", \.exercise.restSeconds), .int("default_warm_up_rest_seconds", \.exercise.warmUpRestSeconds),
      ],
      sets: [
        .double("weight", \.set.suggested.weight), .textOrNil("unit", \.set.templateUnit), .int("reps", \.set.suggested.reps),
        .double("rpe", \.set.suggested.rpe), .text("type", \.set.templateType, otherwise: "Working"),
        .int("rest_seconds", \.set.suggested.restSeconds),
      ], dates: .local(hints.timeZone ?? .current), isSnake: true)
  }

  func scan(_ reader: Reader, _ visit: (Scanned<WorkoutRecord>, Int) throws -> Void) throws {
    var scan = WorkoutScan(shape: shape, isDamaged: isDamaged)
    try scan.all(of: document, visit) { scan, element in try template(&element, &scan, visit) }
  }

  private func template(_ at: inout JSONScanner, _ scan: inout WorkoutScan, _ visit: WorkoutScan.Visit) throws {
    let start = at
    var source = try scan.source(&at, "a template", list: "exercises")
    var row = WorkoutRow(Workout(id: .zero, name: "", startedAt: Date(timeIntervalSince1970: 0)), .template)
    source.read(shape.workouts, into: &row, shape)
    let said = source.fields.map { $0.value.canonicalText() }.joined(separator: "/")
    row.id = NewID.derived(from: "workout-template/\(said)")
    let parent = try scan.take(
      .workout, &source, Written(derived: row.id), in: .init(), .workout(.init(row: row, carries: source.carries)), at: start, visit)
    var place = 0
    try scan.each(source.list) { scan, group, number in
      guard try group.peek() == .array else {
        return try visit(
          .damaged(
            kind: "exercises", path: .json(group.location), reason: "a group of exercises should be a list", original: .value(group)),
          group.offset)
      }
      var count = 0
      // Damage shows when its exercises are read.
      try? scan.each(group) { _, _, _ in count += 1 }
      try scan.each(group) { scan, element, _ in
        try exercise(&element, in: parent, at: place, superset: count > 1 ? number + 1 : nil, &scan, visit)
        place += 1
      }
    }
    if let damage = source.damage { throw damage }
  }

  private func exercise(
    _ at: inout JSONScanner, in template: WorkoutScan.Parent, at place: Int, superset: Int?, _ scan: inout WorkoutScan,
    _ visit: WorkoutScan.Visit
  ) throws {
    let start = at
    var source = try scan.source(&at, "an exercise", list: "sets")
    source.leave("id", "it is that of the app's catalogue of exercises, which this log does not have")
    if let superset { source.set("superset", .integer(Int64(superset))) }
    let templateID = template.id?.value ?? .zero
    let id = NewID.derived(from: "\(IDCodec.lowercase(templateID))/\(place)")
    var row = ExerciseRow(Exercise(id: id, name: ""), in: templateID, at: ListPlace.position(at: place))
    source.read(shape.exercises, into: &row, shape)
    let parent = try scan.take(
      .exercise, &source, Written(derived: id), in: template, .exercise(.init(row: row, carries: source.carries)), at: start, visit)
    try scan.each(source.list) { scan, element, number in
      let start = element
      var source = try scan.source(&element, "a set", list: nil)
      source.takeWarmUpRest()
      let setID = NewID.derived(from: "\(IDCodec.lowercase(id))/\(number)")
      var row = SetRow(ExerciseSet(id: setID), in: id, at: ListPlace.position(at: number))
      source.read(shape.sets, into: &row, shape)
      _ = try scan.take(
        .set, &source, Written(derived: setID), in: parent, .set(.init(row: row, carries: source.carries)), at: start, visit)
    }
    if let damage = source.damage { throw damage }
  }

  func write(_ record: SourceRecord<WorkoutRecord>, in tx: Writer) throws { try shape.write(record.content, in: tx) }

  func readBack(_ record: SourceRecord<WorkoutRecord>, in reader: Reader) throws -> StoredShape? {
    try shape.readBack(record, in: reader)
  }
}

extension WorkoutSource {
  /// The rest of a warm-up set is its rest, where it says no other.
  fileprivate mutating func takeWarmUpRest() {
    var set = ExerciseSet(id: .zero)
    if case .string(let type) = value("type") { set.templateType = type }
    guard set.type == .warmUp else { return leave("warm_up_rest_seconds", "the set is no warm-up") }
    guard value("rest_seconds") == .null else { return leave("warm_up_rest_seconds", "the set has another rest, too") }
    if value("warm_up_rest_seconds") != .null { move("warm_up_rest_seconds", to: "rest_seconds") }
  }
}

extension Written<UUID> {
  /// An id that the source does not have.
  fileprivate init(derived id: UUID) { self.init(value: id, text: .id(id)) }
}

// Names that only templates have; another one is kept word for word.

extension Exercise {
  fileprivate var templateUnit: String? {
    get { unitText }
    set { unitText = newValue == "lbs" ? "lb" : newValue }
  }
}

extension ExerciseSet {
  fileprivate var templateUnit: String? {
    get { unitText }
    set { unitText = newValue == "lbs" ? "lb" : newValue }
  }

  fileprivate var templateType: String {
    get {
      switch type {
      case .working: "Working"
      case .warmUp: "Warm-up"
      default: type.rawValue
      }
    }
    set {
      switch newValue {
      case "Working": type = .working
      case "Warm-up", "Warm Up": type = .warmUp
      default: type = SetType(rawValue: newValue)
      }
    }
  }
}
