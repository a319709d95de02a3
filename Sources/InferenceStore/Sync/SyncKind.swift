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
    /// In the wire's form.
    var element: JSONValue
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

  /// In `sync_tries`.
  var name: String
  var path: String
  var table: String
  /// The column that names a row to people and to the server.
  var key: String
  /// The rows that may be sent, after the one with a rowid; those of `table` that are pending.
  var rows: @Sendable (_ after: Int64, _ limit: Int, _ reader: Reader) throws -> [Row]
  /// The body of a request.
  var body: @Sendable (_ rows: [Row], _ date: Date) -> JSONValue
  /// What an answer of status 200 says.
  var verdict: @Sendable (_ answer: JSONValue, _ rows: [Row]) -> Verdict

  /// What the partial indexes hold.
  static let isPending: SQL = "revision > acknowledged_revision AND revision > set_aside_revision"
}

extension SyncKind {
  /// Events, with consent only: what was recorded before consent was taken back waits until it is given again, or is deleted.
  ///
  /// The wire's form of a date is seconds since 2001, as `JSONEncoder` writes it.
  static func telemetry(deviceID: String, sessionID: String) -> SyncKind {
    SyncKind(
      name: "telemetry", path: "/v1/sync/telemetry", table: TelemetryEvent.table, key: "id",
      rows: { after, limit, reader in
        let allowed = try allowedTypes(reader)
        guard let allowed else { return [] }
        let condition: SQL = allowed.isEmpty ? "true" : "type IN (\(raw: allowed.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"
        var rows: [Row] = []
        try reader.rows(
          """
          SELECT rowid, revision, \(columns: TelemetryEvent.self) FROM telemetry
          WHERE \(sql: isPending) AND rowid > \(after) AND \(sql: condition) ORDER BY rowid LIMIT \(limit)
          """, of: TelemetryEvent.table
        ) { row in
          let (rowID, revision) = (try row.int64(), try row.int64())
          let event = try TelemetryEvent(row: &row)
          rows.append(Row(rowID: rowID, id: event.id, revision: revision, element: element(of: event)))
        }
        return rows
      },
      body: { rows, date in
        .object([
          "events": .array(rows.map(\.element)), "deviceId": .string(deviceID), "sessionId": .string(sessionID),
          "timestamp": .double(date.timeIntervalSinceReferenceDate),
        ])
      },
      verdict: telemetryVerdict)
  }

  /// Nil: none may be sent. Empty: all may.
  private static func allowedTypes(_ reader: Reader) throws -> [TelemetryEventType]? {
    let consent = try reader.value(
      "SELECT telemetry_consent FROM analytics_config WHERE configuration_id = \(InferenceConfiguration.defaultID)"
    ) { row in TelemetryConsent(rawValue: try row.text()) }
    return switch consent {
    case .granted: []
    case .limited: [.error, .performance]
    default: nil
    }
  }

  private static func element(of event: TelemetryEvent) -> JSONValue {
    .object([
      "id": .string(event.id), "type": .string(event.type.rawValue),
      "data": .string(Data(event.properties.text.utf8).base64EncodedString()),
      "timestamp": .double(event.occurredAt.timeIntervalSinceReferenceDate),
    ])
  }

  /// `{"accepted": …, "rejected": …, "errors": […]}`: numbers, or lists of ids.
  static func telemetryVerdict(_ answer: JSONValue, _ rows: [Row]) -> Verdict {
    guard case .object(let members) = answer else { return .unreadable }
    let sent = Set(rows.map(\.id))
    var rejected: [String: String] = [:]
    if case .array(let ids)? = members["rejected"] {
      for case .string(let id) in ids where sent.contains(id) { rejected[id] = "the server rejected it" }
    }
    if case .array(let errors)? = members["errors"] {
      for case .object(let error) in errors {
        guard case .string(let id)? = error["id"], sent.contains(id) else { continue }
        var reason = "the server rejected it"
        if case .string(let message)? = error["message"] { reason = "the server rejected it: \(message.prefix(200))" }
        rejected[id] = reason
      }
    }
    switch members["accepted"] {
    case .array(let ids)?:
      var accepted: Set<String> = []
      for case .string(let id) in ids where sent.contains(id) { accepted.insert(id) }
      return decided(accepted, rejected, sent)
    case .integer(let count)?:
      if count == Int64(sent.count - rejected.count) {
        return decided(sent.subtracting(rejected.keys), rejected, sent)
      }
      if sent.count == 1 { return decided([], rejected, sent) }
      return .partly
    default: return .unreadable
    }
  }

  private static func decided(_ accepted: Set<String>, _ rejected: [String: String], _ sent: Set<String>) -> Verdict {
    // An id that the answer names twice is not in.
    let accepted = accepted.subtracting(rejected.keys)
    var reasons: [String: String] = [:]
    for id in sent.subtracting(accepted) { reasons[id] = rejected[id] ?? "the server did not accept it" }
    return .decided(accepted: accepted, rejected: reasons)
  }
}
