import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

/// A converter with a mistake in it.
private struct Faulty: TrainingDialect {
  var base: any TrainingDialect
  let spoil: @Sendable (inout TrainingRow) -> Void
  static let name = "faulty-csv"
  var interleaves: Bool { base.interleaves }
  var leastCells: Int { base.leastCells }
  var table: TrainingTable {
    get { base.table }
    set { base.table = newValue }
  }

  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] { base.numbers(cells) }
  func text(_ type: SetType) -> String { base.text(type) }

  func rows(_ cells: [String]) throws -> [TrainingRow] {
    var rows = try base.rows(cells)
    for place in rows.indices { spoil(&rows[place]) }
    return rows
  }
}

extension Faulty {
  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) { self.init(base: Hevy(file, clock, unit)) { _ in } }
}

@Suite("What verification of a table compares") struct TableVerificationTests {
  private static let table = """
    title,start_time,end_time,exercise_title,superset_id,set_index,set_type,weight_lbs,reps,distance_km,duration_seconds,rpe
    A,2023-01-02 18:30:00,2023-01-02 19:30:00,Curl,0,0,warmup,"8,5",5,2.5,90,7.5
    """

  private static func set(_ change: @escaping @Sendable (inout ExerciseSet) -> Void) -> @Sendable (inout TrainingRow) -> Void {
    { row in
      row.parts = row.parts.map { part in
        guard case .set(let number, var written) = part else { return part }
        change(&written.set)
        return .set(number: number, written)
      }
    }
  }

  private static let faults: [(name: String, spoil: @Sendable (inout TrainingRow) -> Void)] = [
    ("type", set { $0.type = .working }), ("weight", set { $0.actual.weight = 85 }), ("unit", set { $0.weightUnit = .kilograms }),
    ("reps", set { $0.actual.reps = 50 }), ("distance", set { $0.actual.distance = 25 }),
    ("distance unit", set { $0.distanceUnit = .miles }), ("done", set { $0.isCompleted = false }),
    ("seconds", set { $0.actual.durationSeconds = 5_400 }), ("RPE", set { $0.actual.rpe = 7 }), ("superset", { $0.superset = 2 }),
  ]

  @Test("a mistake in the conversion of any value ends the import", arguments: faults.map(\.name))
  func faultFound(name: String) throws {
    let world = try TableWorld(unit: nil)
    try Data(Self.table.utf8).write(to: world.source)
    let from = try ImportSource(world.source)
    let clock = WallClock(timeZone: .gmt)
    let file = try CSVTable(from, encoding: nil)
    let hevy = Hevy(file, clock, nil)
    func run(_ spoil: @escaping @Sendable (inout TrainingRow) -> Void) throws {
      let faulty = TrainingCSV(file, Faulty(base: hevy, spoil: spoil), clock)
      _ = try Store.importing(faulty, from: from, into: world.store, schemas: [WorkoutLog.schema], storeOptions: .testing)
    }
    let fault = try #require(Self.faults.first { $0.name == name })
    let error = #expect(throws: StoreError.self) { try run(fault.spoil) }
    #expect(error?.code == .verificationFailed && error?.message.contains(": \(name) is ") == true, "\(String(describing: error))")
    try run { _ in }
  }

