import Foundation
import Holdfast
import HoldfastTransfer
import HoldfastWorkouts

/// The tables of workouts that other programs write, one target for each.
struct WorkoutTables: WorkoutTarget {
  /// The format's name.
  let name: String
  var file: String { "\(name).csv" }
  var saysWhere: Bool { false }
  // Only the importer counts exercises, so the fuzzer cannot find dropped ones.
  var faults: [Fault] { [.forgetsToWrite, .dropsSets, .changesSource, .neverEqual] }

  static let all = [
    "strong-csv", "hevy-csv", "fitnotes-csv", "stronglifts-csv", "fitbod-csv", "jefit-csv", "gymrun-csv",
  ].map(WorkoutTables.init)

  func source(_ random: inout SeededRandom) -> FuzzSource {
    var table = Table(name, random)
    let encoding = table.random.pick(Markup.Encoding.allCases.filter { $0 != .latin1 }, otherwise: .utf8)
    let earlier = table.random.chance(1, of: 3) ? encoding.bytes(table.text()) : nil
    let counts = ["exercise_sets": table.sets, "rest_timers": table.rests]
    let isSpoilt = table.spoil()
    var mutation = Mutation(table.random)
    var bytes = encoding.bytes(table.text())
    mutation.bytes(&bytes, marks: "\",;\t\r\n-0 \u{0}")
    random = mutation.random
    return FuzzSource(earlier: earlier, bytes: bytes, counts: mutation.isCountable && !isSpoilt ? counts : nil)
  }

  func format(of source: ImportSource) throws -> any ImportFormat {
    var source = source
    // Depends only on the bytes, so the second import has the same hints.
    let fingerprint = try Self.fingerprint(of: source.url)
    source.hints.weightUnit = ["kg", "lb", nil][fingerprint % 3]
    source.hints.timeZone = TimeZone(identifier: "Europe/Berlin")
    source.format = fingerprint / 3 % 2 == 0 ? name : nil
    return try WorkoutLog.importer(for: source)
  }

  private static func fingerprint(of file: URL) throws -> Int {
    try Data(contentsOf: file).reduce(7) { sum, byte in (sum * 31 + Int(byte)) % 1_000_003 }
  }
}

/// A small valid table of one format.
private struct Table {
  var random: SeededRandom
  /// The number of sets in the table.
  private(set) var sets = 0
  /// The number of pauses in the table.
  private(set) var rests = 0
  private var delimiter: String
  private let newline: String
  private var quotesAll: Bool
  private var header: [String] = []
  private var rows: [[String]] = []

  private static let names = WorkoutTexts.names.filter { !$0.isEmpty } + ["a;b", "a,b", "\"quoted\"", "=1"]

  init(_ format: String, _ random: SeededRandom) {
    self.random = random
    delimiter = self.random.pick([",", ",", ";", "\t"], otherwise: ",")
    newline = self.random.pick(["\n", "\r\n", "\r"], otherwise: "\n")
    quotesAll = self.random.chance(1, of: 3)
    switch format {
    case "strong-csv": strong()
    case "hevy-csv": hevy()
    case "fitnotes-csv": fitNotes()
    case "fitbod-csv": fitbod()
    case "jefit-csv": jefit()
    case "gymrun-csv": gymRun()
    default: strongLifts()
    }
  }

  func text() -> String {
    ([header] + rows).map { $0.map(cell).joined(separator: delimiter) }.joined(separator: newline)
  }

  private func cell(_ text: String) -> String {
    guard quotesAll || text.contains(where: { "\",;\t".contains($0) || $0.isNewline }) || text.hasPrefix(" ") else { return text }
    return "\"" + text.replacingOccurrences(of: "\"", with: "\"\"") + "\""
  }

  // MARK: Damage

  private static let values = [
    "", " ", "0", "-0", "-", "1", "1.5", "8,5", "1,500", "1e3", "1e999", "nan", "0x1", "-5", "9223372036854775808", "99999999999999999999",
    "W", "d", "F", "X", "Rest Timer", "Note", "2023-02-30 10:00:00", "2024-03-31 02:30:00", "2024-10-27 02:30:00", "0001-01-01 00:00:00",
    "9999-12-31 23:59:59", "31/12/2020", "05/06/2020", "Apr 9, 2026, 5:18 PM", "2026-04-09T17:18:00.5Z", "1h 99999999999999m", "1:02:03",
    "kg", "lbs", "stone", "mi.", "\u{2028}", "\u{301}", "\u{FEFF}", "\u{A0}\"", "a\"b", "x\r\ny", "\u{1}",
    String(repeating: "long ", count: 900),
  ]

