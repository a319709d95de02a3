import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("Body parts guessed from names") struct GuessedBodyPartTests {
  @Test(
    "equipment, plural, hyphens, case and accents do not matter; an unknown name has no part",
    arguments: [
      ("Bench Press (Barbell)", .chest), ("BENCH PRESSES", .chest), ("Barbell Row", .back), ("Pull-Ups", .back), ("chinups", .back),
      ("Squats", .legs), ("Standing Calf Raise (Machine)", .calves), ("Face pulls", .shoulders), ("Barbell Curls", .arms),
      ("Crunches", .core), ("Rowing (Machine)", .cardio), ("Kettlebell Swing", .fullBody), ("Développé couché", nil), ("Barbell", nil),
      ("", nil), ("(Row)", nil),
    ] as [(String, BodyPart.Main?)])
  func names(name: String, part: BodyPart.Main?) { #expect(BodyPart.guessed(from: name)?.main == part) }

  private static func strong(_ exercise: String, reps: Int = 5) -> String {
    "Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Notes\n2023-01-02 18:30:00,A,\(exercise),1,60,\(reps),\"note \(reps)\"\n"
  }

  @Test("charts have parts of the body after an import; a part that somebody changed stays, also when the exercise is written again")
  func changed() throws {
    let world = try TableWorld()
    #expect(try world.report(Self.strong("Deadlift")).picture.hasSuffix(TableWorld.guessed(1)))
    #expect(try world.withLibrary { try $0.store.read { try WorkoutLog.volumeByBodyPart(in: $0) }.map(\.bodyPart) } == [.back])
    for part in [BodyPart(.legs), nil] {
      try world.change { $0.exercises[0].bodyPart = part }
      #expect(try world.report(Self.strong("Deadlift", reps: part == nil ? 6 : 7)).counts["exercises"]?.merged == 1)
      #expect(try world.workouts().first?.exercises.first?.bodyPart == part)
    }
  }

  private static func fitNotes(_ category: String) -> String {
    "Date,Exercise,Category,Weight,Weight Unit,Reps\n2022-06-01,Deadlift,\(category),60,kgs,5\n"
  }

  @Test("a later table that names the category replaces a guess, and never a part that somebody chose")
  func category() throws {
    let world = try TableWorld(unit: nil)
    _ = try world.report(Self.fitNotes(""))
    #expect(try world.workouts().first?.exercises.first?.bodyPart == BodyPart(.back))
    _ = try world.report(Self.fitNotes("Legs"))
    #expect(try world.workouts().first?.exercises.first?.bodyPart == BodyPart(.legs, detailed: ["Legs"]))

    let other = try TableWorld(unit: nil)
    _ = try other.report(Self.fitNotes(""))
    try other.change { $0.exercises[0].bodyPart = BodyPart(.core) }
    #expect(try other.report(Self.fitNotes("Legs")).skipped["the store is newer"] == 1)
    #expect(try other.workouts().first?.exercises.first?.bodyPart == BodyPart(.core))
  }
}
