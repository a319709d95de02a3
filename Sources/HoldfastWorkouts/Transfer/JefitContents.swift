import Foundation
import Holdfast
import HoldfastTransfer

/// What the other tables of Jefit's export say of the rows of `EXERCISE LOGS`. They may stand before or behind that table, so the file is
/// read once more for them.
struct JefitContents: Sendable {
  struct Session: Sendable {
    /// In local time, as the end.
    var start: Int64
    var end: Int64?
    /// In seconds.
    var total: String?
    /// What was measured and the log cannot store: kind and reason.
    var others: [(kind: String, reason: String)] = []
  }

  /// Whether there is a table of sets.
  private(set) var hasSets = false
  private var units: Set<WeightUnit> = []
  /// By their numbers.
  private(set) var sessions: [String: Session] = [:]
  /// The numbers of sessions that have an exercise.
  private(set) var logged: Set<String> = []
  /// The numbers of all rows of `EXERCISE LOGS`.
  private(set) var logs: Set<String> = []
  /// The rows that a later one of the same exercise repeats with more sets: some versions write a row after each set.
  private(set) var outdated: Set<String> = []
  /// The exercises and days of all rows that can be read, and of those whose sets may be times; see `day`.
  private(set) var days: Set<String> = []
  private(set) var timedDays: Set<String> = []
  private var rows: [(id: String?, day: String, sets: JefitSets)] = []
  private(set) var notes: [String: [String]] = [:]
  /// The exercises and days that have a time in `CARDIO LOGS`.
  private var cardio: Set<String> = []
  /// The rows that have a time in `EXERCISE SET LOGS`.
  private var timed: Set<String> = []
  /// The types of sets other than usual ones, by the row and the place of the set.
  private var types: [String: String] = [:]

  /// The unit of all weights; nil where the file does not name it, or names two.
  var unit: WeightUnit? { units.count == 1 ? units.first : nil }

  /// - Throws: what `CSVTable.lines(_:)` throws.
  init(_ file: CSVTable, _ clock: WallClock) throws {
    var tables = JefitTables(file.header)
    var last: [String: (id: String, sets: [String])] = [:]
    try file.lines { line, _ in
      switch line {
      case .header: _ = tables.isRow(file.header)
      case .row(let cells, _) where tables.isRow(cells): take(cells, tables, clock, &last)
      case .row: hasSets = hasSets || tables.title == .logs && tables.columns.has("exercise") && tables.columns.has("sets")
      case .damaged, .guessed: break
      }
    }
    for row in rows {
      let hasTime = row.id.map(timed.contains) == true || cardio.contains(row.day)
      if hasTime || !row.sets.areLikelyTimes { days.insert(row.day) }
      if hasTime, row.sets.maybeTimes { timedDays.insert(row.day) }
    }
    rows = []
  }

  /// An exercise on a day, as notes and times of training for endurance name it; nil where a row lacks one of these.
  static func day(_ columns: CSVColumns, _ cells: [String]) -> String? {
    guard let exercise = columns.text("exercise id", cells), let date = columns.text("date", cells) else { return nil }
    return "\(exercise)/\(columns.text("is built in", cells) ?? "1")/\(date)"
  }

  func hasTime(_ columns: CSVColumns, _ cells: [String]) -> Bool {
    columns.text("id", cells).map(timed.contains) == true || Self.day(columns, cells).map(cardio.contains) == true
  }

  /// The program's word for the type of a set; nil for a usual one.
  func type(of row: String, at index: Int) -> String? { types["\(row)/\(index)"] }

  private mutating func take(
    _ cells: [String], _ tables: JefitTables, _ clock: WallClock, _ last: inout [String: (id: String, sets: [String])]
  ) {
    let columns = tables.columns
    func text(_ name: String) -> String? { columns.text(name, cells) }
    let day = Self.day(columns, cells)
    switch tables.title {
    case .setting: if let unit = text("mass").flatMap(WeightUnit.init(spelled:)) { units.insert(unit) }
    case .sessions:
      guard let id = text("id"), sessions[id] == nil, let start = Self.time(text("start"), clock) else { return }
      sessions[id] = Session(start: start, end: Self.time(text("end"), clock), total: text("total"))
      for (name, reason) in [("calories", "the log has no calories"), ("heart rate", "the log has no heart rates")]
      where !Self.isNothing(text(name)) {
        sessions[id]?.others.append((name.replacingOccurrences(of: " ", with: "_"), reason))
      }
    case .logs:
      if let day { rows.append((text("id"), day, JefitSets(text("sets") ?? ""))) }
      if let session = text("session") { logged.insert(session) }
      guard let id = text("id") else { return }
      logs.insert(id)
      guard let sets = text("sets") else { return }
      let key = ["session", "exercise", "exercise id", "plan", "date"].map { text($0) ?? "" }.joined(separator: "/")
      let pieces = JefitSets(sets).pieces
      if let before = last[key], before.id != id, pieces.count > before.sets.count, pieces.starts(with: before.sets) {
        outdated.insert(before.id)
      }
      last[key] = (id, pieces)
    case .sets:
      guard let log = text("log") else { return }
      if !Self.isNothing(text("time")) { timed.insert(log) }
      if let type = text("type"), type != "default", let index = text("index") { types["\(log)/\(index)"] = type }
    case .cardio: if let day, !Self.isNothing(text("time")) { cardio.insert(day) }
    case .notes: if let day, let note = text("note") { notes[day, default: []].append(note) }
    default: break
    }
  }

  /// Whether a cell is empty or 0.
  static func isNothing(_ text: String?) -> Bool { text.map { CSVNumber($0, .letters)?.value == 0 } ?? true }

  /// A local time, from seconds since 1970.
  private static func time(_ text: String?, _ clock: WallClock) -> Int64? {
    guard let text, let seconds = Int64(text), seconds > 0 else { return nil }
    let (milliseconds, isTooMuch) = seconds.multipliedReportingOverflow(by: 1000)
    return isTooMuch ? nil : DateCodec.date(milliseconds: milliseconds).map(clock.time)
  }
}
