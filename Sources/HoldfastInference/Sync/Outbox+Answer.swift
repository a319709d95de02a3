import Foundation
import Holdfast
import HoldfastTransfer

/// The meaning of the server's answer to a request.
enum SyncOutcome: Sendable {
  case decided(Outbox.Verdict)
  /// The server refused some of several rows without naming them: send fewer.
  case split
  /// The turn of this path ends; the other paths are tried.
  case pathFailed(StoreError)
  /// The attempt ends. The next one waits as long as the server asks, or for the service's own pause.
  case serverFailed(StoreError, retryAfterSeconds: Double?)

  /// The failure of the path or the server with this status; nil when the status is about the request.
  static func failure(of answer: APIResponse, at path: String) -> SyncOutcome? {
    switch answer.status {
    case 200, 400, 409, 413, 422: return nil
    case 401, 403:
      let message = "the server does not accept the key of the API (\(answer.status))"
      return .serverFailed(.server(message, .permissionDenied, suggestion: "Set another key of the API."), retryAfterSeconds: nil)
    case 408, 425, 429, 500...599:
      let code = answer.status == 429 || answer.status == 503 ? StoreError.Code.busy : .inputOutput
      let message = "the server cannot take this now (\(answer.status))"
      return .serverFailed(
        .server(message, code, suggestion: "Try again later; a started service does so by itself."),
        retryAfterSeconds: answer.retryAfterSeconds)
    case 201..<300:
      return .pathFailed(.server("the server answered \(path) with the status \(answer.status) instead of 200, which confirms nothing"))
    default: return .pathFailed(.server("the server has no \(path) (\(answer.status))"))
    }
  }

  static func unreadable(_ path: String) -> StoreError { .server("the server answered \(path) with something else than this API's JSON") }
}

extension StoreError {
  /// A failure of the server, or of the way to it. The default suggestion of `.inputOutput` is about disks.
  static func server(
    _ message: String, _ code: Code = .inputOutput,
    suggestion: String = "Check the network and the address of the API, then try again; unconfirmed rows still wait.",
    cause: (any Error)? = nil
  ) -> StoreError { StoreError(code, message, suggestion: suggestion, cause: cause) }
}

extension APIResponse {
  /// Null when the body is not JSON.
  var tree: JSONValue { String(validUTF8: body).flatMap(JSONValue.init(json:)) ?? .null }
}

extension Outbox {
  private static let rejected = "the server rejected it"

  /// Only 200 is a success; rows that the answer does not confirm are not acknowledged.
  func outcome(of answer: APIResponse, to rows: [Row]) -> SyncOutcome {
    if let failure = SyncOutcome.failure(of: answer, at: path) { return failure }
    switch answer.status {
    case 200: break
    case 413: return decided([], [:], rows, otherwise: "it is too large for the server (413)")
    default: return decided([], [:], rows, otherwise: "the server refused it (\(answer.status))")
    }
    let unreadable = SyncOutcome.pathFailed(SyncOutcome.unreadable(path))
    guard case .object(let members) = answer.tree else { return unreadable }
    if Self.isRefusal(members) { return decided([], [:], rows, lost: conflicts(members)) }
    switch self {
    case .telemetry: return telemetry(members, rows) ?? unreadable
    case .configurations:
      // Refusals were handled before.
      return members["success"] == .bool(true) ? decided(Self.ids(of: rows), [:], rows, lost: conflicts(members)) : unreadable
    case .models, .sessions, .generations, .preferences:
      guard case .array(let ids)? = members["syncedIds"] else { return unreadable }
      // UUIDs are sent in upper case, as `JSONEncoder` writes them; servers answer in either case.
      return decided(Self.texts(ids, areUUIDs: kind == .history), [:], rows)
    }
  }

  /// Whether the answer says no; a `success` other than true is a no, whatever else the answer says.
  private static func isRefusal(_ members: [String: JSONValue]) -> Bool {
    if let success = members["success"], success != .bool(true) { return true }
    guard case .string(let status)? = members["status"] else { return false }
    return ["error", "failed", "failure"].contains(status.lowercased())
  }

