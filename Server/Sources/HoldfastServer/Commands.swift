internal import ArgumentParser
internal import Foundation
internal import Holdfast
internal import HoldfastSyncServer

struct SpaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "space", abstract: "Makes and lists spaces, and says what they may hold.",
    subcommands: [Create.self, List.self, Limits.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes an empty space, and the store where it is missing.", discussion: "Example: holdfast-server space create anna")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The space's name: a to z, 0 to 9, -, _ and .") var name: String

    func run() throws {
      let server = try store.open(makes: true)
      defer { try? server.store.close() }
      try server.makeSpace(name)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the spaces: name, head, rows, bytes, epoch, and the most rows, bytes, and bytes of a row.")

    @OptionGroup var store: StoreArguments

    func run() throws {
      let server = try store.open()
      defer { try? server.store.close() }
      for space in try server.spaces() {
        let limits = space.limits ?? server.limits
        print(
          space.name, space.head, space.rows, space.bytes, space.epoch, limits.rows, limits.bytes, limits.rowBytes, separator: "\t")
      }
    }
  }
}

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Makes, lists and revokes tokens.", subcommands: [Create.self, List.self, Revoke.self])

  struct Create: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a token of a space, and prints it. It cannot be shown again.",
      discussion: "Give each device one of its own. Example: holdfast-server token create anna --name annas-phone")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The space that it opens.") var space: String
    @Flag(help: "The token may pull, and not push.") var reads = false
    @Option(help: "Its name, for `list` and `revoke`. Default: the space's name with a number.") var name: String?

    func run() throws {
      let server = try store.open()
      defer { try? server.store.close() }
      print(try server.makeToken(for: space, reads ? .reads : .writes, name: name))
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the tokens: name, space, what it may do, when it was made.")

    @OptionGroup var store: StoreArguments

    func run() throws {
      let server = try store.open()
      defer { try? server.store.close() }
      for token in try server.tokens() {
        print(token.name, token.space, token.role.rawValue, token.createdAt.formatted(.iso8601), separator: "\t")
      }
    }
  }

  struct Revoke: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revokes a token at once.", discussion: "Example: holdfast-server token revoke annas-phone")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The token's name.") var name: String

    func run() throws {
      let server = try store.open()
      defer { try? server.store.close() }
      try server.revokeToken(named: name)
    }
  }
}

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks the store, its rows and each space's digest. Exit code 2 when problems were found.")

  @OptionGroup var store: StoreArguments

  func run() throws {
    let report = try SyncServer.check(at: store.url, options: StoreArguments.options)
    for finding in report.findings {
      print([finding.part.rawValue, finding.table, finding.row, finding.message].compactMap(\.self).joined(separator: ": "))
    }
    if !report.isHealthy { throw ExitCode(2) }
    print("no problems")
  }
}

struct Backup: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a verified copy of the store's last commit to a new file.",
    discussion: """
      To go back to it: stop the server, put the copy in the store's place, and start the server. It begins a new epoch, and devices send \
      again what the copy lacks.

      Example: holdfast-server backup /backups/server-monday.sqlite
      """)

  @OptionGroup var store: StoreArguments
  @Argument(help: "The new file.") var file: String

  func run() throws {
    try SyncServer.backUp(store.url, to: URL(fileURLWithPath: file), options: StoreArguments.options)
  }
}

struct EpochCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "epoch", abstract: "Begins a new epoch of a space.", subcommands: [Bump.self])

  struct Bump: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Begins a new epoch: devices send again what the server lacks.",
      discussion: """
        `serve` does this by itself when the store was restored or rewound. Example: holdfast-server epoch bump anna
        """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The space.") var space: String

    func run() throws {
      let server = try store.open()
      defer { try? server.store.close() }
      try server.beginEpoch(in: space)
    }
  }
}
