import Foundation
import Holdfast

/// Finds the columns of a table by names that are the same in all versions and languages of a program.
struct CSVColumns: Sendable {
  private var places: [String: Int] = [:]
  /// The text in parentheses after a name: `Weight (kg)`.
  private(set) var units: [String: String] = [:]
  /// Columns that the reader does not know, spelled as in the header.
  private var unknown: [(place: Int, name: String)] = []

  /// - Parameter names: the spellings of each column, folded and without a unit.
  init(_ header: [String], _ names: [String: [String]]) {
    var known: [String: String] = [:]
    for (name, spellings) in names { for spelling in spellings { known[spelling] = name } }
    for (place, written) in header.enumerated() {
      let (spelling, unit) = Self.parted(Self.folded(written))
      guard let name = known[spelling], places[name] == nil, !Self.isTime(name) || unit.map({ CSVDuration.unit($0) != nil }) ?? true else {
        unknown.append((place, written))
        continue
      }
      places[name] = place
      // A column may be named by its unit alone.
      if let unit = unit ?? (Self.isUnit(spelling) ? spelling : nil) { units[name] = unit }
    }
  }

  private static func isUnit(_ name: String) -> Bool { WeightUnit(spelled: name) != nil || ["km", "mi"].contains(name) }

  /// Columns of lengths. One in a unit that is not known is not read: its numbers would be other lengths.
  private static func isTime(_ name: String) -> Bool { ["duration", "seconds"].contains(name) }

  /// The milliseconds of one unit of a column of lengths, `Duration (minutes)`; nil where the header names none.
  func timeUnit(_ name: String) -> Int? { units[name].flatMap(CSVDuration.unit) }

  var count: Int { places.count }

  func place(_ name: String) -> Int? { places[name] }

  func has(_ name: String) -> Bool { places[name] != nil }

  /// The names of missing columns, as people know them.
  ///
  /// - Parameter wanted: a name for people, and the columns, any of which is enough.
  func missing(_ wanted: KeyValuePairs<String, [String]>) -> [String] {
    wanted.filter { !$0.value.contains(where: has) }.map(\.key)
  }

  /// The texts in the cells of these columns.
  func texts(_ names: KeyValuePairs<CSVQuantity, String>, in cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    names.compactMap { quantity, name in text(name, cells).map { (quantity, $0) } }
  }

  /// How many cells a row must have to reach all of these columns, as far as they exist.
  func cells(reaching names: String...) -> Int { names.compactMap { places[$0] }.max().map { $0 + 1 } ?? 0 }

  /// Nil for a cell that is empty, blank or missing.
  func text(_ name: String, _ cells: [String]) -> String? { places[name].flatMap { Self.text($0, cells) } }

  static func text(_ place: Int, _ cells: [String]) -> String? {
    guard cells.indices.contains(place) else { return nil }
    let cell = cells[place]
    // A visible ASCII character, which nearly all cells have, is found without Unicode's properties.
    return cell.utf8.contains { 0x21...0x7E ~= $0 } || cell.contains { !$0.isWhitespace } ? cell : nil
  }

  /// A doubt for each unknown column that has a value; reported once for each column.
  func doubts(_ cells: [String], besides read: Set<Int> = []) -> [TrainingRow.Doubt] {
    unknown.filter { !read.contains($0.place) && Self.text($0.place, cells) != nil }.map {
      TrainingRow.Doubt(kind: "exercise_sets", field: $0.name, reason: "this column is not known, and its cells are not imported")
    }
  }

  /// The name without case, accents, blanks around it and the shape of an apostrophe.
  static func folded(_ name: String) -> String {
    // Some cells of each row come here, and rarely have blanks or an apostrophe. Checking for them costs far less than
    // Foundation's functions.
    let folded = SortText.folded(isTrimmed(name) ? name : name.trimmingCharacters(in: .whitespacesAndNewlines))
    return folded.utf8.contains(0xE2) ? folded.replacingOccurrences(of: "\u{2019}", with: "'") : folded
  }

  /// Whether both ends are visible ASCII characters; false for other characters.
  private static func isTrimmed(_ name: String) -> Bool {
    guard let first = name.utf8.first, let last = name.utf8.last else { return true }
    return 0x21...0x7E ~= first && 0x21...0x7E ~= last
  }

  private static func parted(_ name: String) -> (String, unit: String?) {
    guard name.hasSuffix(")"), let open = name.lastIndex(of: "(") else { return (name, nil) }
    return (name[..<open].trimmingCharacters(in: .whitespaces), String(name[name.index(after: open)...].dropLast()))
  }
}

extension WeightUnit {
  /// From the spellings of programs and people; nil for anything else.
  init?(spelled text: String) {
    switch CSVColumns.folded(text) {
    case "kg", "kgs", "kilogram", "kilograms": self = .kilograms
    case "lb", "lbs", "pound", "pounds": self = .pounds
    default: return nil
    }
  }
}

extension DistanceUnit {
  /// From the spellings of programs; an unknown spelling is kept.
  init(spelled text: String) {
    switch CSVColumns.folded(text) {
    case "km", "kilometer", "kilometers", "kilometres": self = .kilometers
    case "mi", "mi.", "mile", "miles": self = .miles
    case "m", "meter", "meters", "metre", "metres": self = .meters
    default: self.init(rawValue: text.trimmingCharacters(in: .whitespaces))
    }
  }
}
