internal import ArgumentParser
internal import HoldfastPostgres
internal import HoldfastSyncServer

struct Move: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Moves spaces with their rows, tokens and limits from one store into another.",
    discussion: """
      A store is a file or a database. Stop the servers of both before. Devices keep their tokens, and need only the new address; nothing is \
      sent again that both stores have. Each space is removed from the first store after the second one has it on the disk. A space \
      that is in both stores after an interruption is whole in the first one: remove it from the second one with `space remove`, then try \
      again.

      Example: holdfast-server move server.sqlite postgres://holdfast@localhost/holdfast
      """)

  @Argument(help: "The store that has the spaces.") var from: StoreAddress
  @Argument(help: "The store that gets them. It is made where it is missing.") var to: StoreAddress
  @Option(help: ArgumentHelp("Only this space. May be given several times.", valueName: "name")) var space: [String] = []

  func run() async throws {
    let options = try StoreAddress.options
    try await from.open(makes: false, options) { source in
      try await to.open(makes: true, options) { target in
        for name in space.isEmpty ? try await source.spaces().map(\.name) : space {
          try await source.move(name, to: target)
          print(name)
        }
      }
    }
  }
}

struct Migrate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Brings the tables of a database up to this program's version.",
    discussion: """
      Servers of an older version refuse pushes from then on, with 503: devices try again, and lose nothing. Replace the servers then. A \
      store that is a file needs no such command.

      Example: holdfast-server migrate --store postgres://holdfast@localhost/holdfast
      """)

  @OptionGroup var store: StoreArguments

  func run() async throws {
    guard store.store.isDatabase else {
      throw Failure("only a database is migrated by a command", suggestion: "Give --store postgres://USER@HOST/DATABASE.", status: 64)
    }
    try await PostgresSpaces.migrate(store.store.text)
  }
}
