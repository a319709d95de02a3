import Foundation
import HoldfastTransfer

/// The tables in Jefit's export, read line by line. Each has a title such as `### EXERCISE LOGS ####`, a header and rows; a line of number
/// signs ends it. One title may have several tables, each with its header. A table without rows has no header.
struct JefitTables: Sendable {
  enum Title: String, Sendable, CaseIterable {
    case setting = "SETTING"
    case profile = "PROFILE"
    case routines = "ROUTINES"
    case sessions = "WORKOUT SESSIONS"
    case logs = "EXERCISE LOGS"
    case sets = "EXERCISE SET LOGS"
    case records = "EXERCISE RECORDS"
    case cardio = "CARDIO LOGS"
    case cardioExercises = "CARDIO EXERCISE LOGS"
    case exercises = "CUSTOM EXERCISES"
    case favorites = "FAVORITE EXERCISES"
    case notes = "NOTES"
  }

  /// The title above the present line; empty behind a line of number signs.
  private(set) var name: String
  private(set) var columns = CSVColumns([], [:])
  /// How many columns the present table has; 0 before its header.
  private(set) var width = 0

  var title: Title? { Title(rawValue: name) }

  /// The columns of the tables that are read. What Jefit computes, and its own numbers of rows, are known and not imported.
  private static let names = [
    "mass": ["mass"], "id": ["_id"], "session": ["belongsession"], "exercise": ["ename"], "exercise id": ["eid"],
    "is built in": ["belongsys"],
    "plan": ["day_item_id"], "date": ["mydate"], "sets": ["logs"], "start": ["starttime", "starttimie"], "end": ["endtime"],
    "total": ["total_time"], "calories": ["calories"], "heart rate": ["avg_heart_rate"], "log": ["exercise_log_id"], "index": ["set_index"],
    "type": ["set_type"], "time": ["duration"], "note": ["mynote"], "user": ["userid"], "changed": ["timestamp"],
    "row": ["row_id", "rowid"],
    "one rep": ["record"], "logged": ["logtime"], "generated": ["auto_generated"],
  ]

  /// - Parameter line: the file's first.
  init(_ line: [String]) { name = Self.title(line) ?? "" }

  /// The title in a line; empty for one of number signs alone, nil for any other line.
  static func title(_ line: [String]) -> String? {
    guard let first = line.first, first.hasPrefix("###") else { return nil }
    return first.trimmingCharacters(in: CharacterSet(charactersIn: "# "))
  }

  /// Which of the columns of the sets a header has.
  static func logs(_ header: [String]) -> CSVColumns { CSVColumns(header, names.filter { wanted.contains($0.key) }) }

  private static let wanted: Set = ["exercise", "sets", "date", "session"]

  /// Takes the next line. Returns whether it is a row: no title and no header.
  mutating func isRow(_ cells: [String]) -> Bool {
    if let name = Self.title(cells) {
      (self.name, columns, width) = (name, CSVColumns([], [:]), 0)
      return false
    }
    guard width == 0 || cells.contains("_id") else { return true }
    (columns, width) = (CSVColumns(cells, Self.names), cells.count)
    return false
  }
}
