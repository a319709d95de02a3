import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

/// What the operations do to a log, all asked and answered in JSON.
@Suite("Verbs of a capability", .timeLimit(.minutes(10))) struct CapabilityVerbs {
  private let world: World
  private let known: Known
  private let capability: WorkoutCapability

  init() async throws {
    world = try World.inMemory()
    known = try await VerbCase.prepare(world)
    capability = WorkoutCapability(world.log)
  }

  private func ask(_ operation: WorkoutOperation) async throws -> WorkoutResponse {
    try WorkoutResponse(answer: await capability.handle(Core.request(operation)))
  }

  @Test("an edit is answered by what was changed: a finished workout, the one in progress, or a template")
  func edits() async throws {
    for workout in [
      known.newest, known.current, Workout(id: known.template.id, name: "", startedAt: Date(), exercises: known.template.exercises),
    ] {
      let (first, second) = (workout.exercises[0], workout.exercises[1])
      var (changed, set) = (first, first.sets[0])
      (changed.notes, set.note) = (["New"], "New")
      let added = Exercise(id: UUID(), name: "Curl", sets: [ExerciseSet(id: UUID())])
      for operation in [
        .renameWorkout(workout.id, to: "Name"), .writeNote("Note", of: workout.id), .addExercise(added, to: workout.id, before: second.id),
        .updateExercise(changed), .moveExercise(first.id, before: nil), .addSet(ExerciseSet(id: UUID()), to: first.id, before: set.id),
        .updateSet(CoreSet(set)), .moveSet(set.id, before: nil), .reopenSet(set.id), .clearSuperset(of: first.id),
        .makeSuperset([first.id, added.id]), .removeSet(first.sets[1].id), .removeExercise(second.id),
      ] as [WorkoutOperation] {
        let answer = try await ask(operation)
        #expect(try await answer == stored(workout.id), "\(operation)")
      }
      let after = try #require(
        try await world.store.read { try WorkoutLog.filled([WorkoutLog.workoutRow(workout.id, in: $0)], in: $0).first })
      #expect(after.name == "Name" && after.note == "Note" && after.exercises.map(\.name) == ["Curl", first.name])
      #expect(after.exercises.map(\.superset) == [1, 1] && after.exercises[1].notes == ["New"])
      #expect(after.exercises[1].sets.map(\.note) == [nil, "New"] && after.exercises[1].sets[1].isCompleted == false)
    }
    for operation in [.removeSet(Core.id), .removeExercise(Core.id), .renameWorkout(Core.id, to: ""), .reopenSet(Core.id)]
      as [WorkoutOperation]
    {
      #expect(try Core.error(await ask(operation).json).code == "not_found")
    }
    #expect(try Core.error(await ask(.makeSuperset([])).json).code == "invalid_value")
  }

  private func stored(_ id: UUID) async throws -> WorkoutResponse {
    if let template = try await world.log.template(id) { return .templateLoaded(template) }
    let current = try await world.log.currentWorkout()
    return current?.id == id ? .currentWorkoutLoaded(current) : .workoutLoaded(try await world.log.workout(id))
  }

  @Test("without the id of a workout an exercise is added to the one in progress")
  func addsToCurrent() async throws {
    guard case .currentWorkoutLoaded(let current?) = try await ask(.addExercise(Exercise(id: Core.id, name: "Curl"))) else {
      throw StoreError(.misuse, "not added")
    }
    #expect(current.id == known.current.id && current.workout.exercises.last?.id == Core.id)
    _ = try await ask(.discardWorkout)
    let error = try Core.error(await ask(.addExercise(Exercise(id: UUID(), name: "Curl"))).json)
    #expect(error.code == "not_found" && error.suggestion == "Start one first.")
  }

  @Test("a new set is logged, and the clock counts what was trained")
  func logsNewSet() async throws {
    _ = try await ask(.pauseWorkout)
    _ = try await ask(.resumeWorkout)
    let before = try #require(try await world.log.currentWorkout()).timer.trainedMilliseconds
    world.clock.advance(milliseconds: 60_000)
    _ = try await ask(.touchWorkout)
    let exercise = known.current.exercises[0]
    let actual = ExerciseSet.Actual(weight: 60, reps: 8, distance: 5)
    guard
      case .currentWorkoutLoaded(let current?) = try await ask(
        .logNewSet(in: exercise.id, actual, type: .dropSet, weightUnit: .kilograms, distanceUnit: .miles))
    else { throw StoreError(.misuse, "not logged") }
    let set = try #require(current.workout.exercises[0].sets.last)
    #expect(set.actual == actual && set.isCompleted && set.type == .dropSet && set.weightUnit == .kilograms && set.distanceUnit == .miles)
    #expect(current.workout.exercises[0].sets.count == exercise.sets.count + 1)
    #expect(current.timer.trainedMilliseconds == before + 60_000)
    guard case .workoutLoaded(let finished?) = try await ask(.finishWorkout(droppingEmptySets: true)) else {
      throw StoreError(.misuse, "not finished")
    }
    // One was logged before and one now; those that were only planned are gone.
    #expect(finished.exercises.map(\.sets.count) == [2, 0])
  }

  @Test("what the core does not know of a set stays when it logs or updates it without, or saves its template")
  func unsaid() async throws {
    var set = known.current.exercises[0].sets[1]
    (set.note, set.distanceUnit, set.actual.distance) = ("Slow", .miles, 3)
    try await world.log.updateSet(set)
    let id = IDCodec.lowercase(set.id)
    let actual = #"{"weight":50.5,"reps":3,"duration":null,"rpe":null,"actual_rest_time":null}"#
    let logged = await capability.handle(Core.request("logSet", #"{"set_id":"\#(id)","actual":\#(actual)}"#))
    #expect(String(decoding: logged, as: UTF8.self).contains("currentWorkoutLoaded"))
    let suggest = #"{"weight":null,"reps":null,"rep_range":null,"duration":null,"rpe":null,"rest_time":null}"#
    let sent = #"{"id":"\#(id)","type":"failure","weight_unit":"kg","suggest":\#(suggest),"actual":\#(actual),"is_completed":true}"#
    _ = await capability.handle(Core.request("updateSet", sent))
    let after = try #require(try await world.log.currentWorkout()).workout.exercises[0].sets[1]
    #expect(after.actual == .init(weight: 50.5, reps: 3, distance: 3) && after.type == .failure && after.suggested == .init())
    #expect(after.note == "Slow" && after.distanceUnit == .miles && after.completedAt == world.clock.now)

    var template = known.template
    template.exercises[0].sets[0].note = "Slow"
    try await world.log.save(template)
    var sparse = CoreTemplate(template)
    sparse.template.exercises[0].sets[0].note = nil
    sparse.unsaid[template.exercises[0].sets[0].id] = .note
    #expect(try await ask(.saveTemplate(sparse)) == .templateLoaded(template))
  }

  @Test("each list goes on after the key of its page, and a key of another list is refused")
  func pages() async throws {
    try await world.log.save(WorkoutTemplate(id: UUID(), name: "Another"))
    try await world.log.save(CustomExercise(id: UUID(), name: "Prowler"))
    let lists: [(PageKey?, Int) -> WorkoutOperation] = [
      { .loadAllWorkouts(after: $0, limit: $1) }, { .searchWorkouts("bench", after: $0, limit: $1) },
      { .loadTemplates(after: $0, limit: $1) }, { .loadCustomExercises(after: $0, limit: $1) },
      { .loadExerciseNames(matching: "w", after: $0, limit: $1) }, { .loadHistory(ofExercise: "bench press", after: $0, limit: $1) },
    ]
    var foreign: PageKey?
    for list in lists {
      let whole = try items(await ask(list(nil, 9)))
      let first = try items(await ask(list(nil, 1)))
      let next = try #require(first.next)
      let rest = try items(await ask(list(next, 9)))
      #expect(whole.count == 2 && first.count == 1 && rest.count == 1 && whole.next == nil && rest.next == nil)
      #expect(whole.texts == first.texts + rest.texts)
      if let foreign { #expect(try Core.error(await ask(list(foreign, 1)).json).code == "misuse") }
      foreign = first.next
    }
  }

  /// What a page has, as JSON.
  private func items(_ response: WorkoutResponse) throws -> (texts: [String], count: Int, next: PageKey?) {
    guard case .object(let variant) = try Core.tree(response.json), case .object(let page)? = variant.first?.value,
      case .array(let items)? = page["items"], let next = page["next"]
    else { throw StoreError(.misuse, "no page: \(response)") }
    let key = next == .null ? nil : try JSONDecoder().decode(PageKey.self, from: Data(next.canonicalText().utf8))
    return (items.map { $0.canonicalText() }, items.count, key)
  }

  @Test("templates and exercises of people's own are loaded, saved, renamed and deleted")
  func choices() async throws {
    let (template, custom, log) = (known.template, known.custom, world.log)
    #expect(try await ask(.loadTemplateById(template.id)) == .templateLoaded(template))
    #expect(try await ask(.loadTemplateById(Core.id)) == .templateLoaded(nil))
    guard case .templateLoaded(let made?) = try await ask(.makeTemplate(from: known.newest.id, named: "Made")) else {
      throw StoreError(.misuse, "not made")
    }
    #expect(try await log.template(made.id) == made)
    #expect(try await ask(.loadTemplates()) == .templatesLoaded([made, template]))
    #expect(try await ask(.deleteTemplate(made.id)) == .templateDeleted(made.id, existed: true))
    #expect(try await ask(.deleteTemplate(made.id)) == .templateDeleted(made.id, existed: false))

    var row = CustomExercise(id: Core.id, name: "Row", bodyPart: BodyPart(.back))
    #expect(try await ask(.saveCustomExercise(row)) == .customExerciseLoaded(row))
    row.name = "Barbell row"
    #expect(try await ask(.renameCustomExercise(row.id, to: row.name, inHistory: true)) == .customExerciseLoaded(row))
    #expect(try await ask(.loadCustomExerciseById(row.id)) == .customExerciseLoaded(row))
    #expect(try await log.workout(known.newest.id)?.exercises[1].name == "Barbell row")
    #expect(try await ask(.renameCustomExercise(UUID(), to: "x", inHistory: true)) == .customExerciseLoaded(nil))
    #expect(try await ask(.loadCustomExercises()) == .customExercisesLoaded([row, custom]))
    #expect(try await ask(.deleteCustomExercise(row.id)) == .customExerciseDeleted(row.id, existed: true))
    #expect(try Core.error(await ask(.saveCustomExercise(CustomExercise(id: UUID(), name: "SLED"))).json).code == "constraint")
  }

  @Test("statistics are those of the log")
  func statistics() async throws {
    let (log, date) = (world.log, known.newest.startedAt)
    let zone = try #require(TimeZone(identifier: "Europe/Berlin"))
    #expect(try await ask(.loadRecords()) == .recordsLoaded(log.records()))
    let records = try #require(try await log.records(of: "row", unit: .kilograms, formula: .brzycki))
    #expect(try await ask(.loadRecords(ofExercise: "row", unit: .kilograms, formula: .brzycki)) == .recordsLoaded([records]))
    #expect(try await ask(.loadRecords(ofExercise: "never")) == .recordsLoaded([]))
    let points = try await log.progress(of: "bench press", unit: .kilograms).items
    #expect(try await ask(.loadProgress(ofExercise: "bench press", unit: .kilograms)) == .progressLoaded(points))
    #expect(try await ask(.loadVolumeByWorkout(unit: .kilograms)) == .volumeByWorkoutLoaded(log.volumeByWorkout(unit: .kilograms)))
    let newest = try await log.volumeByWorkout(during: date..<date.addingTimeInterval(1))
    #expect(try await ask(.loadVolumeByWorkout(during: date..<Date.distantFuture)) == .volumeByWorkoutLoaded(newest))
    #expect(newest.count == 1)
    #expect(try await ask(.loadVolumeByExercise()) == .volumeByExerciseLoaded(log.volumeByExercise()))
    #expect(try await ask(.loadVolumeByBodyPart()) == .volumeByBodyPartLoaded(log.volumeByBodyPart()))
    #expect(try await ask(.loadVolumeByWeek(limit: 9, timeZone: zone)) == .volumeByWeekLoaded(log.volumeByWeek(limit: 9, timeZone: zone)))
    #expect(try await ask(.loadTotals(asOf: date, timeZone: zone)) == .totalsLoaded(log.totals(asOf: date, timeZone: zone)))
    #expect(try Core.error(await ask(.loadTotals(unit: .bodyweight)).json).code == "misuse")
  }

  @Test("statistics have the core's keys, ids and dates")
  func keys() throws {
    let date = Date(timeIntervalSince1970: 1_766_657_730.123)
    let point = ProgressPoint(workoutID: Core.id, startedAt: date, oneRepMax: 100.5, durationSeconds: 60)
    guard case .object(let variant) = try Core.tree(WorkoutResponse.progressLoaded([point]).json),
      case .object(let page)? = variant.values.first, case .array(let list)? = page["items"],
      case .object(let members)? = list.first
    else { throw StoreError(.misuse, "no points") }
    #expect(members.keys.sorted() == ["distance_meters", "duration_seconds", "one_rep_max", "started_at", "work", "workout_id"])
    #expect(members["started_at"] == .string("2025-12-25T10:15:30.123Z"))
    #expect(members["workout_id"] == .string(IDCodec.lowercase(Core.id)))
  }
}
