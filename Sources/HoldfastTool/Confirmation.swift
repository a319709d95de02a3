import Foundation

/// The question before a destructive command.
enum Confirmation {
  /// Prints the plan, then takes `--yes` or a person's answer for consent.
  ///
  /// - Throws: `confirmation_needed` without a terminal to ask on; `declined` after any answer but yes.
  static func ask(_ plan: String, yes: Bool, _ console: Console) throws {
    console.note(plan, hasInk: true)
    if yes { return }
    guard console.canAsk else {
      throw Failure(
        code: "confirmation_needed", "this needs a confirmation, and there is no terminal to ask on; nothing was changed",
        suggestion: "the same command with --yes", status: .usage)
    }
    console.prompt("Go on? [y/N] ")
    let answer = readLine()?.trimmingCharacters(in: .whitespaces).lowercased()
    guard answer == "y" || answer == "yes" else { throw Failure(code: "declined", "nothing was changed", status: .failed) }
  }
}

extension FilePath {
  /// Writes this file by `body`, after a question if it exists. What goes to standard output is written to a temporary file first.
  ///
  /// - Parameter content: for the question.
  func written<T>(with content: String, yes: Bool, _ console: Console, _ body: (FilePath) throws -> T) throws -> T {
    if isStandard {
      return try SourceFile.temporary("output") { file in
        let result = try body(file)
        try console.write(contentsOf: file)
        return result
      }
    }
    if FileManager.default.fileExists(atPath: path) { try Confirmation.ask("This replaces \(self) with \(content).", yes: yes, console) }
    return try body(self)
  }
}
