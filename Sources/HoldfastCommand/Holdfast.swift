import ArgumentParser
import Foundation

/// `holdfast`: the library's verbs for people.
@main
struct HoldfastTool: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "holdfast",
    abstract: "Brings a legacy library into SQLite, proves that all of it is in, and looks after it.",
    discussion: """
      Data go to standard output, everything else to standard error. With --json every command prints one JSON document.

      Exit codes: 0 fine; 1 failed; 2 done or checked, and problems were found; 64 wrong usage; 65 damaged or invalid data; \
      66 no such file; 73 cannot create; 74 I/O or disk full; 75 busy, try again; 77 wrong key; 130 interrupted.

      Example: holdfast import library.json --into library.sqlite
      """,
    subcommands: [
      Import.self, Export.self, Formats.self, Info.self, Stats.self, Check.self, List.self, Show.self, Search.self, Resume.self,
      Restore.self, Sync.self,
    ])

  static func main() {
    let console = Console()
    Foundation.exit(run(Array(CommandLine.arguments.dropFirst()), console).rawValue)
  }

  /// Runs one command line and says how it ended.
  static func run(_ arguments: [String], _ console: Console) -> ExitStatus {
    // A reader that goes away, and a size limit of the shell, are errors of a write and not the end of the process:
    // an import rolls back and removes what it had begun.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    do {
      try Names.check()
      let command = try parseAsRoot(arguments)
      guard let subcommand = command as? any Subcommand else {
        var other = command
        try other.run()
        return .fine
      }
      return try answer(subcommand, console)
    } catch {
      return report(error, json: arguments.prefix { $0 != "--" }.contains("--json"), console)
    }
  }

  private static func answer(_ command: any Subcommand, _ console: Console) throws -> ExitStatus {
    let answer = try command.perform(console)
    if command.output.json {
      try console.write(Document(ok: true, answer.document).text)
    } else {
      try console.write(answer.text)
      for note in answer.notes { console.note(note) }
    }
    return answer.foundProblems ? .problems : .fine
  }

  private static func report(_ error: any Error, json: Bool, _ console: Console) -> ExitStatus {
    if let text = help(error) {
      do {
        try console.write(text)
        return .fine
      } catch {
        return report(error, json: json, console)
      }
    }
    let failure = Failure(error) { exitCode(for: $0) == .validationFailure ? message(for: $0) : nil }
    guard json else {
      console.note(failure.isUsage ? fullMessage(for: error) : failure.text)
      return failure.status
    }
    do {
      try console.write(failure.document.text)
    } catch {
      console.note(failure.text)
    }
    return failure.status
  }

  /// What was asked for when the parser itself answers: help, or a completion script.
  private static func help(_ error: any Error) -> String? {
    guard !(error is Failure), exitCode(for: error) == .success else { return nil }
    return fullMessage(for: error)
  }
}
