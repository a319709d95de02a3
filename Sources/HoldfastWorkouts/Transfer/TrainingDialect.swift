import Holdfast
import HoldfastTransfer

/// What a line is to a program that writes several tables into one file.
enum TrainingLine: Sendable {
  /// A row of the table that has the sets.
  case row
  /// A title, a header, or a row whose values come in with other rows.
  case known
  /// A row that the log cannot store.
  case skipped(kind: String, reason: String)
  /// A row of another table that cannot be read, with the reason.
  case damaged(String)
}

/// A program's table: what its header says, and what the person said of it.
struct TrainingTable: Sendable {
  let columns: CSVColumns
  let clock: WallClock
  /// The unit of its weights, from the header, otherwise from the person.
  let unit: WeightUnit?
  /// The header's text for this unit; nil when the person gave the unit.
  let unitText: String?
  var carries: TrainingFields
  /// The signs in its numbers. If a number is open, the file is read once to decide.
  var signs: CSVSigns

  init(_ file: CSVTable, _ names: [String: [String]], _ clock: WallClock, _ unit: WeightUnit?) {
    columns = CSVColumns(file.header, names)
    self.clock = clock
    unitText = columns.units["weight"].flatMap { WeightUnit(spelled: $0) == nil ? nil : $0 }
    self.unit = unitText.flatMap(WeightUnit.init(spelled:)) ?? unit
    carries = TrainingFields(columns)
    signs = CSVSigns(file)
  }

  func text(_ name: String, _ cells: [String]) -> String? { columns.text(name, cells) }
}

/// The form in which one program writes its table.
protocol TrainingDialect: Sendable {
  /// The format's name.
  static var name: String { get }
  /// The spellings of each column, folded and without a unit.
  static var names: [String: [String]] { get }
  /// The columns that the header must have, by their names for people; any one of several is enough.
  static var required: KeyValuePairs<String, [String]> { get }

  var table: TrainingTable { get set }
  /// Whether rows of one exercise may stand between rows of others.
  var interleaves: Bool { get }
  /// How many cells a row must have; some programs leave out empty cells at the end.
  var leastCells: Int { get }

  /// How many cells a row has; nil: as many as the file's first line.
  var width: Int? { get }

  /// Reads a table with this program's header.
  ///
  /// - Throws: what `CSVTable.lines(_:)` throws, for a program whose rows are understood only together; `.invalidSource`.
  init(_ file: CSVTable, _ clock: WallClock, _ unit: WeightUnit?) throws

  /// How many columns of a header belong to such a table, and which required columns are missing.
  static func likeness(_ header: [String]) -> (known: Int, missing: [String])

  /// Called with each line, in order, and again with the first line where the file repeats it. Only a program that writes several tables
  /// into one file needs it.
  mutating func take(_ cells: [String]) -> TrainingLine
  /// The cells of a row that has too many, joined where the program left out quotes; nil when the place is unclear.
  func joined(_ cells: [String], _ row: [UInt8]) -> [String]?
  /// The cells of a row that are numbers.
  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)]
  /// The workout's exercises in a row of the table: for most programs one.
  ///
  /// - Throws: `RowProblem` for a row that cannot be read; `UnitMissing` when the unit is unknown.
  func rows(_ cells: [String]) throws -> [TrainingRow]
  /// The program's text for a type of set; empty when it has none.
  func text(_ type: SetType) -> String
}

extension TrainingDialect {
  static var names: [String: [String]] { [:] }
  static var required: KeyValuePairs<String, [String]> { [:] }
  var interleaves: Bool { true }
  var width: Int? { nil }
  mutating func take(_ cells: [String]) -> TrainingLine { .row }
  func joined(_ cells: [String], _ row: [UInt8]) -> [String]? { nil }
  func numbers(_ cells: [String]) -> [(quantity: CSVQuantity, text: String)] {
    table.columns.texts(
      [.weight: "weight", .reps: "reps", .distance: "distance", .seconds: "seconds", .rpe: "rpe", .duration: "duration"], in: cells)
  }
  func text(_ type: SetType) -> String { type == .working ? "" : type.rawValue }
  static func likeness(_ header: [String]) -> (known: Int, missing: [String]) {
    let columns = CSVColumns(header, names)
    return (columns.count, columns.missing(required))
  }
  /// Whether this is a header of such a table, in any version.
  static func isHeader(_ cells: [String]) -> Bool { likeness(cells).missing.isEmpty }
}

extension SetType {
  /// From the words that Hevy and Jefit share; another word is kept, because they may add some.
  ///
  /// - Parameter working: the program's word for a working set.
  init(word: String, working: String) {
    switch CSVColumns.folded(word) {
    case working: self = .working
    case "warmup": self = .warmUp
    case "dropset": self = .dropSet
    case "failure": self = .failure
    default: self.init(rawValue: word)
    }
  }

  /// The word that the two share for it.
  func word(working: String) -> String {
    switch self {
    case .working: working
    case .warmUp: "warmup"
    case .dropSet: "dropset"
    default: rawValue
    }
  }
}
