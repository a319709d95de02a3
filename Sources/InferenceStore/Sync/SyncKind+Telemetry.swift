import Foundation
import Holdfast

extension SyncKind {
  /// Events, with consent only: what was recorded before consent was taken back waits until it is given again, or is deleted.
  ///
  /// The wire's form of a date is seconds since 2001, as `JSONEncoder` writes it.
  static func telemetry(deviceID: String, sessionID: String) -> SyncKind {
    SyncKind(
      table: TelemetryEvent.table, path: "/v1/sync/telemetry", key: "id",
      rows: { after, limit, reader in
        let condition: SQL
        switch try consent(reader) {
        case .granted: condition = "true"
        case .limited:
          condition = "type IN (\(TelemetryEventType.error.rawValue), \(TelemetryEventType.performance.rawValue))"
        default: return []
        }
        return try waiting(TelemetryEvent.self, where: condition, after: after, limit: limit, in: reader) { element(of: $0) }
      },
      body: { rows, date in
        .object([
          "events": .array(rows.map(\.element)), "deviceId": .string(deviceID), "sessionId": .string(sessionID),
          "timestamp": .double(date.timeIntervalSinceReferenceDate),
        ])
      },
      verdict: { answer, rows in telemetryVerdict(answer, rows) })
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
}
