import Foundation
import Holdfast
import HoldfastTransfer

/// What the server's answer to a request means.
enum SyncOutcome: Sendable {
  case decided(Outbox.Verdict)
  /// Of several rows something is refused, and the answer does not say which: ask with fewer.
  case split
  /// The turn of this path ends; the others are tried.
  case pathFailed(StoreError)
  /// The attempt ends. The next waits as long as the server asks, or as the service's own pause.
  case serverFailed(StoreError, retryAfterSeconds: Double?)

  /// What an answer of this status says of the path or of the server; nil when it says something of the request.
  static func failure(of answer: APIResponse, at path: String) -> SyncOutcome? {
    switch answer.status {
    case 200, 400, 409, 413, 422: return nil
    case 401, 403:
      let message = "the server does not accept the key of the API (\(answer.status))"
      return .serverFailed(
        StoreError(.permissionDenied, message, suggestion: "Set another key with setAPIKey(_:for:)."), retryAfterSeconds: nil)
    case 408, 425, 429, 500...599:
      let code = answer.status == 429 || answer.status == 503 ? StoreError.Code.busy : .inputOutput
      let message = "the server cannot take this now (\(answer.status))"
      return .serverFailed(
        StoreError(code, message, suggestion: "It is tried again by itself."), retryAfterSeconds: answer.retryAfterSeconds)
    case 201..<300:
      let message = "the server answered \(path) with another success than 200 (\(answer.status)), which confirms nothing"
      return .pathFailed(StoreError(.inputOutput, message, suggestion: "Check the address of the API."))
    default:
      let message = "the server has no \(path) (\(answer.status))"
      return .pathFailed(StoreError(.inputOutput, message, suggestion: "Check the address of the API."))
    }
  }

  /// The same of an answer to a question: nothing but 200 has something to read.
  static func failure(ofPull answer: APIResponse, at path: String) -> SyncOutcome? {
    if let failure = failure(of: answer, at: path) { return failure }
    return answer.status == 200 ? nil : .pathFailed(StoreError(.inputOutput, "the server refused \(path) (\(answer.status))"))
  }

  static func unreadable(_ path: String) -> StoreError {
    StoreError(.inputOutput, "the server answered \(path) with something else than this API's JSON")
  }
}

extension APIResponse {
  /// Null when it is no JSON.
  var tree: JSONValue {
    var scanner = JSONScanner(JSONDocument(Array(body)))
    guard let value = try? scanner.value(), (try? scanner.finish()) != nil else { return .null }
    return value
  }
}

extension Outbox {
  private static let rejected = "the server rejected it"

  /// Success is 200 and nothing else; what the answer does not confirm is not acknowledged.
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
      // Those that say no are read before.
      return members["success"] == .bool(true) ? decided(Self.ids(of: rows), [:], rows, lost: conflicts(members)) : unreadable
    case .models, .sessions, .generations, .preferences:
      guard case .array(let ids)? = members["syncedIds"] else { return unreadable }
      // The wire has UUIDs in capitals, as `JSONEncoder` writes them, and servers answer in either.
      return decided(Self.texts(ids, areUUIDs: kind == .history), [:], rows)
    }
  }

  /// No is no, whatever else is in the answer; and a success that is not true is none.
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
    for row in rows {
      let id = ExactText(row.id)
      // An id that the answer names twice is not in.
      if accepted.contains(id), rejected[id] == nil {
        verdict.taken.append(row)
      } else {
        verdict.refused.append(Refusal(row: row, reason: rejected[id] ?? reason))
      }
    }
    // Nothing of several: each is asked about alone, and how many a server refuses one after the other is counted.
    return verdict.taken.isEmpty && rows.count > 1 ? .split : .decided(verdict)
  }

  private static func ids(of rows: [Row]) -> Set<ExactText> { Set(rows.map { ExactText($0.id) }) }

  private static func texts(_ ids: [JSONValue], areUUIDs: Bool = false) -> Set<ExactText> {
    var texts: Set<ExactText> = []
    for case .string(let text) in ids { texts.insert(ExactText(areUUIDs ? text.lowercased() : text)) }
    return texts
  }

  // MARK: Telemetry

  /// `{"accepted": …, "rejected": …, "errors": […]}`: numbers, or lists of ids. Nil for something else.
  private func telemetry(_ members: [String: JSONValue], _ rows: [Row]) -> SyncOutcome? {
    let sent = Self.ids(of: rows)
    let rejected = Self.rejections(members, sent)
    switch members["accepted"] {
    case .array(let ids)?: return decided(Self.texts(ids), rejected, rows)
    case .integer(let count)? where count == Int64(sent.count - rejected.count) && Self.fits(count, members, sent):
      return decided(sent, rejected, rows)
    // It does not say which, or is as many as somebody may mean by it.
    case .integer(_)?, .double(_)?: return decided([], rejected, rows)
    default: return nil
    }
  }

  /// Whether the rest of an answer agrees with its number of accepted rows. Of four rows not four are accepted and two rejected, and an error of
  /// nobody knows which may be of any.
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

  /// What lost on the server, by its answer to a configuration. Nothing but the fields that are sent: whatever else a server names is not
  /// kept here.
  func conflicts(_ members: [String: JSONValue]) -> [LostField] {
    guard self == .configurations, case .array(let conflicts)? = members["conflicts"] else { return [] }
    // Each once in an answer.
    var names = Set(ConfigurationFields.nested.fields.map(\.name))
    var lost: [LostField] = []
    for case .object(let conflict) in conflicts {
      guard let name = conflict.string("field"), names.remove(name) != nil else { continue }
      // Of a value that the server made of both it is ours that is nowhere any more.
      let keepsOurs = conflict.string("resolution") == "useLocal"
      let value = conflict[keepsOurs ? "serverValue" : "localValue"] ?? .null
      lost.append(LostField(name: name, value: value, kept: keepsOurs ? .ours : .theirs, isFromServer: true))
    }
    return lost
  }
}
