import Foundation
import Holdfast
import HoldfastTransfer

/// One form of the app's own files: its kinds of records, with the names of their fields and the form of their times.
struct WorkoutShape: Sendable {
  let workouts: RecordKind<WorkoutRow>
  let exercises: RecordKind<ExerciseRow>
  let sets: RecordKind<SetRow>

  /// The core's JSON.
  static let core = WorkoutShape(.iso8601, isSnake: true)
  /// The first app's `current-workout.json`.
  static let firstJSON = WorkoutShape(.since2001)
  /// The first app's `db.sqlite`.
  static let firstDatabase = WorkoutShape(.sqlText)
  /// `thiccc.sqlite`.
  static let database = WorkoutShape(.since1970)

  init(workouts: FieldTable<WorkoutRow>, exercises: FieldTable<ExerciseRow>, sets: FieldTable<SetRow>) {
    (self.workouts, self.exercises, self.sets) = (.workouts(workouts), .exercises(exercises), .sets(sets))
  }

  /// The fields of the app's model without ids and order, and the further fields of this log.
  ///
  /// - Parameter isSnake: whether names are spelled `start_timestamp` instead of `startTimestamp`.
  private init(_ dates: ValueForm<Date>, isSnake: Bool = false) {
    let workouts: FieldTable<WorkoutRow> = [
      .required("name", \.workout.name, .text),
      .optional("note", \.workout.note, .text),
      .optional("duration", \.workout.durationSeconds, .int),
      .required("startTimestamp", \.workout.startedAt, dates),
      .optional("endTimestamp", \.workout.endedAt, dates),
    ]
    let exercises: FieldTable<ExerciseRow> = [
      .required("name", \.exercise.name, .text),
      .init("supersetId", \.exercise.superset, .superset, .empties),
      .init("pinnedNotes", \.exercise.pinnedNotes, .texts.otherwise([]), .empties),
      .init("notes", \.exercise.notes, .texts.otherwise([]), .empties),
      .optional("duration", \.exercise.durationSeconds, .int),
      .init("type", \.exercise.type, .word.otherwise(.unknown), .empties),
      .optional("weightUnit", \.exercise.weightUnit, .word),
      .optional("defaultWarmUpTime", \.exercise.warmUpRestSeconds, .int),
      .optional("defaultRestTime", \.exercise.restSeconds, .int),
      .optional("bodyPart", \.exercise.bodyPart, .bodyPart),
    ]
    let sets: FieldTable<SetRow> = [
      .init("type", \.set.type, .word.otherwise(.working), .empties),
      .optional("weightUnit", \.set.weightUnit, .word),
      .optional("suggest.weight", \.set.suggested.weight, .double),
      .optional("suggest.reps", \.set.suggested.reps, .int),
      .optional("suggest.repRange", \.set.suggested.repRange, .int),
      .optional("suggest.duration", \.set.suggested.durationSeconds, .int),
      .optional("suggest.rpe", \.set.suggested.rpe, .double),
      .optional("suggest.restTime", \.set.suggested.restSeconds, .int),
      .optional("actual.weight", \.set.actual.weight, .double),
      .optional("actual.reps", \.set.actual.reps, .int),
      .optional("actual.duration", \.set.actual.durationSeconds, .int),
      .optional("actual.rpe", \.set.actual.rpe, .double),
      .optional("actual.actualRestTime", \.set.actual.restSeconds, .int),
      // The app does not know the next four fields: a source without one gives no value for it.
      .optional("actual.distance", \.set.actual.distance, .double, .keepsUnlessNull),
      .optional("distanceUnit", \.set.distanceUnit, .word, .keepsUnlessNull),
      .optional("completedAt", \.set.completedAt, dates, .keepsUnlessNull),
      .optional("note", \.set.note, .text, .keepsUnlessNull),
      .completed("isCompleted"),
    ]
    if isSnake {
      self.init(workouts: workouts.snakeCased, exercises: exercises.snakeCased, sets: sets.snakeCased)
    } else {
      self.init(workouts: workouts, exercises: exercises, sets: sets)
    }
  }
}

extension FieldTable {
  fileprivate var snakeCased: FieldTable {
    FieldTable(
      fields.map { field in
        field.named(field.name.reduce(into: "") { name, letter in name += letter.isUppercase ? "_" + letter.lowercased() : String(letter) })
      })
  }
}

extension ValueForm<Int?> {
  /// The number of a superset. 0 means none.
  static var superset: ValueForm { ValueForm<Int>.int.orNil(also: .integer(0)) }
}

extension ValueForm<BodyPart> {
  /// An object.
  fileprivate static var bodyPart: ValueForm {
    ValueForm("an object with a text \"main\" and lists of texts") { part in
      .object([
        "main": .string(part.main.rawValue), "detailed": part.detailed.map(ValueForm<[String]>.texts.text) ?? .null,
        "scientific": part.scientific.map(ValueForm<[String]>.texts.text) ?? .null,
      ])
    } read: { json in
      guard case .object(let members) = json, case .string(let main)? = members["main"],
        members.allSatisfy({ ["main", "detailed", "scientific"].contains($0.key) || $0.value == .null })
      else { return nil }
      var part = BodyPart(BodyPart.Main(rawValue: main))
      for (key, path) in [("detailed", \BodyPart.detailed), ("scientific", \BodyPart.scientific)] {
        guard let list = members[key], list != .null else { continue }
        guard let texts = list.texts else { return nil }
        part[keyPath: path] = texts
      }
      let text = JSONValue.object([
        "main": .string(main), "detailed": members["detailed"] ?? .null, "scientific": members["scientific"] ?? .null,
      ])
      return Written(value: part, text: text)
    }
  }
}

extension RecordField<SetRow> {
  /// The first app never stored it: if a source does not give it, a set with repetitions or a duration above 0 was done. So
  /// this field comes after the fields from which it is inferred.
  fileprivate static func completed(_ name: String) -> Self {
    Self(name, "true or false", .empties) { row in
      .bool(row.set.isCompleted)
    } take: { json, row in
      let isInferred = (row.set.actual.reps ?? 0) > 0 || (row.set.actual.durationSeconds ?? 0) > 0
      guard let isCompleted = json == .null ? isInferred : ValueForm<Bool>.bool.read(json)?.value else { return nil }
      row.set.isCompleted = isCompleted
      return .bool(isCompleted)
    }
  }
}
