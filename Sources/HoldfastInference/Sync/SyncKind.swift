import Foundation
import Holdfast

/// What one request to the remote API carries: rows of one table, and what its answer says of them.
struct SyncKind: Sendable {
  /// A row that waits, as it was when it was read.
  struct Row: Sendable {
    var rowID: Int64
    /// As far as it is UTF-8: what is changed of a row is found by `rowID`.
    var id: String
    /// What the server acknowledges: an edit made meanwhile has a higher one, and stays pending.
    var revision: Int64
    var place = SentTable.Place.start
    /// In the wire's form; null where it cannot be read.
    var element: JSONValue = .null
    /// Why it cannot be read, and is not sent: it keeps no other from being sent.
    var problem: String?
    /// Whether its request must not say who sends it.
    var isAnonymous = false
  }

  /// What an answer says of the rows of a request.
  enum Verdict: Equatable, Sendable {
    /// The ids that are in, and why the others are not.
    case decided(accepted: Set<ExactText>, rejected: [ExactText: String])
    /// Some are in, and the answer does not say which.
    case partly
    /// No answer of this API.
    case unreadable
  }

  var table: SentTable
  var path: String
  /// To a request, whatever the batch size.
  var mostRows = Int.max
  /// Whether some of its rows go with limited consent, too.
  var goesWithLimitedConsent = false
  /// The rows of a stretch that may be sent.
  var read: @Sendable (_ stretch: SentTable.Stretch, _ filter: TelemetryFilter, _ reader: Reader) throws -> [Row]
  /// The body of a request.
  var body: @Sendable (_ rows: [Row], _ date: Date) -> JSONValue
  /// What an answer of status 200 says.
  var verdict: @Sendable (_ answer: JSONValue, _ rows: [Row]) -> Verdict
  /// What lost on the server, by an answer of status 200 to a request of one row.
  var conflicts: @Sendable (_ answer: JSONValue) -> [LostField] = { _ in [] }

  /// Those of the options, in the order in which they are sent: what cannot be made again comes first.
  static func all(_ options: SyncOptions) -> [SyncKind] {
    SyncedKind.allCases.filter(options.kinds.contains).flatMap { kind -> [SyncKind] in
      switch kind {
      case .telemetry: [telemetry(deviceID: options.deviceID, sessionID: options.sessionID)]
      case .configuration: [configurations]
      case .models: [models]
      case .history: [sessions, generations]
      case .preferences: [preferences]
      }
    }
  }

  /// The rows of a stretch that wait and may be sent: consent is asked for anew in each reading.
  func rows(in stretch: SentTable.Stretch, _ secretProperties: SecretProperties, _ reader: Reader) throws -> [Row] {
    guard let filter = try TelemetryFilter(secretProperties, in: reader), goesWithLimitedConsent || !filter.isLimited else { return [] }
    return try read(stretch, filter, reader)
  }

  static func rows<Record: StoredRecord>(
    of type: Record.Type, _ table: SentTable, _ stretch: SentTable.Stretch, where condition: BoundSQL = "true", in reader: Reader,
    _ element: (Record) throws -> JSONValue
  ) throws -> [Row] {
    var rows: [Row] = []
    let columns: BoundSQL = "\(sql: table.placed), \(columns: Record.self)"
    try reader.rows(table.waiting(stretch, columns, where: condition), of: table.name) { row in
      var made = try Row(&row)
      do {
        made.element = try element(try Record(row: &row))
      } catch let error as StoreError where error.code == .decoding || error.code == .invalidValue {
        made.problem = error.message
      }
      rows.append(made)
    }
    return rows
  }

  static func decided(_ accepted: Set<ExactText>, _ rejected: [ExactText: String], _ sent: Set<ExactText>) -> Verdict {
    // An id that the answer names twice is not in.
    let accepted = accepted.subtracting(rejected.keys)
    var reasons: [ExactText: String] = [:]
    for id in sent.subtracting(accepted) { reasons[id] = rejected[id] ?? "the server did not accept it" }
    return .decided(accepted: accepted, rejected: reasons)
  }

  static func ids(of rows: [Row]) -> Set<ExactText> { Set(rows.map { ExactText($0.id) }) }
}

extension SyncKind.Row {
  /// Of `SentTable.placed`.
  init(_ row: inout StoredRow) throws {
    rowID = try row.int64()
    revision = try row.int64()
    place = try SentTable.Place(&row)
    id = String(decoding: place.key, as: UTF8.self)
  }
}
