import Foundation
import Holdfast

/// What one request to the remote API carries: rows of one table, and what its answer says of them.
struct SyncKind: Sendable {
  /// A row that waits, as it was when it was read.
  struct Row: Sendable {
    var rowID: Int64
    var id: String
    /// What the server acknowledges: an edit made meanwhile has a higher one, and stays pending.
    var revision: Int64
    /// In the wire's form; null where it cannot be read.
    var element: JSONValue
    /// Why it cannot be read, and is not sent: it keeps no other from being sent.
    var problem: String?
  }

  /// What an answer says of the rows of a request.
  enum Verdict: Equatable, Sendable {
    /// The ids that are in, and why the others are not.
    case decided(accepted: Set<String>, rejected: [String: String])
    /// Some are in, and the answer does not say which.
    case partly
    /// No answer of this API.
    case unreadable
  }

  /// Its name in the status, in reports and in `sync_tries`, too.
  var table: String
  var path: String
  /// The column that names a row to people and to the server.
  var key: String
  /// To a request, whatever the batch size.
  var mostRows = Int.max
  /// The rows that may be sent, after the one with a rowid; those of `table` that are pending.
  var rows: @Sendable (_ after: Int64, _ limit: Int, _ reader: Reader) throws -> [Row]
  /// The body of a request.
  var body: @Sendable (_ rows: [Row], _ date: Date) -> JSONValue
  /// What an answer of status 200 says.
  var verdict: @Sendable (_ answer: JSONValue, _ rows: [Row]) -> Verdict
  /// What lost on the server, by an answer of status 200 to a request of one row.
  var conflicts: @Sendable (_ answer: JSONValue) -> [LostField] = { _ in [] }

  /// What the partial indexes hold.
  static let isPending: SQL = "revision > acknowledged_revision AND revision > set_aside_revision"

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

  /// What the person has agreed to, which each reading of rows asks anew. Without a configuration: nothing.
  static func consent(_ reader: Reader) throws -> TelemetryConsent {
    try reader.value(
      "SELECT telemetry_consent FROM analytics_config WHERE configuration_id = \(InferenceConfiguration.defaultID)"
    ) { row in TelemetryConsent(rawValue: try row.text()) } ?? .denied
  }

  /// The rows of a table that wait, after one; `Int64.min` is before all.
  static func waiting<Record: StoredRecord>(
    _ type: Record.Type, key: String = "id", where condition: SQL = "true", after: Int64, limit: Int, in reader: Reader,
    _ element: (Record) -> JSONValue
  ) throws -> [Row] {
    var after = after
    var rows: [Row] = []
    if after == Int64.min {
      // The index of what waits knows where that begins. The plus keeps SQLite from looking for it through the table.
      let found = try reader.value("SELECT min(+rowid) FROM \(raw: Record.table) WHERE \(sql: isPending)") { row in try row.int64OrNil() }
      guard let first = found ?? nil, first > after else { return [] }
      after = first - 1
    }
    try reader.rows(
      """
      SELECT rowid, revision, \(raw: key), \(columns: Record.self) FROM \(raw: Record.table)
      WHERE \(sql: isPending) AND rowid > \(after) AND \(sql: condition) ORDER BY rowid LIMIT \(limit)
      """, of: Record.table
    ) { row in
      var made = Row(rowID: try row.int64(), id: "", revision: try row.int64(), element: .null)
      made.id = try row.text()
      do {
        made.element = element(try Record(row: &row))
      } catch let error as StoreError where error.code == .decoding {
        made.problem = error.message
      }
      rows.append(made)
    }
    return rows
  }

  static func decided(_ accepted: Set<String>, _ rejected: [String: String], _ sent: Set<String>) -> Verdict {
    // An id that the answer names twice is not in.
    let accepted = accepted.subtracting(rejected.keys)
    var reasons: [String: String] = [:]
    for id in sent.subtracting(accepted) { reasons[id] = rejected[id] ?? "the server did not accept it" }
    return .decided(accepted: accepted, rejected: reasons)
  }
}
