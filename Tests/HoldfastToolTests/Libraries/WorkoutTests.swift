import Foundation
import Holdfast
import HoldfastTransfer
import HoldfastWorkouts
import Testing

@testable import HoldfastTool

@Suite("Workouts on the command line")
final class WorkoutTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test("workouts are the first list, newest first, in columns that align")
  func list() async throws {
    let finished = try bench.run("list", try await bench.workouts())
    #expect(
      finished.withoutIDs == """
        STARTED               WORKOUT   LENGTH  EXERCISES  SETS
        2025-10-14T18:00:00Z  Push       48:20          1     1
        2025-10-07T18:00:00Z  Legs     1:10:00          4     5
        2025-10-06T18:00:00Z  Push       59:00          1     3

        """)
    #expect(finished.errors.isEmpty)
  }

  @Test("a workout is a table: supersets, sets, weights with units, what was entered and not done in brackets, rests")
  func show() async throws {
    let finished = try bench.run("show", try await bench.workouts(), "LEGS", status: 0)
    #expect(
      finished.output.components(separatedBy: "\n\n").last == """
        SUPERSET  EXERCISE    SET  TYPE   PLAN               DONE             REST  NOTE
               1  Kniebeuge     1         100 kg × 5–8 @7.5  100 kg × 6 @8.5  2:55  deep
                                2  amrap  × 12               (60 kg)          3:00
               1  Plank         1                            1:15                   三体
                                2         1:00
                  Run           1                            5 km 25:00
                  Calf Raise

        """)
  }

  @Test("an exercise is shown with its history, however its name was written, in the units of each day")
  func exercise() async throws {
    let finished = try bench.run("show", try await bench.workouts(), "Bench press", status: 0)
    let lines = finished.output.split(separator: "\n").map {
      String($0).components(separatedBy: "  ").filter { !$0.isEmpty }.dropLast().map { $0.trimmingCharacters(in: .whitespaces) }
    }
    #expect(
      lines.suffix(2).map { $0.joined(separator: "|") } == [
        "2025-10-14T18:00:00Z|Push|187.5 lb × 4", "2025-10-06T18:00:00Z|Push|40 kg × 10, 80 kg × 5 @8, 82.5 kg × 3",
      ])
    #expect(finished.output.contains("heaviest     187.5 lb × 4\n"))
  }

  @Test("a name that two workouts have is ambiguous, and names both with ids that work, also by their beginning")
  func ambiguous() async throws {
    let store = try await bench.workouts()
    let finished = try bench.run("show", store, "push", status: 64)
    let ids = finished.errors.matches(of: /workout ([0-9a-f-]{36}) \(Push, 2025/).map { String($0.1) }
    #expect(ids == [WorkoutSample.id(3), WorkoutSample.id(1)].map(IDCodec.lowercase))
    for id in ids { #expect(try bench.run("show", store, String(id.prefix(13))).output.contains("id       \(id)")) }
    for (what, name) in [("exercises", "Kniebeuge"), ("templates", "Full body")] {
      let line = try #require(try bench.run("list", store, what).output.split(separator: "\n").first { $0.contains(name) })
      #expect(try bench.run("show", store, String(line.prefix(13))).output.hasSuffix("\n"))
      #expect(try bench.run("show", store, String(line.prefix(36))).output == (try bench.run("show", store, name.uppercased()).output))
    }
    #expect(try bench.run("show", store, "Nothing of this name").status == 66)
  }

  @Test("the workout in progress is told, and is in no list")
  func inProgress() async throws {
    let store = try await bench.workouts()
    #expect(try bench.run("info", store).output.contains("in progress  Evening\n"))
    #expect(try bench.run("show", store, "evening").output.contains("ended    in progress\n"))
    #expect(!(try bench.run("list", store).output.contains("Evening")))
  }

  @Test("an import with remarks only ends with 0, and its report names a remark once, with its number and the first place")
  func remarks() throws {
    let rows = (1...3).map { "2023-01-02 18:30:00,Run,Run,\($0),0,0,5.2,1800\n" }.joined()
    try bench.write("Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Distance,Seconds\n\(rows)", to: "run.csv")
    let note = "the file does not name the unit of distances; assumed: kilometres (first: line 2)"
    try bench.run("import", "run.csv", "--into", "w.sqlite", status: 0, output: "\nnoted 3: \(note)\n")
    #expect(try bench.run("quarantine", "w.sqlite").errors.contains("Nothing is in the quarantine."))
    let other = try bench.run("import", "run.csv", "--into", "other.sqlite", "--json")
    #expect(other.status == 0 && other.document["problem_count"] as? Int == 0)
    #expect(other.document["notes"] as? [String: Int] == [note: 3])
  }

  @Test("a table that does not say its unit is refused with a question that --unit answers, and other units are wrong usage")
  func unit() throws {
    try FileManager.default.copyItem(at: Workbench.example("strong.csv"), to: bench.url("strong.csv"))
    let refused = try bench.run("import", "strong.csv", "--into", "w.sqlite", status: 65)
    #expect(
      refused.errors == """
        Error: the file does not say whether its weights are kilograms or pounds; the first is in line 2
        Try: --unit kg, or --unit lb, as the app that wrote it showed them

        """)
    #expect(try bench.names() == ["strong.csv"])
    #expect(try bench.run("import", "strong.csv", "--into", "w.sqlite", "--unit", "stone").status == 64)
    try bench.run("import", "strong.csv", "--into", "w.sqlite", "--unit", "lb", "--time-zone", "Asia/Tokyo", status: 0)
    let shown = try bench.run("show", "w.sqlite", "legs").output
    #expect(shown.contains("started  2025-10-08T22:30:00Z") && shown.contains("100 lb × 7 @10"), "\(shown)")
    #expect(try bench.run("check", "w.sqlite").status == 0)
    try bench.run("import", try bench.fixture("library.json"), "--into", "b.sqlite", "--unit", "kg", status: 65, errors: "--unit")
    let music = try bench.run("import", try bench.fixture("music.json"), "--into", "m.sqlite", "--unit", "kg")
    #expect(music.status == 65 && music.errors.hasPrefix("Error: an import of music has no use for --unit\n"), "\(music.errors)")
    let format = try bench.run("import", "music.json", "--into", "m.sqlite", "--format", "itunes-xml", "--encoding", "big5", status: 65)
    #expect(format.errors.hasPrefix("Error: an import of itunes-xml has no use for --encoding\n"), "\(format.errors)")
  }

  @Test("times of a table are read in this computer's zone, unless --time-zone names another")
  func timeZone() throws {
    try FileManager.default.copyItem(at: Workbench.example("strong.csv"), to: bench.url("strong.csv"))
    for (name, zone, started) in [("here", [], "2025-10-08T22:30:00Z"), ("there", ["--time-zone", "UTC"], "2025-10-09T07:30:00Z")] {
      try bench.run(["import", "strong.csv", "--into", name, "--unit", "kg"] + zone, ["TZ": "Asia/Tokyo"], status: 0)
      #expect(try bench.run("show", name, "legs").output.contains("started  \(started)"))
    }
  }

  @Test(
    "what is exported comes back: as a table of another program, as JSON, and whole",
    arguments: ["strong-csv", "hevy-csv", "json", "holdfast"])
  func export(format: String) throws {
    try FileManager.default.copyItem(at: Workbench.example("strong.csv"), to: bench.url("strong.csv"))
    #expect(try bench.run("import", "strong.csv", "--into", "w.sqlite", "--unit", "kg", "--time-zone", "UTC").status == 0)
    let unit = format.hasSuffix("csv") ? ["--unit", "kg", "--time-zone", "UTC"] : []
    try bench.run(["export", "w.sqlite", "--to", "out", "--format", format] + unit, status: 0)
    let hints = format == "strong-csv" ? ["--unit", "kg"] : []
    let zone = format.hasSuffix("csv") ? ["--time-zone", "UTC"] : []
    try bench.run(["import", "out", "--into", "x.sqlite"] + hints + zone, status: 0)
    #expect(
      try bench.run("show", "x.sqlite", "legs").output.components(separatedBy: "\n\n").last
        == (try bench.run("show", "w.sqlite", "legs").output.components(separatedBy: "\n\n").last))
    if unit.isEmpty {
      try bench.run("export", "w.sqlite", "--to", "y", "--format", format, "--unit", "kg", status: 65, errors: "without --unit")
    }
    try bench.run("export", "w.sqlite", "--to", "y", "--format", "json", "--playlist", "x", status: 65, errors: "has no use for --playlist")
  }

  @Test("volumes and estimates are in the unit that most sets are in; bars show on a terminal")
  func stats() async throws {
    let store = try Store.open(at: URL(fileURLWithPath: try await bench.workouts()), schemas: [WorkoutLog.schema])
    defer { try? store.close() }
    let text = try await Rendering(store.read(#require(WorkoutLog.description.stats)).blocks, width: nil, Console().chartStyle).text
    #expect(
      text.contains("\nVolume by week, kg\n  2025-10-06  1247.5\n") || text.contains("\nVolume by week, kg\n  2025-10-06  1248\n"),
      "\(text)")
    #expect(text.contains("\nEstimated one-rep max of bench press, kg\n") && text.contains("\nRecords\nEXERCISE"), "\(text)")
  }

  @Test(
    "weights are written without zeros that say nothing",
    arguments: [(80, "80"), (82.5, "82.5"), (-12.25, "-12.25"), (0.1 + 0.2, "0.3"), (1e300, "1e+300"), (-0.0001, "0"), (35.004, "35.004")]
      as [(Double, String)])
  func number(value: Double, text: String) { #expect(ShownValue.number(value).words == text) }
}
