import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastWorkouts

@Suite("Operations of a capability", .timeLimit(.minutes(10))) struct CapabilityOperations {
  /// What a verb is called as an operation, where that has another name, or more than one.
  private static let others: [String: Set<String>] = [
    "save": ["saveWorkout", "saveTemplate", "saveCustomExercise"], "workouts": ["loadAllWorkouts"], "workout": ["loadWorkoutById"],
    "search": ["searchWorkouts"], "currentWorkout": ["loadCurrentWorkout"],
    "startWorkout": ["startWorkout", "startFromTemplate", "repeatWorkout"], "logSet": ["logSet", "logNewSet"],
    "templates": ["loadTemplates"],
    "template": ["loadTemplateById"], "saveTemplate": ["makeTemplate"], "customExercises": ["loadCustomExercises"],
    "customExercise": ["loadCustomExerciseById"], "exerciseNames": ["loadExerciseNames"], "history": ["loadHistory"],
    "records": ["loadRecords"], "progress": ["loadProgress"], "volumeByWorkout": ["loadVolumeByWorkout"],
    "volumeByExercise": ["loadVolumeByExercise"], "volumeByBodyPart": ["loadVolumeByBodyPart"], "volumeByWeek": ["loadVolumeByWeek"],
    "totals": ["loadTotals"],
  ]
  /// A core does not fill a log for development. Files and live updates are the shell's.
  private static let exceptions: Set = ["addSampleWorkouts"]

  @Test("every verb of the log is an operation, and every operation is a verb")
  func completeness() throws {
    let verbs = try Core.verbs().filter { !$0.hasSuffix("Updates") }
    let operations = try Core.names(of: "WorkoutOperation")
    #expect(verbs.isSuperset(of: Self.exceptions) && verbs.isSuperset(of: Self.others.keys))
    let offered = verbs.subtracting(Self.exceptions).reduce(into: Set<String>()) { $0.formUnion(Self.others[$1] ?? [$1]) }
    #expect(offered == operations)
  }

  @Test("the page has every operation and every response, and no others")
  func page() throws {
    let rows = try Core.page().matches(of: #/\n\| `(\w+)` \|/#).map { String($0.1) }
    #expect(Set(rows) == (try Core.names(of: "WorkoutOperation")).union(try Core.names(of: "WorkoutResponse")))
    #expect(Set(rows).count == rows.count)
  }

  @Test("operations are read from JSON and by any decoder as they went", arguments: 0..<3)
  func operations(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let operations = Self.samples(&random)
    #expect(Set(try operations.map { try Core.name($0) }) == (try Core.names(of: "WorkoutOperation")))
    for operation in operations {
      #expect(try WorkoutOperation(json: Core.request(operation)) == operation)
      #expect(try JSONDecoder().decode(WorkoutOperation.self, from: Core.request(operation)) == operation)
    }
  }

  @Test("responses come back from JSON and from any coder as they went", arguments: 0..<3)
  func responses(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let responses = Self.answers(&random)
    #expect(Set(try responses.map { try Core.name($0) }) == (try Core.names(of: "WorkoutResponse")))
    for response in responses {
      #expect(try WorkoutResponse(answer: response.json) == response)
      #expect(try WorkoutResponse(answer: JSONEncoder().encode(response)) == response)
    }
  }

  @Test("whatever need not be said may be absent, as serde leaves it out")
  func absent() throws {
    func read(_ json: String) throws -> WorkoutOperation { try WorkoutOperation(json: Data(json.utf8)) }
    #expect(try read(#""loadAllWorkouts""#) == .loadAllWorkouts())
    #expect(try read(#"{"loadTemplates":{"limit":2}}"#) == .loadTemplates(limit: 2))
    #expect(try read(#""loadCustomExercises""#) == .loadCustomExercises())
    #expect(try read(#"{"searchWorkouts":{"text":"x","after":null}}"#) == .searchWorkouts("x"))
    #expect(try read(#""loadExerciseNames""#) == .loadExerciseNames())
    #expect(try read(#"{"loadHistory":{"exercise":"x"}}"#) == .loadHistory(ofExercise: "x"))
    #expect(try read(#"{"startWorkout":{"name":"x"}}"#) == .startWorkout(named: "x"))
    #expect(try read(#""finishWorkout""#) == .finishWorkout())
    #expect(try read(#""loadRecords""#) == .loadRecords())
    #expect(try read(#"{"loadProgress":{"exercise":"x"}}"#) == .loadProgress(ofExercise: "x"))
    #expect(try read(#""loadVolumeByWorkout""#) == .loadVolumeByWorkout())
    #expect(try read(#"{"loadVolumeByWeek":{"limit":1}}"#) == .loadVolumeByWeek(limit: 1))
    #expect(try read(#""loadTotals""#) == .loadTotals())
  }

  @Test("what JSON has no word for is refused, and is not null", arguments: [Double.infinity, -.infinity, .nan])
  func noWord(number: Double) async throws {
    #expect(throws: StoreError.self) { try Core.request(.logSet(Core.id, CoreActual(.init(weight: number)))) }
    let points = [ProgressPoint(workoutID: Core.id, startedAt: Date(timeIntervalSince1970: 0), topWeight: number)]
    #expect(throws: StoreError.self) { try JSONEncoder().encode(WorkoutResponse.progressLoaded(points)) }
    let workout = Workout(id: Core.id, name: "Run", startedAt: Date(timeIntervalSince1970: number))
    #expect(try Core.error(WorkoutResponse.workoutLoaded(workout).json).code == "invalid_value")
    #expect(throws: StoreError.self) { try JSONText.bytes(of: CoreWorkout(workout)) }
    let world = try World.inMemory()
    let current = try await world.log.startWorkout(named: "Run")
    let exercise = Exercise(id: Core.id, name: "Row", sets: [])
    try await world.log.addExercise(exercise, to: current.id)
    let answer = await WorkoutCapability(world.log).handle(.logNewSet(in: Core.id, .init(weight: number)))
    #expect(try Core.error(answer.json).code == "invalid_value")
  }

  /// One or more of each.
  private static func samples(_ random: inout SeededGenerator) -> [WorkoutOperation] {
    let (id, other, date) = (random.id(), random.id(), random.date())
    let key = PageKey(.integer(7), .text("a \"b\""), .real(0.1))
    let (exercise, set) = (Sample.fullExercise(&random), Sample.fullSet(&random))
    let template = WorkoutTemplate(id: id, name: "Plan", note: "a\nb", exercises: [exercise])
    let custom = CustomExercise(
      id: id, name: "Sled", type: .machine, bodyPart: BodyPart(.legs, detailed: ["Quads"]), weightUnit: .kilograms, imageName: "sled",
      foreignKey: "7")
    let berlin = TimeZone(identifier: "Europe/Berlin")
    return [
      .saveWorkout(CoreWorkout(Sample.full(&random))), .loadAllWorkouts(), .loadAllWorkouts(after: key, limit: 3), .loadWorkoutById(id),
      .deleteWorkout(id), .searchWorkouts("é", after: key, limit: 3), .loadCurrentWorkout,
      .startWorkout(named: "Push \"1\"", idleLimitSeconds: 60), .startFromTemplate(id), .repeatWorkout(id), .logSet(id, nil),
      .logSet(id, CoreActual(set.actual)), .logNewSet(in: id, set.actual, type: .dropSet, weightUnit: .pounds, distanceUnit: .miles),
      .touchWorkout, .pauseWorkout, .resumeWorkout, .finishWorkout(droppingEmptySets: true), .discardWorkout,
      .renameWorkout(id, to: "三体"), .writeNote(nil, of: id), .writeNote("Note", of: id), .addExercise(exercise),
      .addExercise(exercise, to: id, before: other), .updateExercise(exercise), .removeExercise(id), .moveExercise(id, before: other),
      .moveExercise(id, before: nil), .addSet(set, to: id, before: other), .updateSet(CoreSet(set)), .removeSet(id),
      .moveSet(id, before: nil), .reopenSet(id), .makeSuperset([id, other]), .clearSuperset(of: id), .loadTemplates(after: key),
      .loadTemplateById(id), .saveTemplate(CoreTemplate(template)), .makeTemplate(from: id, named: "三体"), .deleteTemplate(id),
      .loadCustomExercises(limit: 1), .loadCustomExerciseById(id), .saveCustomExercise(custom),
      .renameCustomExercise(id, to: "Prowler", inHistory: true), .deleteCustomExercise(id),
      .loadExerciseNames(matching: "s", after: key, limit: 1), .loadHistory(ofExercise: "", after: key, limit: 1), .loadRecords(),
      .loadRecords(ofExercise: "Row", unit: .kilograms, formula: .brzycki),
      .loadProgress(ofExercise: "Row", after: key, limit: 2, unit: .kilograms, formula: .brzycki), .loadVolumeByWorkout(),
      .loadVolumeByWorkout(during: date..<date.addingTimeInterval(60)), .loadVolumeByExercise(during: .distantPast..<date),
      .loadVolumeByBodyPart(during: date..<Date.distantFuture, unit: .kilograms),
      .loadVolumeByWeek(limit: 3, unit: .kilograms, timeZone: berlin), .loadTotals(asOf: date, timeZone: berlin),
    ]
  }

  private static func answers(_ random: inout SeededGenerator) -> [WorkoutResponse] {
    let (id, date, workouts, exercise) = (random.id(), random.date(), Sample.workouts(3, &random), Sample.fullExercise(&random))
    let key = PageKey(.integer(7), .text("a \"b\""))
    let template = WorkoutTemplate(id: id, name: "Plan", note: nil, exercises: [exercise])
    let timer = TrainingTimer(lastActiveAt: date, trainedMilliseconds: 12, isPaused: true, idleLimitSeconds: 60)
    let performed = PerformedExercise(workoutID: id, workoutName: "x", startedAt: date, exercise: exercise)
    let custom = CustomExercise(id: id, name: "Sled", bodyPart: BodyPart(.legs), foreignKey: "7")
    let name = ExerciseName(
      id: "sled", name: "Sled", bodyPart: BodyPart(.legs), weightUnit: .kilograms, uses: 3, lastUsedAt: date, customExerciseID: id)
    let work = TrainedWork(sets: 2, reps: 10, volume: 812.5)
    let best = PersonalRecord(value: 80, weight: Weight(80, .kilograms), reps: 5, startedAt: date, workoutID: id, setID: nil)
    let records = ExerciseRecords(name: "Row", unit: .kilograms, formula: .brzycki, heaviest: best, byReps: [best, best], oneRepMax: best)
    var totals = TrainingTotals()
    (totals.work, totals.lastWorkoutAt, totals.mostDone) = (work, date, [ExerciseVolume(name: "Row", workouts: 1, work: work)])
    return [
      .workoutSaved(id), .workoutsLoaded(workouts), .workoutsLoaded([], next: key), .workoutLoaded(workouts[1]), .workoutLoaded(nil),
      .workoutDeleted(id, existed: true), .currentWorkoutLoaded(nil),
      .currentWorkoutLoaded(WorkoutInProgress(workout: workouts[0], timer: timer)), .templatesLoaded([template], next: key),
      .templateLoaded(template), .templateLoaded(nil), .templateDeleted(id, existed: false), .customExercisesLoaded([custom], next: key),
      .customExerciseLoaded(custom), .customExerciseLoaded(nil), .customExerciseDeleted(id, existed: true),
      .exerciseNamesLoaded([name], next: key), .historyLoaded([performed], next: key), .recordsLoaded([records]),
      .progressLoaded([ProgressPoint(workoutID: id, startedAt: date, topWeight: 80.5, work: work)], next: key),
      .volumeByWorkoutLoaded([WorkoutVolume(id: id, name: "Push", startedAt: date, work: work)]),
      .volumeByExerciseLoaded(totals.mostDone), .volumeByBodyPartLoaded([BodyPartVolume(bodyPart: .legs, workouts: 1, work: work)]),
      .volumeByWeekLoaded([WeekVolume(year: 2026, week: 1, startsAt: date, work: work)]), .totalsLoaded(totals),
      .error(.init(code: "busy", message: "a \"word\"\n", suggestion: nil)),
    ]
  }
}
