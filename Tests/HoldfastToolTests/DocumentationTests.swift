import ArgumentParser
import Foundation
import Holdfast
import HoldfastAudiobooks
import Testing

@testable import HoldfastTool

@Suite("Documentation of the command line")
struct DocumentationTests {
  init() { knowFourLibraries() }

  static let page = (try? String(contentsOf: CommandPage.file, encoding: .utf8)) ?? ""

  @Test("every command has --json, an example in its help, and a link at the beginning of the page, which tells the common options")
  func complete() throws {
    let commands = RootCommand.configuration.subcommands
    let beginning = try #require(Self.page.components(separatedBy: "\n## import\n").first)
    #expect(commands.count == 31)
    for command in commands {
      let name = try #require(command._commandName.split(separator: " ").last).lowercased()
      #expect(command is any Subcommand.Type, "\(name)")
      #expect(beginning.contains("[\(name)](#\(name))"), "\(name)")
      let help = RootCommand.helpMessage(for: command, columns: 500)
      #expect(help.contains("--json"), "\(name)")
      #expect(help.contains("Example: holdfast \(name)"), "\(name)")
    }
    for option in CommandPage.common where option != "store" { #expect(beginning.contains("`--\(option)"), "\(option)") }
    #expect(beginning.contains("\n- `<store>`: "))
  }

  @Test("every exit code is documented, and Errors.md tells that of every code of an error")
  func codes() throws {
    for status in ExitStatus.allCases { #expect(Self.page.contains("\n- \(status.rawValue): "), "\(status.rawValue)") }
    for code in ["usage", "ambiguous", "confirmation_needed", "declined"] { #expect(Self.page.contains("`\(code)`"), "\(code)") }
    let errors = CommandPage.file.deletingLastPathComponent().appendingPathComponent("Errors.md")
    let rows = try String(contentsOf: errors, encoding: .utf8).components(separatedBy: "\n")
    for code in StoreError.Code.allCases {
      let row = try #require(rows.first { $0.hasPrefix("| `\(code.rawValue)` | ") }, "\(code.rawValue)")
      #expect(row.hasSuffix(" | \(ExitStatus(code).rawValue) |"), "\(code.rawValue)")
    }
  }

  @Test("a document of every command is compared, but of those that need a SQLite that encrypts, or a minute")
  func compared() throws {
    let pictures = try FileManager.default.contentsOfDirectory(at: Documents.folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "txt" }
    let lines = try pictures.flatMap { try String(contentsOf: $0, encoding: .utf8).components(separatedBy: "\n") }
    let compared = Set(lines.filter { !$0.hasPrefix(" ") }.compactMap { $0.split(separator: " ").first.map(String.init) })
    let commands = RootCommand.configuration.subcommands.compactMap { $0._commandName.split(separator: " ").last?.lowercased() }
    #expect(Set(commands).subtracting(compared) == ["demo", "encrypt", "rekey", "decrypt"])
  }

  /// What the examples with these words need is not here: a server, a SQLite that encrypts, a past of minutes, a record in quarantine, or
  /// a minute of time.
  private static let elsewhere = [
    "https://", "holdfast sync ", "crypt ", "holdfast rekey ", "minutes ago", "yesterday", "\"commit ", "quarantine library.sqlite show",
    "holdfast demo",
  ]

  @Test("the examples of the page, and so those of the help, run as they stand")
  func examples() throws {
    let bench = try Workbench()
    try bench.fixture("library.json")
    try bench.fixture("music.json")
    try FileManager.default.copyItem(at: Workbench.example("strong.csv"), to: bench.url("strong.csv"))
    try bench.modelFolder()
    let blocks = Self.page.components(separatedBy: "\n```sh\n").dropFirst().compactMap { $0.components(separatedBy: "\n```").first }
    #expect(blocks.count >= 31)
    for block in blocks {
      // Snapshots come from migrations; the page names the one that is made here.
      if block.contains("--snapshot") { try snapshot(bench.url("library.sqlite")) }
      let lines = block.components(separatedBy: "\n").filter { line in !Self.elsewhere.contains { line.contains($0) } }
      let finished = try bench.shell("PATH=\"$(dirname \"$1\"):$PATH\"; set -e\n\(lines.joined(separator: "\n"))")
      #expect(finished.status == 0, "\(block)\n\(finished.output)\(finished.errors)")
    }
  }

  @Test("the version is said, and a mistyped command is answered with the one that is meant")
  func meant() throws {
    let bench = try Workbench()
    #expect(try bench.run("--version").output == "holdfast \(RootCommand.version)\n")
    for (typed, meant) in [("lst", "list"), ("improt", "import"), ("snapshots", "snapshot"), ("chekc", "check")] {
      #expect(try bench.run(typed).errors.contains("Try: holdfast \(meant)\n"), "\(typed)")
    }
    #expect(try !bench.run("library.sqlite").errors.contains("Try: holdfast"))
  }

  @Test("completion scripts come for bash, zsh and fish", arguments: ["bash", "zsh", "fish"])
  func completion(shell: String) throws {
    let bench = try Workbench()
    try bench.run("--generate-completion-script", shell, status: 0, output: "restore")
  }

  @Test("help goes to standard output and is fine; wrong usage goes to standard error and is 64")
  func help() throws {
    let bench = try Workbench()
    for arguments in [[], ["help"], ["--help"], ["help", "import"], ["import", "--help"]] {
      let finished = try bench.run(arguments, status: 0)
      #expect(finished.output.contains("USAGE: holdfast") && finished.errors.isEmpty)
    }
    for arguments in [
      ["improt"], ["list"], ["list", "x", "--limit", "0"], ["import", "x", "--into", "x"], ["info", "x", "--timeout", "-1"],
    ] {
      let finished = try bench.run(arguments, status: 64)
      #expect(finished.output.isEmpty && finished.errors.contains("Usage: holdfast"), "\(finished.errors)")
    }
  }

  private func snapshot(_ store: URL) throws {
    var options = StoreOptions.production
    options.now = { Date(timeIntervalSince1970: 1_762_342_882) }
    let library = try AudiobookLibrary.open(at: store, options: options)
    try library.store.snapshot(label: "before migration")
    try library.store.close()
  }
}
