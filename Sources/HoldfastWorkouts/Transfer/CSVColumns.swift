import Foundation
import Holdfast

/// Where the columns of a table are, by names that are the same in all of a program's versions and languages.
struct CSVColumns: Sendable {
  private var places: [String: Int] = [:]
  /// What stands in parentheses behind a name: `Weight (kg)`.
  private(set) var units: [String: String] = [:]
  /// Those that mean nothing to the reader, as the header has them.
  private var unknown: [(place: Int, name: String)] = []

  /// - Parameter names: the spellings of each column, folded and without a unit.
  init(_ header: [String], _ names: [String: [String]]) {
    var known: [String: String] = [:]
    for (name, spellings) in names { for spelling in spellings { known[spelling] = name } }
    for (place, written) in header.enumerated() {
      let (spelling, unit) = Self.parted(Self.folded(written))
      guard let name = known[spelling], places[name] == nil else {
        unknown.append((place, written))
        continue
      }
      places[name] = place
      // A column may be called by its unit alone.
      if let unit = unit ?? (Self.isUnit(spelling) ? spelling : nil) { units[name] = unit }
    }
  }

  private static func isUnit(_ name: String) -> Bool { WeightUnit(spelled: name) != nil || ["km", "mi"].contains(name) }

  var count: Int { places.count }

  func place(_ name: String) -> Int? { places[name] }

  func has(_ name: String) -> Bool { places[name] != nil }

  /// The names of columns that are not there, as people know them.
  ///
  /// - Parameter wanted: each by what it is here, any one of which is enough.
  func missing(_ wanted: KeyValuePairs<String, [String]>) -> [String] {
    wanted.filter { !$0.value.contains(where: has) }.map(\.key)
  }

  /// What stands in the cells of these columns.
  func texts(_ names: KeyValuePairs<CSVQuantity, String>, in cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    names.compactMap { quantity, name in text(name, cells).map { (quantity, $0) } }
  }

  /// How many cells a row must have to reach all of these, as far as there are such columns.
  func cells(reaching names: String...) -> Int { names.compactMap { places[$0] }.max().map { $0 + 1 } ?? 0 }

  /// Nil for a cell that is empty or blank, or not there.
  func text(_ name: String, _ cells: [String]) -> String? { places[name].flatMap { Self.text($0, cells) } }

  static func text(_ place: Int, _ cells: [String]) -> String? {
    guard cells.indices.contains(place), cells[place].contains(where: { !$0.isWhitespace }) else { return nil }
    return cells[place]
  }

  /// What is in columns that are not known, to be told once for each.
  func doubts(_ cells: [String], besides read: Set<Int> = []) -> [TrainingRow.Doubt] {
    unknown.filter { !read.contains($0.place) && Self.text($0.place, cells) != nil }.map {
      TrainingRow.Doubt(kind: "exercise_sets", field: $0.name, reason: "this column is not known; what is in it is not imported")
    }
  }

  /// Case, accents, blanks around it and the shape of an apostrophe apart.
  static func folded(_ name: String) -> String {
    // Some cells of each row come here, and hardly ever have blanks or an apostrophe: looking costs far less than Foundation's ways.
    let folded = SortText.folded(isTrimmed(name) ? name : name.trimmingCharacters(in: .whitespacesAndNewlines))
    return folded.utf8.contains(0xE2) ? folded.replacingOccurrences(of: "\u{2019}", with: "'") : folded
  }

  /// Whether both ends are visible signs of ASCII; false where that is not known.
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
  /// As programs and people spell them. Nil for anything else.
  init?(spelled text: String) {
    switch CSVColumns.folded(text) {
    case "kg", "kgs", "kilogram", "kilograms": self = .kilograms
    case "lb", "lbs", "pound", "pounds": self = .pounds
    default: return nil
    }
  }
}

extension DistanceUnit {
  /// As programs spell them; a spelling that is not known stays as it is.
  init(spelled text: String) {
    switch CSVColumns.folded(text) {
    case "km", "kilometer", "kilometers", "kilometres": self = .kilometers
    case "mi", "mi.", "mile", "miles": self = .miles
    case "m", "meter", "meters", "metre", "metres": self = .meters
    default: self.init(rawValue: text.trimmingCharacters(in: .whitespaces))
    }
  }
}
