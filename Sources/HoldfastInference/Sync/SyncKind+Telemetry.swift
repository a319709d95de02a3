import Foundation
import Holdfast

extension SyncKind {
  /// Events, as far as the person consents now: what was recorded with more consent loses what it may not say any more, and what may not
  /// go at all waits until it may, or is deleted.
  ///
  /// The wire's form of a date is seconds since 2001, as `JSONEncoder` writes it.
  static func telemetry(deviceID: String, sessionID: String) -> SyncKind {
    SyncKind(
      table: .telemetry, path: "/v1/sync/telemetry", goesWithLimitedConsent: true,
      read: { stretch, filter, reader in
        var filter = filter
        var rows = try rows(of: TelemetryEvent.self, .telemetry, stretch, where: filter.admittedTypes, in: reader) { event in
          var admitted = event
          guard try filter.admit(&admitted) else { throw StoreError(.invalidValue, "what the person agreed to does not let it go") }
          return element(of: admitted)
        }
        for place in rows.indices { rows[place].isAnonymous = filter.isLimited }
        return rows
      },
      body: { rows, date in
        // The members are the API's; empty they say nothing.
        let isAnonymous = rows.contains(where: \.isAnonymous)
        return .object([
          "events": .array(rows.map(\.element)), "deviceId": .string(isAnonymous ? "" : deviceID),
          "sessionId": .string(isAnonymous ? "" : sessionID), "timestamp": .double(date.timeIntervalSinceReferenceDate),
        ])
      },
      verdict: { answer, rows in telemetryVerdict(answer, rows) })
  }

  /// Every field that an event has; nothing where there is nothing.
  static func element(of event: TelemetryEvent) -> JSONValue {
    var members: [String: JSONValue] = [
      "id": .string(event.id), "type": .string(event.type.rawValue),
      "data": .string(Data(event.properties.text.utf8).base64EncodedString()), "timestamp": SyncWire.date(event.occurredAt),
      "createdAt": SyncWire.date(event.createdAt), "updatedAt": SyncWire.date(event.updatedAt),
    ]
    members["name"] = event.name.map(JSONValue.string)
    members["userId"] = event.userID.map(JSONValue.string)
    members["sessionId"] = event.sessionID.map(JSONValue.string)
    members["deviceInfo"] = event.deviceInfo.map(JSONValue.object)
    members["sdkVersion"] = event.sdkVersion.map(JSONValue.string)
    return .object(members)
  }

  /// `{"accepted": …, "rejected": …, "errors": […]}`: numbers, or lists of ids.
  static func telemetryVerdict(_ answer: JSONValue, _ rows: [Row]) -> Verdict {
    guard case .object(let members) = answer else { return .unreadable }
    let sent = ids(of: rows)
    let rejected = rejections(members, sent)
    switch members["accepted"] {
    case .array(let ids)?:
      var accepted: Set<ExactText> = []
      for case .string(let id) in ids { accepted.insert(ExactText(id)) }
      return decided(accepted.intersection(sent), rejected, sent)
    case .integer(let count)?:
      // Both numbers must fit: of four rows not four are accepted and two rejected.
      var fits = saysWhich(members, sent)
      if case .integer(let others)? = members["rejected"] { fits = fits && others >= 0 && count == Int64(sent.count) &- others }
      if fits, count == Int64(sent.count - rejected.count) { return decided(sent.subtracting(rejected.keys), rejected, sent) }
      return sent.count == 1 || fits && count == 0 ? decided([], rejected, sent) : .partly
    // As many as somebody may mean by it.
    case .double(_)?: return sent.count == 1 ? decided([], rejected, sent) : .partly
    default: return .unreadable
    }
  }

  /// Whether what else is told beside a number is a number too, or of rows that were sent: an error of nobody knows which may be of any.
  private static func saysWhich(_ members: [String: JSONValue], _ sent: Set<ExactText>) -> Bool {
    func isSent(_ value: JSONValue?) -> Bool {
      guard case .string(let id)? = value else { return false }
      return sent.contains(ExactText(id))
    }
    switch members["rejected"] {
    case nil, .null?, .integer(_)?: break
    case .array(let ids)?:
      guard ids.allSatisfy({ isSent($0) }) else { return false }
    default: return false
    }
    switch members["errors"] {
    case nil, .null?: return true
    case .array(let errors)?:
      return errors.allSatisfy { error in
        guard case .object(let members) = error else { return false }
        return isSent(members["id"])
      }
    default: return false
    }
  }

  private static func rejections(_ members: [String: JSONValue], _ sent: Set<ExactText>) -> [ExactText: String] {
    var rejected: [ExactText: String] = [:]
    if case .array(let ids)? = members["rejected"] {
      for case .string(let id) in ids where sent.contains(ExactText(id)) { rejected[ExactText(id)] = "the server rejected it" }
    }
    guard case .array(let errors)? = members["errors"] else { return rejected }
    for case .object(let error) in errors {
      guard let id = error.string("id").map(ExactText.init), sent.contains(id) else { continue }
      rejected[id] =
        error.string("message").map { "the server rejected it: \(String($0.unicodeScalars.prefix(200)))" } ?? "the server rejected it"
    }
    return rejected
  }
}
