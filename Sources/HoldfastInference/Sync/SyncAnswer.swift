import Foundation
import Holdfast

/// Why an attempt ends.
struct SyncStop: Error {
  var error: StoreError
  /// As the server asks; nil: the service's own pause.
  var retryAfterSeconds: Double?
  /// Whether it is about this path alone: the others are tried before the attempt ends with it.
  var isOfOnePath: Bool
  /// Whether only pulling failed.
  var isOfPulling = false

  init(_ error: StoreError, retryAfterSeconds: Double? = nil, isOfOnePath: Bool = false) {
    self.error = error
    self.retryAfterSeconds = retryAfterSeconds
    self.isOfOnePath = isOfOnePath
  }

  static func unreadable(_ path: String) -> SyncStop {
    SyncStop(StoreError(.inputOutput, "the server answered \(path) with something else than this API's JSON"), isOfOnePath: true)
  }

  /// Why an answer of this status ends the attempt; nil when it says something of the request.
  static func of(_ answer: APIResponse, _ path: String) -> SyncStop? {
    switch answer.status {
    case 200, 400, 409, 413, 422: return nil
    case 401, 403:
      return SyncStop(
        StoreError(
          .permissionDenied, "the server does not accept the key of the API (\(answer.status))",
          suggestion: "Set another key with setAPIKey(_:for:)."))
    case 408, 425, 429, 500...599:
      let code = answer.status == 429 || answer.status == 503 ? StoreError.Code.busy : .inputOutput
      return SyncStop(
        StoreError(code, "the server cannot take this now (\(answer.status))", suggestion: "It is tried again by itself."),
        retryAfterSeconds: answer.retryAfterSeconds)
    case 201..<300:
      return SyncStop(
        StoreError(
          .inputOutput, "the server answered \(path) with another success than 200 (\(answer.status)), which confirms nothing",
          suggestion: "Check the address of the API."), isOfOnePath: true)
    default:
      return SyncStop(
        StoreError(.inputOutput, "the server has no \(path) (\(answer.status))", suggestion: "Check the address of the API."),
        isOfOnePath: true)
    }
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

/// What to do after an answer.
enum SyncReading {
  case decided(accepted: Set<ExactText>, rejected: [ExactText: String], lost: [LostField])
  /// Something in the request is refused, and the answer does not say which row: ask with fewer. With one row it is that one, for this
  /// reason.
  case split(String)
  case stop(SyncStop)
}

extension SyncKind {
  /// Success is 200 and nothing else; what the answer does not confirm is not acknowledged.
  func reading(_ answer: APIResponse, _ rows: [Row]) -> SyncReading {
    if let stop = SyncStop.of(answer, path) { return .stop(stop) }
    switch answer.status {
    case 200:
      let tree = answer.tree
      switch isRefusal(tree) ? Self.decided([], [:], Self.ids(of: rows)) : verdict(tree, rows) {
      // Nothing of several: each is asked about alone, and how many a server refuses one after the other is counted.
      case .decided(let accepted, _) where accepted.isEmpty && rows.count > 1: return .split("the server did not accept it")
      case .decided(let accepted, let rejected): return .decided(accepted: accepted, rejected: rejected, lost: conflicts(tree))
      case .partly: return .split("the server did not accept it")
      case .unreadable: return .stop(.unreadable(path))
      }
    case 413: return .split("it is too large for the server (413)")
    default: return .split("the server refused it (\(answer.status))")
    }
  }
  /// No is no, whatever else is in the answer; and a success that is not true is none.
  private func isRefusal(_ answer: JSONValue) -> Bool {
    guard case .object(let members) = answer else { return false }
    if let success = members["success"], success != .bool(true) { return true }
    guard case .string(let status)? = members["status"] else { return false }
    return ["error", "failed", "failure"].contains(status.lowercased())
  }
}
