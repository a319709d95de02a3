import ArgumentParser
import Foundation
import Holdfast

/// An error in the one form in which the command line shows it.
struct Failure: Error {
  /// A `StoreError.Code`, or one of the command line's own: `usage`, `ambiguous`, `confirmation_needed`, `declined`.
  var code: String
  var message: String
  /// Only when it adds something to the message.
  var cause: String?
  var suggestion: String?
  /// The byte of the source at which reading failed.
  var offset: Int?
  var status: ExitStatus

  init(code: String, _ message: String, suggestion: String? = nil, status: ExitStatus) {
    self.code = code
    self.message = message
    self.suggestion = suggestion
    self.status = status
  }

  /// - Parameter usage: the text for an error of the argument parser; nil for any other error.
  init(_ error: any Error, usage: (any Error) -> String?) {
    switch error {
    case let error as Failure: self = error
    case let error as StoreError: self.init(error)
    default:
      if let message = usage(error) {
        self.init(code: "usage", message, suggestion: "\(Program.name) help", status: .usage)
      } else {
        self.init(code: StoreError.Code.misuse.rawValue, String(describing: error), status: .failed)
      }
    }
  }

  private init(_ error: StoreError) {
    self.init(code: error.code.rawValue, error.message, suggestion: error.recoverySuggestion, status: ExitStatus(error.code))
    offset = error.offset
    cause = error.cause.flatMap(Self.words).flatMap { error.message.contains($0) ? nil : $0 }
    let store = error.store?.shellWord ?? "STORE"
    suggestion = error.recoveryOptions.compactMap { Self.command($0, store) }.first ?? suggestion
  }

  private static func command(_ option: StoreError.RecoveryOption, _ store: String) -> String? {
    switch option {
    case .heal: "\(Program.name) heal \(store)"
    case .rewind: "\(Program.name) rewind \(store) --to now"
    case .restoreSnapshot(let id): "\(Program.name) restore \(store) --snapshot \(id)"
    case .updateApp: "Update \(Program.name)."
    case .openReadOnly, .retry: nil
    }
  }

  var isUsage: Bool { code == "usage" }

  /// For people: the sentence, the cause, a `Try:` line.
  var text: String {
    var lines = ["Error: \(message)"]
    if let cause { lines.append("Cause: \(cause)") }
    if let suggestion { lines.append("Try: \(suggestion)") }
    return lines.map(DisplayText.printable).joined(separator: "\n")
  }

  var document: Document {
    Document(
      ok: false,
      [
        "error": .string(message), "code": .string(code), "cause": .text(cause), "suggestion": .text(suggestion),
        "offset": offset.map { .integer(Int64($0)) } ?? .null, "exit_code": .integer(Int64(status.rawValue)),
      ])
  }

  private static func words(_ cause: any Error) -> String? {
    // The message already says what the scanner's error says.
    if cause is JSONScanError { return nil }
    if let cause = cause as? StoreError { return cause.message }
    // SQLite's errors come as "SQLite error 5: database is locked - while executing …"; the statement is of no use here.
    let text = String(describing: cause)
    guard text.hasPrefix("SQLite error "), let colon = text.range(of: ": ") else { return nil }
    let words = text[colon.upperBound...]
    return String(words.range(of: " - ").map { words[..<$0.lowerBound] } ?? words)
  }
}
