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
