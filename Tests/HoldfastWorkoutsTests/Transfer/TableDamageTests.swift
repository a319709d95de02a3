import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastWorkouts

@Suite("Damaged tables of workouts") struct TableDamageTests {
  static let header = "Date,Workout Name,Exercise Name,Set Order,Weight,Reps,Notes\n"

  static func row(_ order: Int, _ exercise: String = "Curl", weight: String = "10", reps: String = "5", notes: String = "") -> String {
    "2023-01-02 18:30:00,A,\(exercise),\(order),\(weight),\(reps),\(notes)\n"
  }

  @Test("a quote that is not closed is refused with its line and its byte, and leaves nothing behind")
  func openQuote() throws {
    let world = try TableWorld()
    let before = Self.header + Self.row(1, notes: "\"two\nlines\"")
    let error = try world.failure(Data((before + Self.row(2, notes: "\"open") + Self.row(3)).utf8))
    #expect(error.code == .invalidSource && error.offset == before.utf8.count)
    #expect(
      error.message.hasSuffix("a quote in the row that begins in line 4, at byte \(before.utf8.count), is not closed"))
  }

  @Test("a row of more than a mebibyte is refused, with and without quotes, and one of a little less is taken")
  func longRow() throws {
    let world = try TableWorld()
    let long = String(repeating: "x", count: CSVTable.greatestRow)
    let plain = try world.failure(Data((Self.header + Self.row(1, notes: long)).utf8))
    #expect(plain.code == .invalidSource && plain.message.hasSuffix("has more than 1048576 bytes"))
    let quoted = try world.failure(Data((Self.header + Self.row(1, notes: "\"\(long)\"")).utf8))
    #expect(quoted.message.hasSuffix("is not closed within 1048576 bytes"))
    let short = String(repeating: "x", count: CSVTable.greatestRow - 100)
    #expect(try world.report(Self.header + Self.row(1, notes: short)).isClean)
    #expect(try world.workouts().first?.exercises.first?.notes == [short])
  }

  @Test("a zero, and UTF-16 that is cut off or has half a pair, are refused with the byte")
  func noText() throws {
    let world = try TableWorld()
    let text = Self.header + Self.row(1)
    let zero = try world.failure(Data(text.utf8) + [0] + Data(Self.row(2).utf8))
    #expect(zero.code == .invalidSource && zero.offset == text.utf8.count)
    let wide = try #require("\u{FEFF}\(text)".data(using: .utf16LittleEndian))
    let cut = try world.failure(wide + [0x41])
    #expect(cut.message.hasSuffix("its UTF-16 ends in the middle of a character") && cut.offset == wide.count + 1)
    let half = try world.failure(wide + [0x00, 0xD8, 0x41, 0x00])
    #expect(half.message.contains("its UTF-16 is damaged") && half.offset == wide.count + 2)
  }

  @Test(
    "one bad row is kept with its reason, and all others come in at their places",
    arguments: [
      (row(2, notes: "5\" bar"), "a cell contains a quote that is not doubled"),
      (row(2, notes: "\"a\"b"), "a cell contains a quote that is not doubled"),
      (row(2, notes: "a,b"), "it has 8 cells, and the header has 7"),
      ("2023-01-02 18:30:00,A,Curl,2\n", "it has 4 cells, and the header has 7"),
      (row(2, weight: "ten"), "its weight is no number: ten"),
      (row(2, weight: "nan"), "its weight is no number: nan"), (row(2, weight: "1e999"), "its weight is no number: 1e999"),
      (row(2, weight: "\"1,500\""), "its weight may have thousands or decimals, and the file does not say which: 1,500"),
      (row(2, reps: "5.5"), "its reps should be a whole number from 0: 5.5"),
      (row(2, reps: "-5"), "its reps should be a whole number from 0: -5"),
      (row(2, reps: "1e30"), "its reps should be a whole number from 0: 1\(String(repeating: "0", count: 30))"),
      (row(2, "  "), "it names no exercise"),
      ("2023-02-30 18:30:00,A,Curl,2,10,5,\n", "its date cannot be read: 2023-02-30 18:30:00"),
      ("2023-01-02 18:30:00,A,Curl,second,10,5,\n", "its place among the sets is not known: second"),
    ])
  func badRow(row: String, reason: String) throws {
    let world = try TableWorld()
    let report = try world.report(Self.header + Self.row(1) + row + Self.row(3))
    #expect(
      report.picture == """
        workouts 1: 1 imported
        exercises 1: 1 imported
        exercise_sets 3: 2 imported, 1 quarantined
        \(TableWorld.guessed(1))
        line 3: \(reason)
        """)
    let kept = try world.withLibrary { log in
      try log.store.read { try $0.values("SELECT original FROM holdfast_quarantine") { String(decoding: try $0.data(), as: UTF8.self) } }
    }
    #expect(kept.map { $0 + "\n" } == [row])
  }

  @Test("a cell that begins with an accent is one, and only the line breaks of a keyboard end a row")
  func otherBreaks() throws {
    let world = try TableWorld()
    #expect(try world.report(Self.header + Self.row(1, notes: "\u{301}")).isClean)
    #expect(try world.report(Self.header + Self.row(1, notes: "a\u{2028}b\u{85}c\u{B}d")).isClean)
    #expect(try world.workouts().first?.exercises.first?.notes == ["a\u{2028}b\u{85}c\u{B}d"])
  }

  @Test("a bad set that is corrected later comes in at its own place")
  func corrected() throws {
    let world = try TableWorld()
    let rows = [Self.row(1), Self.row(2, weight: "ten"), Self.row(3, weight: "12")]
    _ = try world.report(Self.header + rows.joined())
    let report = try world.report(Self.header + rows.joined().replacingOccurrences(of: "ten", with: "11"))
    #expect(
      report.picture == """
        workouts 1: 1 skipped
        exercises 1: 1 skipped
        exercise_sets 3: 1 imported, 2 skipped
        skipped 4: in the store already
        """)
    #expect(try world.workouts().first?.exercises.first?.sets.map(\.actual.weight) == [10, 11, 12])
  }

  @Test("a bad duration is left out and told, and an unknown column is told once")
  func fields() throws {
    let world = try TableWorld()
    let text = """
      Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps,Mood
      2023-01-02 18:30:00,A,long,Curl,1,10,5,
      2023-01-03 18:30:00,B,1h,Curl,1,10,5,good
      2023-01-04 18:30:00,C,1h,Curl,1,10,5,better
      """
    #expect(
      try world.report(text).picture == """
        workouts 3: 3 imported
        exercises 3: 3 imported
        exercise_sets 3: 3 imported
        \(TableWorld.guessed(3))
        line 2.duration: it is no duration: long
        line 3.Mood: this column is not known, and its cells are not imported
        """)
  }

  @Test("what a workout comes without is told once of it, in however many rows it stands, and of each workout")
  func oncePerWorkout() throws {
    let world = try TableWorld()
    let text = """
      Date,Workout Name,Duration,Exercise Name,Set Order,Weight,Reps
      2023-01-02 18:30:00,A,long,Curl,1,10,5
      2023-01-02 18:30:00,A,long,Curl,2,10,5
      2023-01-02 18:30:00,A,longer,Press,1,10,5
      2023-01-03 18:30:00,A,long,Curl,1,10,5
      2023-01-03 18:30:00,A,long,Curl,2,10,5
      """
    #expect(
      try world.report(text).picture == """
        workouts 2: 2 imported
        exercises 3: 3 imported
        exercise_sets 5: 5 imported
        \(TableWorld.guessed(2))
        line 2.duration: it is no duration: long
        line 4.duration: it is no duration: longer
        line 5.duration: it is no duration: long
        """)
  }

  @Test("rows that are not UTF-8 are read as Windows-1252 and noted, or as what was named; where that does not fit, nothing is imported")
  func encodings() throws {
    var world = try TableWorld()
    let good = Data((Self.header + Self.row(1, "Café")).utf8)
    let old = good + Data("2023-01-02 18:30:00,A,Pressé €,1,10,5,\n".data(using: .windowsCP1252) ?? Data())
    try old.write(to: world.source)
    let report = try world.report()
    #expect(report.isClean && report.notes?["rows that are not UTF-8 were read as Windows-1252 (first: line 3)"] == 1)
    #expect(try world.workouts().first?.exercises.map(\.name) == ["Café", "Pressé €"])
    world = try TableWorld()
    world.hints.encoding = String.Encoding(rawValue: 0x8000_0502)
    try (Data(Self.header.utf8) + Data("2023-01-02 18:30:00,A,".utf8) + [0xCC, 0xE8, 0xF0] + Data(",1,10,5,\n".utf8)).write(
      to: world.source)
    #expect(try world.report().isClean)
    #expect(try world.workouts().first?.exercises.map(\.name) == ["Мир"])
    world = try TableWorld()
    world.hints.encoding = .utf8
    let error = try world.failure(old)
    #expect(error.code == .invalidSource && error.offset == good.count && error.message == "line 3 is not in the encoding that was named")
  }

  @Test("line breaks of every system, blank lines and a missing last one change nothing", arguments: ["\n", "\r\n", "\r"])
  func lineBreaks(lineBreak: String) throws {
    let world = try TableWorld()
    let text = "\n\n" + Self.header + "\n" + Self.row(1, notes: "\"a\nb\"") + "  \n" + Self.row(2) + "x"
    let report = try world.report(text.replacingOccurrences(of: "\n", with: lineBreak))
    #expect(report.problems.map { "\($0.path): \($0.reason)" } == ["line 9: it has 1 cells, and the header has 7"])
    #expect(try world.workouts().first?.exercises.first?.notes == ["a\(lineBreak)b"])
    #expect(try world.workouts().first?.exercises.first?.sets.count == 2)
  }

  @Test("a table of many pieces is cut only between its rows, whatever is in its cells")
  func manyPieces() throws {
    let world = try TableWorld()
    var random = SeededGenerator(seed: 11)
    var text = "Date;Workout Name;Exercise Name;Set Order;Weight;Reps;Notes\n"
    var notes: [String] = []
    for number in 0..<1_500 {
      let note = "\(number) " + (0..<4).map { _ in random.pick(["三体", "a;b", "\n", "\"", "é", "\r\n", "🏋️", ","]) }.joined() + "."
      notes.append(note)
      text += "2023-01-02 18:30:00;A;E\(number);1;8,5;5;\"\(note.replacingOccurrences(of: "\"", with: "\"\""))\"\n"
    }
    let report = try world.report(text)
    #expect(report.isClean && report.counts["exercise_sets"]?.imported == 1_500)
    #expect(try world.workouts().first?.exercises.map(\.notes) == notes.map { [$0] })
  }

  @Test(
    "every table is imported, verified and the same at the second import, or refused whole", arguments: 1...(ProofRun.isLong ? 200 : 10))
  func random(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try TableWorld()
    var bytes = Array(random.pick([StrongTests.classic, OtherTableTests.hevy, OtherTableTests.strongLifts]).utf8)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(random.pick(Array("\",;\n\r-0".utf8)), at: place)
      case 3: bytes.insert(contentsOf: bytes[place..<min(bytes.count, place + 90)], at: place)
      default: bytes.removeSubrange(place..<min(bytes.count, place + 40))
      }
    }
    try Data(bytes).write(to: world.source)
    let what = "seed \(seed): \(String(decoding: bytes, as: UTF8.self))"
    do {
      // A header that nobody knows any more may leave no table at all.
      guard try WorkoutLog.csv(ImportSource(world.source, hints: world.hints)) != nil else { return }
      _ = try world.report()
    } catch let error as StoreError {
      #expect(error.code == .invalidSource, "\(what): \(error)")
      return
    }
    #expect(try world.addsNothing(), "\(what)")
  }

  @Test("a file of any size that is no table of workouts is refused at its first line")
  func refusedEarly() throws {
    let world = try TableWorld()
    for (text, isTable) in [("Date,Mood\n2016-01-02,good\n", true), ("Dear diary,\n", false)] {
      try Data(text.utf8).write(to: world.source)
      let file = try FileHandle(forWritingTo: world.source)
      try file.truncate(atOffset: 1 << 42)
      try file.close()
      let source = try ImportSource(world.source, hints: world.hints)
      if isTable {
        #expect(code { _ = try WorkoutLog.csv(source) } == .invalidSource)
      } else {
        #expect(try WorkoutLog.csv(source) == nil)
      }
    }
  }
}
