internal import ArgumentParser
internal import Foundation
internal import Holdfast
internal import HoldfastSyncServer

struct SpaceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "space", abstract: "Makes and lists spaces, and says what they may hold.",
    subcommands: [Create.self, List.self, Limits.self, Remove.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes an empty space, and the store where it is missing.", discussion: "Example: holdfast-server space create anna")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The space's name: a to z, 0 to 9, -, _ and .") var name: String

    func run() async throws {
      try await store.open(makes: true) { server in
        try await server.makeSpace(name)
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the spaces: name, head, rows, bytes, epoch, and the most rows, bytes, and bytes of a row.")

    @OptionGroup var store: StoreArguments

    func run() async throws {
      try await store.open { server in
        for space in try await server.spaces() {
          let limits = space.limits ?? server.limits
          print(
            space.name, space.head, space.rows, space.bytes, space.epoch, limits.rows, limits.bytes, limits.rowBytes, separator: "\t")
        }
      }
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes a space with its rows and tokens, at once and for good.", discussion: "Example: holdfast-server space remove anna")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The space.") var name: String

    func run() async throws {
      try await store.open { server in try await server.removeSpace(name, unchanged: nil) }
    }
  }
}

struct TokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Makes, lists and revokes tokens.", subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Makes a token of a space, and prints it. It cannot be shown again.",
      discussion: "Give each device one of its own. Example: holdfast-server token create anna --name annas-phone")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The space that it opens.") var space: String
    @Flag(help: "The token may pull, and not push.") var reads = false
    @Option(help: "Its name, for `list` and `revoke`. Default: the space's name with a number.") var name: String?

    func run() async throws {
      try await store.open { server in
        print(try await server.makeToken(for: space, reads ? .reads : .writes, name: name))
      }
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Lists the tokens: name, space, what it may do, when it was made.")

    @OptionGroup var store: StoreArguments

    func run() async throws {
      try await store.open { server in
        for token in try await server.tokens() {
          print(token.name, token.space, token.role.rawValue, token.createdAt.formatted(.iso8601), separator: "\t")
        }
      }
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Revokes a token at once.", discussion: "Example: holdfast-server token revoke annas-phone")

    @OptionGroup var store: StoreArguments
    @Argument(help: "The token's name.") var name: String

    func run() async throws {
      try await store.open { server in
        try await server.revokeToken(named: name)
      }
    }
  }
}

struct Check: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Checks the store, its rows and each space's digest. Exit code 2 when problems were found.")

  @OptionGroup var store: StoreArguments

  func run() async throws {
    var findings: [IntegrityReport.Finding] = []
    if store.store.isDatabase {
      try await store.open { server in findings = try await server.problems() }
    } else {
      findings = try SyncServer.check(at: store.store.url, options: StoreAddress.options).findings
    }
    for finding in findings {
      print([finding.part.rawValue, finding.table, finding.row, finding.message].compactMap(\.self).joined(separator: ": "))
    }
    if !findings.isEmpty { throw ExitCode(2) }
    print("no problems")
  }
}

struct Backup: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Writes a verified copy of the store's last commit to a new file.",
    discussion: """
      To go back to it: stop the server, put the copy in the store's place, and start the server. It begins a new epoch, and devices send \
      again what the copy lacks. Of a database, the copy is a file, too: serve it, or move its spaces into a database.

      Example: holdfast-server backup /backups/server-monday.sqlite
      """)

  @OptionGroup var store: StoreArguments
  @Argument(help: "The new file.") var file: String

  func run() async throws {
    let (target, options) = (URL(fileURLWithPath: file), try StoreAddress.options)
    guard store.store.isDatabase else { return try SyncServer.backUp(store.store.url, to: target, options: options) }
    try await store.open { server in try await server.backUp(to: target, options: options) }
  }
}

struct EpochCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "epoch", abstract: "Begins a new epoch of a space, or of all.", subcommands: [Bump.self])

  struct Bump: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Begins a new epoch: devices send again what the server lacks.",
      discussion: """
        `serve` does this by itself for a file that was restored or rewound while its note server.sqlite.pushes stayed, and for a database \
        after a failover, a recovery to a point in time, and a move to another system. It cannot see that a file came back together with \
        its note, as with a snapshot of the volume, nor that a database was restored from a dump into the same system, or from such a \
        snapshot: run this with --all then, before the servers start. Devices that were ahead otherwise never get some of the rows that \
        others push, and never send some of theirs.

        Example: holdfast-server epoch bump --all --store postgres://holdfast@localhost/holdfast
        """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The space.") var space: String?
    @Flag(help: "All spaces, in one transaction.") var all = false

    func validate() throws {
      if all == (space != nil) { throw ValidationError("Name one space, or give --all.") }
    }

    func run() async throws {
      try await store.open { server in
        try await server.beginEpoch(in: space)
      }
    }
  }
}