  /// Damages some cells, rows or columns. Returns whether any damage was tried.
  mutating func spoil() -> Bool {
    let times = random.pick([0, 1, 1, 2, 3, 8], otherwise: 1)
    for _ in 0..<times {
      // Jefit's first line is a title, and its rows are those of several tables.
      guard let row = rows.indices.randomElement(using: &random), let other = rows.indices.randomElement(using: &random),
        let column = (header.count == 1 ? rows[row] : header).indices.randomElement(using: &random)
      else { return true }
      switch Int.random(in: 0..<12, using: &random) {
      case 0: rows.remove(at: row)
      case 1: rows.insert(rows[row], at: other)
      case 2: rows.swapAt(row, other)
      case 3: rows[row].append(random.pick(Self.values, otherwise: ""))
      case 4: _ = rows[row].popLast()
      case 5 where header.indices.contains(column):
        header[column] = random.pick(["", "x", "Weight", header[column].uppercased()], otherwise: "")
      case 6: rows[row] = [random.pick(Self.values, otherwise: "")]
      default:
        if rows[row].indices.contains(column) { rows[row][column] = random.pick(Self.values, otherwise: "") }
      }
    }
    return times > 0
  }

  // MARK: The formats

  private mutating func name() -> String { random.pick(Self.names, otherwise: "x") }
  private mutating func number(_ most: Int) -> String { String(Int.random(in: 1...most, using: &random)) }

  private enum Strong: CaseIterable { case classic, units, numbered, localised }

