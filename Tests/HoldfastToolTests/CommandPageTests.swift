import Foundation
import Testing

@Suite("The page of the command line is made of the help")
struct CommandPageTests {
  @Test("CommandLine.md describes every command as its help does")
  func isAsTheHelp() throws {
    let bench = try Workbench()
    let help = try CommandPage(help: bench.run("--experimental-dump-help").output)
    let page = try String(contentsOf: CommandPage.file, encoding: .utf8)
    let wanted = help.text(of: page)
    if ProcessInfo.processInfo.environment["HOLDFAST_WRITE_PAGE"] != nil {
      try Data(wanted.utf8).write(to: CommandPage.file)
    } else {
      let differences = wanted.components(separatedBy: "\n").difference(from: page.components(separatedBy: "\n"))
      #expect(differences.isEmpty, "write it anew with `make command-page`: \(differences.prefix(4))")
    }
  }

  @Test("a command that is new gets a section, one that is gone loses it, and what is written by hand stays")
  func sections() throws {
    let help = try CommandPage(
      help: #"""
        {"command": {"commandName": "holdfast", "subcommands": [
          {"commandName": "copy", "abstract": "Copies, see --to.", "discussion": "All.\n\nExample: holdfast copy", "arguments": [
            {"kind": "option", "shouldDisplay": true, "isOptional": false, "isRepeating": false, "valueName": "file",
             "names": [{"kind": "long", "name": "to"}], "preferredName": {"kind": "long", "name": "to"}, "abstract": "The file."}]},
          {"commandName": "new", "abstract": "New."}, {"commandName": "help"}]}}
        """#)
    let made = help.text(
      of: "# Page\n\n## Codes\n\nfine\n\n## gone\n\nx\n\(CommandPage.mark)\n## copy\n\nold\n\(CommandPage.mark)\nBy hand.\n")
    #expect(
      made == """
        # Page

        ## Codes

        fine

        ## copy

        `holdfast copy --to <file>`

        Copies, see `--to`.

        All.

        - `--to <file>`: The file.

        ```sh
        holdfast copy
        ```

        \(CommandPage.mark)
        By hand.

        ## new

        New.

        \(CommandPage.mark)
        """)
  }
}
