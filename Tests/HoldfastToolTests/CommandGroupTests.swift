import ArgumentParser
import Testing

@testable import HoldfastTool

@Suite("Commands with actions")
struct CommandGroupTests {
  @Test("in every group the action may stand before the store and behind it")
  func orders() throws {
    let withAction = RootCommand.configuration.subcommands.filter {
      RootCommand.helpMessage(for: $0, columns: 500).contains("<action>")
    }.map { $0._commandName }
    #expect(withAction == RootCommand.groups.map { $0._commandName } && withAction.count == 3)
    for group in RootCommand.groups {
      for action in group.actions {
        let before = RootCommand.ordered([group._commandName, action, "x.sqlite", "--json"])
        let behind = RootCommand.ordered([group._commandName, "x.sqlite", action, "--json"])
        #expect(before == behind && before[group.takesStoreFirst ? 1 : 2] == "x.sqlite", "\(before)")
      }
    }
  }

  @Test(
    "other words keep their order",
    arguments: [
      ["quarantine", "list"], ["quarantine", "list", "show"], ["quarantine", "x.sqlite", "show", "3"], ["snapshot", "list", "list"],
      ["list", "x.sqlite", "list"], ["quarantine", "list", "--json"], ["archive"], [],
    ])
  func others(arguments: [String]) {
    #expect(RootCommand.ordered(arguments) == arguments)
  }

  @Test("both orders do the same work")
  func work() throws {
    let bench = try Workbench()
    let store = try bench.archived()
    for (one, other) in [
      (["quarantine", "list", store], ["quarantine", store, "list"]), (["snapshot", "list", store], ["snapshot", store, "list"]),
      (["archive", "status", store], ["archive", store, "status"]),
    ] {
      let (first, second) = try (bench.run(one), bench.run(other))
      #expect(first.status == 0 && second.status == 0 && first.output == second.output, "\(first.errors)\(second.errors)")
    }
  }

  @Test("wrong usage of a command shows the usage of that command")
  func usage() throws {
    let bench = try Workbench()
    let store = try bench.store()
    for arguments in [
      ["list", store, "films"], ["list", store, "--where", "films=1"], ["list", store, "--limt", "1"], ["list", "--limit", "0", store],
    ] {
      try bench.run(arguments, status: 64, errors: "Usage: holdfast list <store> [<what>]")
    }
    #expect(try bench.run("lst").errors.hasSuffix("Usage: holdfast <subcommand>\n"))
  }
}