  private mutating func strong() {
    let form = random.pick(Strong.allCases, otherwise: .classic)
    header = strongHeader(form)
    if form == .units { delimiter = ";" }
    if form == .numbered { quotesAll = true }
    for workout in 0..<Int.random(in: 0...3, using: &random) {
      // Some workouts share their start and name.
      let (date, title) = ("2023-0\(random.chance(1, of: 3) ? "1" : number(9))-11 18:30:00", random.chance(1, of: 3) ? "A" : name())
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let exercise = name()
        for set in 1...Int.random(in: 1...3, using: &random) {
          sets += 1
          let order = random.chance(1, of: 4) ? "W" : "\(set)"
          rows.append(strongRow(form, "\(workout + 1)", [date, title, exercise, order, number(90) + ".5", number(12), "0"]))
          guard random.chance(1, of: 5) else { continue }
          rests += 1
          let pause = form == .localised ? "Minuteur de repos" : "Rest Timer"
          rows.append(strongRow(form, "\(workout + 1)", [date, title, exercise, pause, "", "", "90"]))
        }
      }
    }
  }

  private mutating func strongHeader(_ form: Strong) -> [String] {
    let unit = random.pick(["kg", "lb", "lbs"], otherwise: "kg")
    return switch form {
    case .classic:
      ["Date", "Workout Name", "Duration", "Exercise Name", "Set Order", "Weight", "Reps", "Seconds", "Notes", "RPE"]
    case .units:
      ["Date", "Workout Name", "Exercise Name", "Set Order", "Weight", "Weight Unit", "Reps", "Seconds", "Notes", "Workout Duration"]
    case .numbered:
      ["Workout #", "Date", "Workout Name", "Duration (sec)", "Exercise Name", "Set Order", "Weight (\(unit))", "Reps", "Seconds", "Notes"]
    case .localised:
      [
        "Date", "Nom de l'entraînement", "Durée", "Nom de l'exercice", "Ordre de la série", "Poids", "Réps", "Secondes", "Notes", "RPE",
      ]
    }
  }

  /// - Parameter cells: date, title, exercise, order, weight, reps, seconds.
  private mutating func strongRow(_ form: Strong, _ workout: String, _ cells: [String]) -> [String] {
    let note = random.chance(1, of: 4) ? name() : ""
    let rpe = random.chance(1, of: 4) ? "8.5" : ""
    return switch form {
    case .classic, .localised: [cells[0], cells[1], "1h 9m"] + cells[2...] + [note, rpe]
    case .units: Array(cells[...4]) + [random.pick(["kg", "lbs"], otherwise: "kg")] + cells[5...] + [note, "1h 9m"]
    case .numbered: [workout, cells[0], cells[1], "4140"] + cells[2...] + [note]
    }
  }

  private mutating func hevy() {
    header = [
      "title", "start_time", "end_time", "description", "exercise_title", "superset_id", "exercise_notes", "set_index", "set_type",
      "weight_kg",
      "reps", "distance_km", "duration_seconds", "rpe",
    ]
    for _ in 0..<Int.random(in: 0...3, using: &random) {
      let (day, title) = (number(28), name())
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let (exercise, group) = (name(), random.pick(["", "0", "1"], otherwise: ""))
        for set in 0..<Int.random(in: 1...3, using: &random) {
          sets += 1
          rows.append([
            title, "\(day) Apr 2026, 17:18", "\(day) Apr 2026, 18:02", "", exercise, group, "", "\(set)",
            random.pick(["normal", "warmup", "dropset", "failure", "new"], otherwise: ""), number(90), number(12), "", "", "8.5",
          ])
        }
      }
    }
  }

  private mutating func fitNotes() {
    header = ["Date", "Exercise", "Category", "Weight", "Weight Unit", "Reps", "Distance", "Distance Unit", "Time", "Comment"]
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      sets += 1
      rows.append([
        "2022-06-0\(number(3))", name(), random.pick(["Chest", "Abs", "Mine"], otherwise: ""), random.chance(1, of: 4) ? "" : number(90),
        random.pick(["kgs", "lbs"], otherwise: ""), number(12), random.chance(1, of: 4) ? "2.5" : "",
        random.pick(["", "km", "ft"], otherwise: ""),
        random.chance(1, of: 4) ? "0:01:30" : "", random.chance(1, of: 4) ? name() : "",
      ])
    }
  }

  private mutating func fitbod() {
    header = [
      "Date", "Exercise", "Reps", "Weight(kg)", "Duration(s)", "Distance(m)", "Incline", "Resistance", "isWarmup", "Note", "multiplier",
    ]
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      sets += 1
      rows.append([
        "2022-06-0\(number(3)) \(random.pick(["08", "10", "23"], otherwise: "10")):1\(number(9)):00 +0000", name(), number(12),
        number(90), random.chance(1, of: 4) ? "45.0" : "0", random.chance(1, of: 4) ? "1500" : "0.0", "0",
        random.chance(1, of: 9) ? "3" : "0", random.pick(["true", "false"], otherwise: ""), random.chance(1, of: 4) ? name() : "",
        random.chance(1, of: 4) ? "2.0" : "1.0",
      ])
    }
  }

  private mutating func jefit() {
    delimiter = ","
    header = ["### SETTING ####"]
    rows = [["row_id", "mass"], ["1", " kg"], ["########"]]
    let sessions = Int.random(in: 0...3, using: &random)
    let table = [["### WORKOUT SESSIONS ####"], ["rowid", "_id", "total_time", "starttime", "endtime"]]
    let starts = (0..<sessions).map { ["\($0)", "\($0 + 1)", number(9), "177022\(number(9))318", "1770229999"] } + [["########"]]
    let isBehind = random.chance(1, of: 2)
    if !isBehind { rows += table + starts }
    rows += [["### EXERCISE LOGS ####"], ["USERID", "logs", "_id", "mydate", "eid", "ename", "day_item_id", "belongsession"]]
    // Session 0 is none: such an exercise is of its day.
    for session in 0...sessions {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let count = Int.random(in: 1...4, using: &random)
        sets += count
        let logs = (0..<count).map { _ in "\(number(90)).5x\(number(12))" }.joined(separator: ",")
        rows.append(["7", logs, "\(rows.count)", "2026-02-0\(number(3))", "8", name(), "\(rows.count)", "\(session)"])
      }
    }
    rows.append(["########"])
    if isBehind { rows += table + starts }
  }

  private mutating func gymRun() {
    header = [
      "Date", "Time", "Routine", "Exercise", "Set", "Weight", "Reps", "Duration", "Distance", "Para6", "Para7", "Note", "Type", "Book",
      "Version1",
    ]
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      sets += 1
      rows.append([
        "0\(number(3)).04.2025", "\(random.pick(["08", "10", "23"], otherwise: "10")):1\(number(9)):00",
        random.chance(1, of: 3) ? "" : name(),
        name(), number(4), number(90), number(12), random.chance(1, of: 4) ? "0:45" : "", random.chance(1, of: 4) ? "1.5" : "",
        random.chance(1, of: 9) ? "3" : "", "", random.chance(1, of: 4) ? name() : "", "1", "1", "1",
      ])
    }
  }

  private mutating func strongLifts() {
    if random.chance(1, of: 3) { return oldStrongLifts() }
    header = [
      "Date (yyyy/mm/dd)", "Workout", "Workout Name", "Exercise", "Sets×Reps", "Duration (hours)", "Start Time (h:mm)", "End Time (h:mm)",
      "Notes",
      "Set 1 (Reps)", " Set 1 (KG)", "Set 2 (Reps)", " Set 2 (KG)",
    ]
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      let second = random.chance(2, of: 3)
      sets += second ? 2 : 1
      rows.append([
        "2023/03/0\(number(4))", "12", "Workout A", name(), "2×5", "1.25", "11:30 PM", "12:45 AM", name(),
        random.chance(1, of: 5) ? "-" : "5",
        number(90), second ? "5" : "", second ? number(90) : "",
      ])
    }
  }

  /// One row for each workout.
  private mutating func oldStrongLifts() {
    header = ["Date", "Note", "Workout"]
    for exercise in 1...2 { header += ["Exercise \(exercise)", "Weight (KG)", "Weight (LB)", "Set 1", "Set 2"] }
    for _ in 0..<Int.random(in: 0...6, using: &random) {
      var row = ["2\(number(9))/03/15", name(), "A"]
      for _ in 1...2 {
        let second = random.chance(2, of: 3)
        sets += second ? 2 : 1
        row += [name(), number(90), "", random.chance(1, of: 5) ? "-1" : "5", second ? number(12) : ""]
      }
      rows.append(row)
    }
  }
}