  @Test("a mistake in the conversion of hours ends the import")
  func hoursFault() throws {
    let world = try TableWorld(unit: nil)
    try Data(OtherTableTests.strongLifts.utf8).write(to: world.source)
    let from = try ImportSource(world.source)
    let clock = WallClock(timeZone: .gmt)
    let file = try CSVTable(from, encoding: nil)
    let faulty = Faulty(base: try StrongLifts(file, clock, nil)) { $0.durationSeconds = 75 }
    let error = #expect(throws: StoreError.self) {
      let table = TrainingCSV(file, faulty, clock)
      _ = try Store.importing(table, from: from, into: world.store, schemas: [WorkoutLog.schema], storeOptions: .testing)
    }
    #expect(error?.code == .verificationFailed && error?.message.contains(": duration is ") == true, "\(String(describing: error))")
  }

  @Test("hours in hundred-thousandths of a day are the same seconds in both ways to read them, half a one rounded up")
  func hours() throws {
    for number in stride(from: 0, to: 2_400_000, by: ProofRun.isLong ? 1 : 499) {
      let written = try #require(CSVNumber("\(number / 100_000).\(String(100_000 + number % 100_000).dropFirst())", .letters))
      // A hundred-thousandth of an hour is 36 thousandths of a second.
      let seconds = (number * 36 + 500) / 1000
      guard CSVDuration.seconds(written.value, unit: 3_600_000) == seconds,
        CSVDuration.read(written.text, unit: 3_600_000) == String(seconds)
      else {
        Issue.record("\(written.text) is not \(seconds)")
        return
      }
    }
    for (hours, seconds) in [(1e-9, 0), (596_523, 2_147_482_800), (596_524, nil), (1e16, nil), (1e300, nil), (-1, nil)] as [(Double, Int?)]
    {
      #expect(CSVDuration.seconds(hours, unit: 3_600_000) == seconds)
      #expect(seconds == nil || CSVDuration.read(CSVNumber.text(hours), unit: 3_600_000) == seconds.map(String.init))
    }
  }

  @Test("what the source says is made of its letters, not of what was converted")
  func letters() throws {
    let clock = WallClock(timeZone: try #require(TimeZone(identifier: "Europe/Berlin")))
    #expect(CSVNumber("8,50", .letters)?.text == "8.5")
    #expect(CSVNumber("0.00001", CSVEvidence(commaParts: true))?.text == "0.00001" && CSVNumber.text(0.00001) == "0.00001")
    #expect(CSVNumber("100000000000000000000", CSVEvidence(commaParts: true))?.text == CSVNumber.text(1e20))
    #expect(CSVDuration.read("1 Std. 5 Min.") == "3900" && CSVDuration.read("1:02:03") == "3723")
    #expect(CSVDuration.read("h1 5m3") == "900" && CSVDuration.read("1 h 9 m") == "4140" && CSVDuration.read("") == "0")
    #expect(CSVDuration.seconds("1.5h") == nil && CSVDuration.seconds("1h..") == nil && CSVDuration.seconds(".1h") == nil)
    let folder = try TemporaryFolder()
    try Data("title,start_time,exercise_title\nA,2023-01-02 18:30:00,Curl\n".utf8).write(to: folder.file("a.csv"))
    let hevy = Hevy(try CSVTable(ImportSource(folder.file("a.csv")), encoding: nil), clock, nil)
    let shape = TrainingShape(dialect: hevy, clock: clock)
    let row = try #require(try hevy.rows(["A", "2023-01-02 18:30:00", "Curl"]).first)
    // Winter in Berlin is an hour before Greenwich, whatever `date` makes of it.
    #expect(shape.fields(of: row).first?.value == .string("2023-01-02T17:30:00.000Z"))
  }

  @Test(
    "the two ways from a clock to a moment agree on every half hour of the days around a change, and of days of a year",
    arguments: ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia"])
  func moments(zone: String) throws {
    let clock = WallClock(timeZone: try #require(TimeZone(identifier: zone)))
    let start = try #require(DateCodec.parseISO8601("2024-01-01T00:00:00Z"))
    func offset(_ day: Int) -> Int {
      clock.timeZone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(start) / 1000 + Double(day) * 86_400))
    }
    // The days around each change, and one of each week; all of them in a long run.
    for day in 0..<366 where ProofRun.isLong || day % 7 == 0 || offset(day - 1) != offset(day + 2) {
      for half in 0..<48 {
        let wall = start + Int64(day * 48 + half) * 1_800_000
        guard let first = clock.moments(wall).first else { continue }
        #expect(DateCodec.milliseconds(clock.date(wall)) == first, "\(WallTime.text(wall))")
      }
    }
  }

  @Test(
    "whatever way a table writes its values, both ways to read them agree",
    arguments: [
      ("1152921504606846977", "1"), ("1234567890123450000", "1"), ("5.0", "1"), ("1e3", "1"), ("5", "1 0:00"), ("5", "+1:00:00"),
      ("5", "9007199254740993"),
    ])
  func oddNumbers(number: String, seconds: String) throws {
    let report = try TableWorld(unit: nil).report(
      """
      title,start_time,end_time,exercise_title,set_index,set_type,weight_kg,reps,duration_seconds
      A,0001-01-03 00:00:00,9999-12-30 23:59:59,Curl,0,working,\(number),\(number),\(seconds)
      """)
    #expect(report.counts["exercise_sets"]?.imported == 1)
    let strong = try TableWorld().report(
      "Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps\n1850-01-03 00:00:00,A,1 0 m,Curl, w ,\(number),5\n")
    #expect(strong.counts["exercise_sets"]?.imported == 1 && strong.isClean)
  }

  @Test("an end in the hour that is there twice is not before its start")
  func secondHour() throws {
    let world = try TableWorld(unit: nil)
    let text = "title,start_time,end_time,exercise_title,set_index,reps\nA,2024-10-27 02:40:00,2024-10-27 02:10:00,Curl,0,5\n"
    #expect(try world.report(text).isClean)
    #expect(try world.shelf().hasPrefix("A 2024-10-27T00:40:00Z until 2024-10-27T01:10:00Z"))
    let before = try TableWorld(unit: nil).report(text.replacingOccurrences(of: "10-27", with: "10-28"))
    #expect(before.problems.map { "\($0.field ?? ""): \($0.reason)" } == ["end: it is before the start"])
  }

  @Test("a table that was imported in the wrong time zone is put right by the right one; what somebody changed here stays")
  func wrongZone() throws {
    var world = try TableWorld()
    world.hints.timeZone = .gmt
    _ = try world.report(StrongTests.classic)
    try world.change { $0.exercises[0].sets[0].actual.reps = 6 }
    world.hints.timeZone = TimeZone(identifier: "Europe/Berlin")
    let report = try world.report(StrongTests.classic)
    #expect(report.counts["workouts"]?.merged == 2 && report.counts["exercise_sets"]?.merged == 0)
    #expect(
      try world.workouts().map(\.startedAt).map { DateCodec.milliseconds($0).map { DateCodec.iso8601($0, fraction: false) } }
        == ["2023-07-04T05:05:09Z", "2023-01-02T17:30:00Z"])
    #expect(try world.workouts().first?.exercises.first?.sets.first?.actual.reps == 6)
  }

  @Test("a set that was changed here stays when a later edition moves its exercise")
  func movedExercise() throws {
    let world = try TableWorld()
    _ = try world.report(StrongTests.classic)
    try world.change(at: 1) { $0.exercises[1].sets[0].actual.reps = 11 }
    let row = "2023-01-02 18:30:00,\"Push\",1h 9m,"
    let longer = StrongTests.classic.replacingOccurrences(of: "\(row)\"Pull Up\",1", with: "\(row)Dip,1,0,15,0,0,,,\n\(row)\"Pull Up\",1")
    _ = try world.report(longer)
    #expect(try world.workouts().last?.exercises.map(\.name) == ["Bench Press (Barbell)", "Dip", "Pull Up", "Plank"])
    #expect(try world.workouts().last?.exercises[2].sets.first?.actual.reps == 11)
  }

  @Test("the right unit at a second import corrects the sets and their exercise")
  func unitCorrected() throws {
    var world = try TableWorld(unit: "lb")
    _ = try world.report(StrongTests.classic)
    world.hints.weightUnit = "kg"
    _ = try world.report(StrongTests.classic)
    let exercise = try #require(try world.workouts().last?.exercises.first)
    #expect(exercise.weightUnit == .kilograms && exercise.sets.first?.weightUnit == .kilograms)
  }
}
