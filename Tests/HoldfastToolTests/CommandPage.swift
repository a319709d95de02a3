import Foundation

/// `Documentation/CommandLine.md`. It begins with what is written by hand. Then each command has a section, in the order of the help:
/// first what the command's help says, and below the mark what is written by hand, such as the members of its documents.
struct CommandPage {
  static let file = Workbench.tests.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(
    "Documentation/CommandLine.md")
  static let mark = "<!--help-->\n"
  /// Options of all commands or of many, and the store: the beginning of the page describes them.
  static let common: Set = ["json", "timeout", "library", "version", "help", "store", "yes"]

  private let commands: [CommandHelp]

  /// - Parameter help: what `holdfast --experimental-dump-help` prints.
  init(help: String) throws {
    struct Program: Decodable { var command: CommandHelp }
    commands = try JSONDecoder().decode(Program.self, from: Data(help.utf8)).command.subcommands?.filter { $0.commandName != "help" } ?? []
  }

  /// The page with each command as its help describes it now. Everything that is written by hand is as in `page`.
  func text(of page: String) -> String {
    let sections = page.components(separatedBy: "\n## ")
    var byHand: [String: String] = [:]
    for section in sections {
      guard let mark = section.range(of: Self.mark) else { continue }
      byHand[String(section.prefix { $0 != "\n" })] = String(section[mark.upperBound...])
    }
    let beginning = sections.filter { !$0.contains(Self.mark) }
    var described: [String: String] = [:]
    let sectionsOfCommands = commands.map { command in
      "\(command.commandName)\n\n\(command.markdown(&described))\n\(Self.mark)\(byHand[command.commandName] ?? "")"
    }
    return (beginning + sectionsOfCommands).joined(separator: "\n## ")
  }
}

/// What the argument parser tells of a command.
private struct CommandHelp: Decodable {
  var commandName: String
  var abstract: String?
  var discussion: String?
  var arguments: [ArgumentOfHelp]?
  var subcommands: [CommandHelp]?

  /// The section, without its heading.
  ///
  /// - Parameter described: the command that described an option first, by the option's line. Other commands refer to it.
  func markdown(_ described: inout [String: String]) -> String {
    let lines = (discussion ?? "").components(separatedBy: "\n")
    let prefix = "Example: "
    let text = lines.filter { !$0.hasPrefix(prefix) }.joined(separator: "\n").trimmingCharacters(in: .whitespacesAndNewlines)
    let examples = lines.filter { $0.hasPrefix(prefix) }.map { $0.dropFirst(prefix.count) }
    let parts = [
      usage, Self.quoted(abstract ?? ""), Self.quoted(text), options(&described),
      examples.isEmpty ? "" : "```sh\n\(examples.joined(separator: "\n"))\n```",
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  /// A line for each argument and option, and for those that an earlier command has just so.
  private func options(_ described: inout [String: String]) -> String {
    var lines: [String] = []
    var others: [(name: String, titles: [String])] = []
    for argument in arguments ?? [] where argument.shouldDisplay && !CommandPage.common.contains(argument.name) {
      let line = "- \(argument.title): \(Self.quoted(argument.text))"
      let name = argument.kind == .positional ? nil : described[line]
      if let name, let place = others.firstIndex(where: { $0.name == name }) {
        others[place].titles.append(argument.title)
      } else if let name {
        others.append((name, [argument.title]))
      } else {
        lines.append(line)
        described[line] = commandName
      }
    }
    lines += others.map { "- \($0.titles.joined(separator: ", ")): As for [\($0.name)](#\($0.name))." }
    return lines.joined(separator: "\n")
  }

  /// The command with what it cannot do without; empty where that is nothing but a store, which every example shows.
  private var usage: String {
    let positional = (arguments ?? []).filter { $0.kind == .positional }
    let needed = (arguments ?? []).filter { $0.kind != .positional && !$0.isOptional }
    guard positional.contains(where: { $0.name != "store" }) || !needed.isEmpty else { return "" }
    let words = positional.map { $0.isOptional ? "[\($0.value)]" : $0.value } + needed.map { "--\($0.name) \($0.value)" }
    return "`holdfast \(commandName) \(words.joined(separator: " "))`"
  }

  /// A text of the help with the options and variables in it as code, which a terminal shows as they are.
  private static func quoted(_ text: String) -> String {
    let parts = text.components(separatedBy: "`").enumerated().map { place, part in
      place % 2 == 1 ? part : part.replacing(#/--[a-z][a-z-]*|HOLDFAST_[A-Z_]+/#) { "`\($0.output)`" }
    }
    return parts.joined(separator: "`")
  }
}

/// What it tells of an argument or option.
private struct ArgumentOfHelp: Decodable {
  enum Kind: String, Decodable { case positional, option, flag }

  struct Name: Decodable {
    var kind: String
    var name: String
    var typed: String { kind == "short" ? "-\(name)" : "--\(name)" }
  }

  var kind: Kind
  var shouldDisplay: Bool
  var isOptional: Bool
  var isRepeating: Bool
  var names: [Name]?
  var preferredName: Name?
  var valueName: String?
  var defaultValue: String?
  var abstract: String?

  var name: String { preferredName?.name ?? valueName ?? "" }
  var value: String { "<\(valueName ?? "")>" + (kind == .positional && isRepeating ? "…" : "") }

  /// The names, the last one with its value.
  var title: String {
    let typed = (names ?? []).map(\.typed).joined(separator: "`, `")
    switch kind {
    case .positional: return "`\(value)`"
    case .option: return "`\(typed) \(value)`"
    case .flag: return "`\(typed)`"
    }
  }

  var text: String { (abstract ?? "") + (defaultValue.map { " Default: \($0)." } ?? "") }
}
