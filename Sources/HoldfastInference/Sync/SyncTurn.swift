import Holdfast

/// One table's turn in an attempt: decides which rows are read next, and which refusals count.
///
/// If a turn was given up because nothing of a long queue was accepted, the next turn begins there, and comes to the beginning
/// last. So bad rows, however many, cannot keep later rows from being sent, also when each attempt runs in a new process.
///
/// Five counted refusals of one revision set a row aside. A refusal counts
/// - when the server accepted another row of this table in the same attempt, before or after;
/// - at the end of the attempt, when the server accepted a row of another table;
/// - at the end of the attempt, when no other row of this table was refused, and none is set aside.
///
/// Otherwise the server may be at fault, and no refusal counts. If `mostAlone` rows were refused one by one and none was
/// accepted, no refusal counts either, and the turn is given up. Rows that cannot be read always count.
struct SyncTurn: Sendable {
  /// After this many rows refused one by one, and none accepted, the turn is given up.
  static let mostAlone = 20

  let outbox: Outbox
  /// The rows to read next.
  private(set) var stretch: Outbox.Stretch
  /// The refusals that do not count yet.
  private(set) var refusals: [Outbox.Row] = []
  private let setAside: [Int64]
  private let most: Int
  private var rest: Outbox.Stretch?
  private var waiting: [Outbox.Row] = []
  private var hasTaken = false
  private var alone = 0

  init(_ outbox: Outbox, _ opening: Outbox.Opening, batchSize: Int) {
    self.outbox = outbox
    setAside = opening.setAside
    most = min(max(1, batchSize), outbox.mostRows)
    stretch = Outbox.Stretch(after: opening.cursor ?? .start, through: opening.end, limit: most)
    rest = opening.cursor.map { [most] in Outbox.Stretch(after: .start, through: $0, limit: most) }
  }

  /// The rows that were read and can be sent.
  var sendable: [Outbox.Row] { waiting.filter { $0.problem == nil } }

  /// How many rows were read.
  var count: Int { waiting.count }

  /// Whether the refusals count at the end of the attempt.
  func refusalsCount(takesOthers: Bool) -> Bool {
    takesOthers || refusals.count == 1 && setAside.allSatisfy { $0 == refusals.first?.rowID }
  }

  /// The error of the attempt when they do not count.
  func takesNothing(_ refusal: Outbox.Row?) -> StoreError {
    .server(
      "the server took nothing of \(outbox.table) at \(outbox.path): \(refusal?.problem ?? "")",
      suggestion: "No row was set aside. Check the address of the API, then try again.")
  }

  /// Whether the turn is to be given up.
  var isHopeless: Bool { !hasTaken && alone >= Self.mostAlone }

  /// Takes the rows of the stretch; false when there are none, and no other stretch is left.
  mutating func take(_ rows: [Outbox.Row]) -> Bool {
    waiting = rows
    guard rows.isEmpty else { return true }
    guard let rest else { return false }
    (stretch, self.rest) = (rest, nil)
    return true
  }

  /// Halves the stretch. Unreadable rows are counted once, with the rows beside them.
  mutating func halve() { stretch.limit = max(1, waiting.count / 2) }

  /// Continues after the rows that were read. Returns the verdict to write.
  mutating func settle(_ answered: Outbox.Verdict) -> Outbox.Verdict {
    var verdict = answered
    if sendable.count == 1 { alone += answered.refused.count }
    // There may be many refusals, and their rows are in the store.
    refusals += answered.refused.map { row in
      var kept = row
      kept.element = .null
      return kept
    }
    if !answered.taken.isEmpty {
      hasTaken = true
      stretch.limit = min(most, stretch.limit * 2)
    }
    verdict.refused = hasTaken ? refusals : []
    if hasTaken { refusals = [] }
    verdict.refused += waiting.filter { $0.problem != nil }
    if let last = waiting.last { stretch.after = last.place }
    return verdict
  }
}
