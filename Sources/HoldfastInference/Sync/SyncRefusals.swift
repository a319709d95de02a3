import Holdfast

/// What a server has refused of one table in one attempt.
///
/// Five refusals set a row aside, so only those count that say something of the row: where the server took another row in the same attempt,
/// before or after, of this table or of another one, or where there is no other. A server that refuses everything is broken, and sets
/// nothing aside; so is a path that refuses row after row.
struct SyncRefusals {
  /// So many rows refused one by one, and none taken, end an attempt: the next begins behind them.
  static let mostAlone = 20

  /// Those that do not count yet.
  private(set) var rows: [(row: SyncKind.Row, reason: String)] = []
  private var hasTaken = false
  private var alone = 0

  /// Whether to go on makes no sense.
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

  /// Those that count by now, each once.
  mutating func counted() -> [(row: SyncKind.Row, reason: String)] {
    guard hasTaken else { return [] }
    defer { rows = [] }
    return rows
  }
}
