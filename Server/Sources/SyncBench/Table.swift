internal import ArgumentParser
internal import Foundation

/// The table that is printed.
enum Table {
  static let head = "| | must be | is | verdict | |\n|---|---|---|---|---|"

  /// What must be and what is.
  struct Line: Sendable {
    let text: String
    let isMet: Bool
  }

  static func line(_ what: String, _ demand: String, _ figure: Double, _ isMet: Bool, _ note: String) -> Line {
    Line(text: "| \(what) | \(demand) | \(number(figure)) | \(isMet ? "met" : "MISSED") | \(note) |", isMet: isMet)
  }

  static func number(_ value: Double) -> String { String(format: value < 100 ? "%.2f" : "%.0f", value) }

  /// How a benchmark ends.
  struct Verdict: ParsableArguments {
    @Flag(help: "Exit with 0, also where something is not as it must be. Otherwise the exit code is 1 then.") var reportOnly = false

    /// - Throws: the exit code 1 when a line is not met.
    func end(_ lines: [Line]) throws {
      if !reportOnly, !lines.allSatisfy(\.isMet) { throw ExitCode(1) }
    }
  }
}
