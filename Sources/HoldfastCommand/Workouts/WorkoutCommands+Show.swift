import Foundation
import Holdfast
import HoldfastWorkouts

extension WorkoutCommands {
  func show(_ text: String, _ console: Console) throws -> Answer {
    try log.store.read { reader in
      let item = try WorkoutLookup(text: text, in: reader).item()
      var answer =
        switch item {
        case .workout(let id): try workout(id, reader, console)
        case .exercise(let name): try exercise(name, reader, console)
        case .template(let id): try template(id, reader, console)
        }
      answer.document["kind"] = .string(item.kind)
      return answer
    }
  }

  private func workout(_ id: UUID, _ reader: Reader, _ console: Console) throws -> Answer {
    guard let workout = try WorkoutLog.workout(id, in: reader) else {
      throw StoreError(.notFound, "there is no workout \(IDCodec.lowercase(id))")
    }
    let isInProgress = try WorkoutLog.currentWorkout(in: reader)?.id == id
    var facts = FactList()
    facts.add("workout", workout.name)
    facts.add("note", workout.note)
    facts.add("started", DisplayText.time(workout.startedAt))
    facts.add("ended", isInProgress ? "in progress" : DisplayText.time(workout.endedAt))
    facts.add("length", DisplayText.length(workout.durationSeconds.map(Double.init)))
    facts.add("id", IDCodec.lowercase(workout.id))
    return Answer(
      document: [
        "workout": .object([
          "id": .id(workout.id), "name": .string(workout.name), "note": .text(workout.note), "started_at": .time(workout.startedAt),
          "ended_at": .time(workout.endedAt), "duration_seconds": ShownLine.number(workout.durationSeconds),
          "is_in_progress": .bool(isInProgress), "exercises": .array(workout.exercises.map(Self.json)),
        ])
      ], text: facts.text + Self.table(workout.exercises, console))
  }

  private func template(_ id: UUID, _ reader: Reader, _ console: Console) throws -> Answer {
    guard let template = try WorkoutLog.template(id, in: reader) else {
      throw StoreError(.notFound, "there is no template \(IDCodec.lowercase(id))")
    }
    var facts = FactList()
    facts.add("template", template.name)
    facts.add("note", template.note)
    facts.add("id", IDCodec.lowercase(template.id))
    return Answer(
      document: [
        "template": .object([
          "id": .id(template.id), "name": .string(template.name), "note": .text(template.note),
          "exercises": .array(template.exercises.map(Self.json)),
        ])
      ], text: facts.text + Self.table(template.exercises, console))
  }

  private func exercise(_ name: String, _ reader: Reader, _ console: Console) throws -> Answer {
    let history = try gather { try WorkoutLog.history(of: name, after: $0, limit: $1, in: reader) }
    let unit = try Self.unit(in: reader)
    let records = try WorkoutLog.records(of: name, unit: unit, in: reader)
    var facts = FactList()
    facts.add("exercise", history.first?.exercise.name ?? name)
    facts.add("heaviest", records?.heaviest.map { Self.words($0, unit) })
    facts.add(
      "one-rep max", records?.oneRepMax.map { "\(SetWords.number($0.value.roundedToTenths)) \(unit.rawValue), estimated by Epley" })
    facts.add("id", IDCodec.lowercase(WorkoutItem.exercise(name).id))
    var table = TextTable([.text("DATE"), .flexible("WORKOUT"), .flexible("SETS"), .text("ID")])
    for performed in history {
      let exercise = performed.exercise
      let sets = exercise.sets.map { SetWords($0, of: exercise).done($0) }.filter { !$0.isEmpty }
      table.add([
        DisplayText.time(performed.startedAt), performed.workoutName, sets.joined(separator: ", "), IDCodec.lowercase(performed.workoutID),
      ])
    }
    let entries = history.map { performed in
      JSONValue.object([
        "workout_id": .id(performed.workoutID), "workout_name": .string(performed.workoutName), "started_at": .time(performed.startedAt),
        "exercise": Self.json(performed.exercise),
      ])
    }
    return Answer(
      document: [
        "exercise": .object([
          "id": .id(WorkoutItem.exercise(name).id), "name": .string(history.first?.exercise.name ?? name), "history": .array(entries),
          "records": records.map { Self.json($0) } ?? .null,
        ])
      ], text: facts.text + (history.isEmpty ? "" : "\n" + table.text(width: console.outputWidth)))
  }

  /// A line for each set; an exercise is named on its first.
  private static func table(_ exercises: [Exercise], _ console: Console) -> String {
    guard !exercises.isEmpty else { return "" }
    var table = TextTable([
      .number("SUPERSET"), .flexible("EXERCISE"), .number("SET"), .text("TYPE"), .text("PLAN"), .text("DONE"), .text("REST"),
      .flexible("NOTE"),
    ])
    for exercise in exercises {
      let notes = (exercise.pinnedNotes + exercise.notes).joined(separator: "; ")
      let superset = exercise.superset.map(String.init) ?? ""
      if exercise.sets.isEmpty { table.add([superset, exercise.name, "", "", "", "", "", notes]) }
      for (index, set) in exercise.sets.enumerated() {
        let words = SetWords(set, of: exercise)
        let planned = set.suggested.restSeconds ?? (set.type == .warmUp ? exercise.warmUpRestSeconds : nil) ?? exercise.restSeconds
        table.add([
          index == 0 ? superset : "", index == 0 ? exercise.name : "", String(index + 1), set.type == .working ? "" : set.type.rawValue,
          words.planned(set), words.done(set), DisplayText.length((set.actual.restSeconds ?? planned).map(Double.init)),
          [index == 0 ? notes : "", set.note ?? ""].filter { !$0.isEmpty }.joined(separator: "; "),
        ])
      }
    }
    return "\n" + table.text(width: console.outputWidth)
  }
}

extension Double {
  var roundedToTenths: Double { (self * 10).rounded() / 10 }
}
