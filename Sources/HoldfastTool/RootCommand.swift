import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

struct RootCommand: ParsableCommand {
  static var configuration: CommandConfiguration {
    CommandConfiguration(
      commandName: Program.name,
      abstract: "Brings a legacy library into SQLite, proves that all of it is in, and looks after it.",
      discussion: """
        Data go to standard output, everything else to standard error. With --json every command prints one JSON document.

        Exit codes: 0 fine; 1 failed; 2 done or checked, and problems were found; 64 wrong usage; 65 damaged or invalid data; \
        66 no such file; 73 cannot create; 74 I/O or disk full; 75 busy, try again; 77 wrong key; 130 interrupted.

        Example: \(Program.name) import library.json --into library.sqlite
        """,
      version: Program.name == "holdfast" ? "holdfast \(version)" : "\(Program.name) (Holdfast \(version))",
      subcommands: [
        Import.self, Export.self, Formats.self, Info.self, Stats.self, Metrics.self, Check.self, List.self, Show.self, Search.self,
        Query.self, Resume.self, Quarantined.self, Snapshots.self, Restore.self, ArchiveCommand.self, History.self, Label.self, Rewind.self,
        Diff.self, AuditCommand.self, Migrate.self, Salvage.self, Heal.self, Encrypt.self, Rekey.self, Decrypt.self, Sync.self,
      ] + (Libraries.all.contains { $0.sync != nil } ? [Send.self] : []) + [Explain.self] + Program.current.commands)
  }

  /// The version of Holdfast, as in CHANGELOG.md.
  static let version = "0.1.0"

  /// Runs one command line and says how it ended.
  static func run(_ typed: [String], _ console: Console) -> ExitStatus {
    let arguments = ordered(typed)
    // A reader that goes away, or the shell's limit of file size, must fail the write and not end the process: then an import
    // rolls back and removes what it had begun.
    signal(SIGPIPE, SIG_IGN)
    signal(SIGXFSZ, SIG_IGN)
    StoreKey.forbidCoreDumps()
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
      let isJSON = !(error is Unfinished) && arguments.prefix { $0 != "--" }.contains("--json")
      let cause = (error as? Unfinished)?.error ?? error
      return report(unknownOption(arguments, cause) ?? meant(arguments, cause), of: named(arguments), json: isJSON, console)
    }
  }

  private static func named(_ arguments: [String]) -> (any ParsableCommand.Type)? {
    configuration.subcommands.first { $0._commandName == arguments.first }
  }

  /// Names an option that the command does not have; the parser would report a later word instead.
  private static func unknownOption(_ arguments: [String], _ error: any Error) -> Failure? {
    guard !(error is StoreError || error is Failure), help(error) == nil, let command = named(arguments) else { return nil }
    let lines = helpMessage(for: command, columns: 10_000).split(separator: "\n").filter { $0.hasPrefix("  -") }
    let known = Set(
      lines.flatMap {
        ($0.components(separatedBy: "   ").first { !$0.isEmpty } ?? "").split { " ,/".contains($0) }.filter { $0.hasPrefix("-") }
      })
    let typed = arguments.dropFirst().prefix { $0 != "--" }.filter { $0.hasPrefix("-") && $0 != "-" }.map { $0.prefix { $0 != "=" } }
    // A negative number may be an option's value.
    guard let unknown = typed.first(where: { !known.contains($0) && Double($0) == nil }) else { return nil }
    // --yes is never suggested for a mistyped option.
    let near = known.subtracting(["--yes", "-y"]).sorted().map { (name: $0, distance: distance(String(unknown), String($0))) }
    let nearest = near.min { $0.distance < $1.distance }.flatMap { $0.distance <= 2 && $0.name.hasPrefix("--") ? $0.name : nil }
    return Failure(
      code: "usage", "\(Program.name) \(command._commandName) has no option \(unknown)",
      suggestion: nearest.map(String.init) ?? "\(Program.name) help \(command._commandName)", status: .usage)
  }

  /// Names the command that a mistyped one looks like.
  private static func meant(_ arguments: [String], _ error: any Error) -> any Error {
    let names = configuration.subcommands.map { $0._commandName }
    guard let typed = arguments.first, !typed.hasPrefix("-"), !names.contains(typed), typed != "help",
      let nearest = names.map({ ($0, distance(typed, $0)) }).min(by: { $0.1 < $1.1 }), nearest.1 <= 2
    else { return error }
    return Failure(
      code: "usage", "there is no command \(typed)", suggestion: "\(Program.name) \(nearest.0)", status: .usage)
  }

  /// How many letters have to be put in, taken out or changed, or change places with their neighbours.
  static func distance(_ one: String, _ other: String) -> Int {
    let (first, second) = (Array(one), Array(other))
    var rows = [Array(0...second.count)]
    for (row, letter) in first.enumerated() {
      var next = [row + 1]
      for (column, wanted) in second.enumerated() {
        var least = min(next[column], rows[row][column + 1]) + 1
        least = min(least, rows[row][column] + (letter == wanted ? 0 : 1))
        if row > 0, column > 0, letter == second[column - 1], first[row - 1] == wanted { least = min(least, rows[row - 1][column - 1] + 1) }
        next.append(least)
      }
      rows.append(next)
    }
    return rows[first.count][second.count]
  }

  private static func answer(_ command: any Subcommand, _ console: Console) throws -> ExitStatus {
    let answer = try command.perform(console)
    if answer.isWritten {
      for note in answer.notes { console.note(note) }
    } else if command.output.json {
      try console.write(Document(ok: true, answer.document))
    } else {
      let shown = Rendering(answer.blocks, width: console.outputWidth, console.chartStyle)
      try console.show(answer.text + shown.text)
      for note in shown.notes + answer.notes { console.note(note) }
    }
    return answer.foundProblems ? .problems : .fine
  }

  private static func report(_ error: any Error, of command: (any ParsableCommand.Type)?, json: Bool, _ console: Console) -> ExitStatus {
    if let text = help(error) {
      do {
        try console.write(text)
        return .fine
      } catch {
        return report(error, of: command, json: json, console)
      }
    }
    let failure = Failure(error) { exitCode(for: $0) == .validationFailure ? message(for: $0) : nil }
    guard json else {
      let isParsers = failure.isUsage && !(error is Failure)
      let usage = command.map { usageString(for: $0) } ?? usageString()
      console.note(isParsers ? fullMessage(for: error) : failure.text + (failure.isUsage ? "\nUsage: \(usage)" : ""))
      return failure.status
    }
    do {
      try console.write(failure.document)
    } catch {
      console.note(failure.text)
    }
    return failure.status
  }

  /// The text when the parser itself answers: help, or a completion script.
  private static func help(_ error: any Error) -> String? {
    guard !(error is Failure), exitCode(for: error) == .success else { return nil }
    return fullMessage(for: error)
  }
}
