import Foundation
import Holdfast
import HoldfastTransfer

/// A template of the first app: `{"title": …, "date": "2025-04-08T11:00:00", "exercises": [[…], …]}`, or a list of them.
///
/// An inner list with more than one exercise is a superset. A template has no id. The ids of its exercises are those of a
/// catalogue, which every template repeats, so they are reported and not imported. Instead, each record gets an id derived from
/// the title, the date and its place, so that the same template has the same ids at every import. Its values are the
/// suggestions of its sets. The date is a local time in a zone, and only says when the template was made.
struct WorkoutTemplateJSON: ImportFormat {
  static let formatName = "workout-template-json"
  let name = formatName
  let version = 1
  let kinds = WorkoutRecord.kinds
  private let shape: WorkoutShape
  var total: Int { document.count }
  private let document: JSONDocument
  private let isDamaged: Bool

  /// - Throws: `.invalidSource` with the byte offset.
  init(_ document: JSONDocument, _ hints: SourceHints) throws {
    _ = try document.whole { try $0.skip() }
    self.init(document, hints, isDamaged: false)
  }

  /// The readable part of a document that is damaged or cut off, as for a workout.
  init(damaged document: JSONDocument) { self.init(document, SourceHints(), isDamaged: true) }

  private init(_ document: JSONDocument, _ hints: SourceHints, isDamaged: Bool) {
    (self.document, self.isDamaged) = (document, isDamaged)
    shape = WorkoutShape(
      workouts: [.required("title", \.workout.name, .text), .required("date", \.workout.startedAt, .local(hints.timeZone ?? .current))],
      exercises: [
        .required("name", \.exercise.name, .text),
        .optional("unit", \.exercise.weightUnit, .templateUnit),
        .init("superset", \.exercise.superset, .superset, .empties),
        .optional("default_rest_seconds", \.exercise.restSeconds, .int),
        .optional("default_warm_up_rest_seconds", \.exercise.warmUpRestSeconds, .int),
      ],
      sets: [
        .optional("weight", \.set.suggested.weight, .double),
        .optional("unit", \.set.weightUnit, .templateUnit),
        .optional("reps", \.set.suggested.reps, .int),
        .optional("rpe", \.set.suggested.rpe, .double),
        .init("type", \.set.type, .templateType.otherwise(.working), .empties),
        .optional("rest_seconds", \.set.suggested.restSeconds, .int),
      ])
  }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = WorkoutScan(shape: shape, isDamaged: isDamaged)
    try scan.all(of: document, visit) { scan, element in try template(&element, &scan, visit) }
  }

  private func template(_ at: inout JSONScanner, _ scan: inout WorkoutScan, _ visit: WorkoutScan.Visit) throws {
    let start = at
    var members = try scan.members(&at, "a template", list: "exercises")
    var said = members.read(shape.workouts.fields, into: .blank(.zero, .template))
    let texts = said.fields.map { $0.value.canonicalText() }.joined(separator: "/")
    let id = NewID.derived(from: "workout-template/\(texts)")
    said.row.workout.id = id
    let parent = try scan.take(.workout, &members, Written(derived: id), in: .init(), shape.workouts, said, at: start, visit)
    var place = 0
    try scan.each(members.list("exercises")) { scan, group, number in
      guard try group.peek() == .array else {
        return try visit(
          .damaged(
            kind: "exercises", path: .json(group.location), reason: "a group of exercises should be a list", original: .value(group)),
          group.offset)
      }
      var count = 0
      // Damage is reported when the exercises are read.
      try? scan.each(group) { _, _, _ in count += 1 }
      try scan.each(group) { scan, element, _ in
        try exercise(&element, in: parent, at: place, superset: count > 1 ? number + 1 : nil, &scan, visit)
        place += 1
      }
    }
    if let damage = members.damage { throw damage }
  }

  private func exercise(
    _ at: inout JSONScanner, in template: WorkoutScan.Parent, at place: Int, superset: Int?, _ scan: inout WorkoutScan,
    _ visit: WorkoutScan.Visit
  ) throws {
    let start = at
    var members = try scan.members(&at, "an exercise", list: "sets")
    members.leave("id", "the id belongs to the app's catalogue of exercises, which this log does not have")
    if let superset { members.set("superset", .integer(Int64(superset))) }
    let templateID = template.id?.value ?? .zero
    let id = NewID.derived(from: "\(IDCodec.lowercase(templateID))/\(place)")
    let said = members.read(shape.exercises.fields, into: .blank(id, in: templateID, at: place))
    let parent = try scan.take(.exercise, &members, Written(derived: id), in: template, shape.exercises, said, at: start, visit)
    try scan.each(members.list("sets")) { scan, element, number in
      let start = element
      var members = try scan.members(&element, "a set", list: nil)
      members.takeWarmUpRest()
      let setID = NewID.derived(from: "\(IDCodec.lowercase(id))/\(number)")
      let said = members.read(shape.sets.fields, into: .blank(setID, in: id, at: number))
      _ = try scan.take(.set, &members, Written(derived: setID), in: parent, shape.sets, said, at: start, visit)
    }
    if let damage = members.damage { throw damage }
  }
}

extension SourceMembers {
  /// The warm-up rest of a warm-up set is its rest, unless it has another one.
  fileprivate mutating func takeWarmUpRest() {
    guard ValueForm<SetType>.templateType.read(value("type"))?.value == .warmUp else {
      return leave("warm_up_rest_seconds", "the set is no warm-up")
    }
    guard value("rest_seconds") == .null else { return leave("warm_up_rest_seconds", "the set has another rest, too") }
    if value("warm_up_rest_seconds") != .null { move("warm_up_rest_seconds", to: "rest_seconds") }
  }
}

extension Written<UUID> {
  /// An id that is not in the source.
  fileprivate init(derived id: UUID) { self.init(value: id, text: .id(id)) }
}

// Words that only templates use; any other word is kept word for word.

extension ValueForm<WeightUnit> {
  fileprivate static var templateUnit: ValueForm {
    ValueForm<String>.text([("lbs", WeightUnit.pounds.rawValue)]).map(WeightUnit.init(rawValue:)) { $0.rawValue }
  }
}

extension ValueForm<SetType> {
  fileprivate static var templateType: ValueForm {
    let words = [("Working", SetType.working), ("Warm-up", .warmUp), ("Warm Up", .warmUp)].map { (theirs: $0, ours: $1.rawValue) }
    return ValueForm<String>.text(words).map(SetType.init(rawValue:)) { $0.rawValue }
  }
}

extension ValueForm<Date> {
  /// `2025-04-08T11:00:00`, as a local time in a zone. A time skipped in spring becomes the time after it, and is compared as that.
  fileprivate static func local(_ zone: TimeZone) -> ValueForm {
    let clock = WallClock(timeZone: zone)
    @Sendable func text(_ date: Date) -> JSONValue { .string(String(DateCodec.iso8601(clock.time(date), fraction: false).dropLast())) }
    return ValueForm("a date", write: text) { json in
      guard case .string(let letters) = json, letters.utf8.count == 19, let wall = DateCodec.parseISO8601(letters + "Z") else { return nil }
      let date = clock.date(wall)
      guard DateCodec.milliseconds(date) != nil else { return nil }
      return Written(value: date, text: clock.time(date) == wall ? json : text(date))
    }
  }
}