  private func decided(
    _ accepted: Set<ExactText>, _ rejected: [ExactText: String], _ rows: [Row], lost: [LostField] = [],
    otherwise reason: String = "the server did not accept it"
  ) -> SyncOutcome {
    var verdict = Verdict(lost: lost, lostOf: rows.first?.id ?? "")
    for var row in rows {
      let id = ExactText(row.id)
      // An id that is both accepted and rejected counts as rejected.
      if accepted.contains(id), rejected[id] == nil {
        verdict.taken.append(row)
      } else {
        row.problem = rejected[id] ?? reason
        verdict.refused.append(row)
      }
    }
    // If none of several rows was accepted, each is sent alone, and consecutive refusals are counted.
    return verdict.taken.isEmpty && rows.count > 1 ? .split : .decided(verdict)
  }

  private static func ids(of rows: [Row]) -> Set<ExactText> { Set(rows.map { ExactText($0.id) }) }

  private static func texts(_ ids: [JSONValue], areUUIDs: Bool = false) -> Set<ExactText> {
    var texts: Set<ExactText> = []
    for case .string(let text) in ids { texts.insert(ExactText(areUUIDs ? text.lowercased() : text)) }
    return texts
  }

  // MARK: Telemetry

  /// `{"accepted": …, "rejected": …, "errors": […]}`: numbers, or lists of ids. Nil for anything else.
  private func telemetry(_ members: [String: JSONValue], _ rows: [Row]) -> SyncOutcome? {
    let sent = Self.ids(of: rows)
    let rejected = Self.rejections(members, sent)
    switch members["accepted"] {
    case .array(let ids)?: return decided(Self.texts(ids), rejected, rows)
    case .integer(let count)? where count == Int64(sent.count - rejected.count) && Self.fits(count, members, sent):
      return decided(sent, rejected, rows)
    // The number does not say which rows, or contradicts the rest of the answer.
    case .integer(_)?, .double(_)?: return decided([], rejected, rows)
    default: return nil
    }
  }

  /// Whether the number of accepted rows agrees with the rest of the answer: of four rows, four accepted and two rejected is a
  /// contradiction. An error without a sent id may be about any row.
  private static func fits(_ accepted: Int64, _ members: [String: JSONValue], _ sent: Set<ExactText>) -> Bool {
    func isSent(_ value: JSONValue?) -> Bool {
      guard case .string(let id)? = value else { return false }
      return sent.contains(ExactText(id))
    }
    switch members["rejected"] {
    case nil, .null?: break
    case .integer(let others)?: guard others >= 0, accepted == Int64(sent.count) &- others else { return false }
    case .array(let ids)?: guard ids.allSatisfy({ isSent($0) }) else { return false }
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
    var reasons: [ExactText: String] = [:]
    if case .array(let ids)? = members["rejected"] { for id in texts(ids) where sent.contains(id) { reasons[id] = rejected } }
    guard case .array(let errors)? = members["errors"] else { return reasons }
    for case .object(let error) in errors {
      guard let id = error.string("id").map(ExactText.init), sent.contains(id) else { continue }
      reasons[id] = error.string("message").map { "\(rejected): \(String($0.unicodeScalars.prefix(200)))" } ?? rejected
    }
    return reasons
  }

  // MARK: Configurations

  /// The values that lost on the server, by its answer to a configuration. Only fields that are sent; other names are ignored.
  func conflicts(_ members: [String: JSONValue]) -> [LostField] {
    guard self == .configurations, case .array(let conflicts)? = members["conflicts"] else { return [] }
    // Each field at most once in an answer.
    var names = Set(ConfigurationFields.nested.fields.map(\.name))
    var lost: [LostField] = []
    for case .object(let conflict) in conflicts {
      guard let name = conflict.string("field"), names.remove(name) != nil else { continue }
      // If the server merged both values, our value is the one that exists nowhere any more.
      let keepsOurs = conflict.string("resolution") == "useLocal"
      let value = conflict[keepsOurs ? "serverValue" : "localValue"] ?? .null
      lost.append(LostField(name: name, value: value, kept: keepsOurs ? .ours : .theirs, isFromServer: true))
    }
    return lost
  }
}
