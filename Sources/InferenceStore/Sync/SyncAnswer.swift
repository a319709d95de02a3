import Foundation
import Holdfast

/// Why an attempt ends.
struct SyncStop: Error {
  var error: StoreError
  /// As the server asks; nil: the service's own pause.
  var retryAfterSeconds: Double?

  init(_ error: StoreError, retryAfterSeconds: Double? = nil) {
    self.error = error
    self.retryAfterSeconds = retryAfterSeconds
  }
}

/// What to do after an answer.
enum SyncReading {
  case decided(accepted: Set<String>, rejected: [String: String])
  /// Something in the request is refused, and the answer does not say which row: ask with fewer. With one row it is that one, for this
  /// reason.
  case split(String)
  case stop(SyncStop)
}

extension SyncKind {
  /// Success is 200 and nothing else; what the answer does not confirm is not acknowledged.
  func reading(_ answer: APIResponse, _ rows: [Row]) -> SyncReading {
    switch answer.status {
    case 200:
      switch verdict(Self.tree(answer.body), rows) {
      case .decided(let accepted, let rejected): return .decided(accepted: accepted, rejected: rejected)
      case .partly: return .split("the server did not accept it")
      case .unreadable:
        return .stop(SyncStop(StoreError(.inputOutput, "the server answered \(path) with something else than this API's JSON")))
      }
    case 401, 403:
      return .stop(
        SyncStop(
          StoreError(
            .permissionDenied, "the server does not accept the key of the API (\(answer.status))",
            suggestion: "Set another key with setAPIKey(_:for:).")))
    case 408, 425, 429, 500...599:
      let code = answer.status == 429 || answer.status == 503 ? StoreError.Code.busy : .inputOutput
      return .stop(
        SyncStop(
          StoreError(code, "the server cannot take this now (\(answer.status))", suggestion: "It is tried again by itself."),
          retryAfterSeconds: answer.retryAfterSeconds))
    case 413: return .split("it is too large for the server (413)")
    case 400, 409, 422: return .split("the server refused it (\(answer.status))")
    default:
      return .stop(
        SyncStop(StoreError(.inputOutput, "the server has no \(path) (\(answer.status))", suggestion: "Check the address of the API.")))
    }
  }

  private static func tree(_ body: Data) -> JSONValue {
    var scanner = JSONScanner(JSONDocument(Array(body)))
    guard let value = try? scanner.value(), (try? scanner.finish()) != nil else { return .null }
    return value
  }
}
