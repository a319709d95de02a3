import Holdfast

/// The rows of one table that the server refused in one attempt, and whose refusals are not counted yet.
///
/// Five counted refusals of one revision set a row aside. A refusal counts
/// - when the server took another row of this table in the same attempt, before or after;
/// - at the end of the attempt, when the server took a row of another table;
/// - at the end of the attempt, when no other row of this table was refused, and none is set aside.
///
/// Otherwise the server may be at fault, and nothing counts. Nothing counts either where `mostAlone` rows were refused one by one and none was
/// taken: the attempt ends for this table. Rows that cannot be read always count, and are not kept here.
struct SyncRefusals {
  /// After so many rows refused one by one, and none taken, the attempt ends for this table. The next one begins behind them.
  static let mostAlone = 20

  /// Those that do not count yet.
  private(set) var rows: [(row: SyncKind.Row, reason: String)] = []
  private var hasTaken = false
  private var alone = 0

  /// Whether the attempt ends for this table.
  var areHopeless: Bool { !hasTaken && alone >= Self.mostAlone }

  mutating func add(_ row: SyncKind.Row, _ reason: String, isAlone: Bool = false) {
    var row = row
    // There may be many, and what they say is in the store.
    row.element = .null
    rows.append((row, reason))
    if isAlone { alone += 1 }
  }

  /// The server has taken something.
  mutating func noteTaken() { hasTaken = true }

  /// Takes out the refusals that count by now.
  mutating func counted() -> [(row: SyncKind.Row, reason: String)] {
    guard hasTaken else { return [] }
    defer { rows = [] }
    return rows
  }
}
