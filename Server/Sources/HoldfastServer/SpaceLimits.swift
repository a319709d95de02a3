internal import ArgumentParser
internal import Holdfast
internal import HoldfastSyncServer

extension SpaceCommand {
  struct Limits: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows what a space may hold, after it has changed it as the options say.",
      discussion: """
        Prints a line for each limit: its name, what is used of it, and the limit; bytes as a plain number. A change counts at once, also \
        in a server that runs. Rows that are there stay; devices send again what the space has refused.

        Example: holdfast-server space limits anna
        Example: holdfast-server space limits anna --bytes 4GB
        """)

    @OptionGroup var store: StoreArguments
    @Argument(help: "The space.") var name: String
    @Option(help: ArgumentHelp("The most rows, deleted ones among them.", valueName: "n")) var rows: Int64?
    @Option(help: ArgumentHelp("The most bytes of all rows: a number, also with KB, MB or GB.", valueName: "size")) var bytes: Size?
    @Option(help: ArgumentHelp("The most bytes of one row. A request has at most 1 MB.", valueName: "size")) var rowBytes: Size?
    @Flag(help: "The three are those of every other space again.") var reset = false
    @Option(help: ArgumentHelp("Refuse devices with an older schema; 0 refuses none.", valueName: "n")) var minSchema: Int?

    func validate() throws {
      if rows ?? 0 < 0 || minSchema ?? 0 < 0 { throw ValidationError("--rows and --min-schema are numbers from 0.") }
      if reset, changesLimits { throw ValidationError("--reset stands without --rows, --bytes and --row-bytes.") }
    }

    private var changesLimits: Bool { rows != nil || bytes != nil || rowBytes != nil }

    func run() async throws {
      try await store.open { server in
        if reset || changesLimits { try await server.setLimits(newLimits(in: server), of: name) }
        if let minSchema { try await server.requireSchema(minSchema, in: name) }
        let space = try await server.space(name)
        let limits = space.limits ?? server.limits
        print("rows", space.rows, limits.rows, separator: "\t")
        print("bytes", space.bytes, limits.bytes, separator: "\t")
        print("row-bytes", "", limits.rowBytes, separator: "\t")
        print("min-schema", "", space.minSchema, separator: "\t")
      }
    }

    /// The limits that stand, with those of the options. Nil: the server's.
    private func newLimits(in server: any SyncSpaces) async throws -> SyncLimits? {
      guard !reset else { return nil }
      var limits = try await server.space(name).limits ?? server.limits
      limits.rows = rows ?? limits.rows
      limits.bytes = bytes?.bytes ?? limits.bytes
      limits.rowBytes = rowBytes.map { Int(clamping: $0.bytes) } ?? limits.rowBytes
      return limits
    }
  }
}

/// A number of bytes: `300`, `64KB`, `1MB` or `4GB`; a KB has 1,024.
struct Size: ExpressibleByArgument {
  let bytes: Int64

  init?(argument: String) {
    let units: [(String, Int64)] = [("KB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30)]
    let (unit, factor) = units.first { argument.uppercased().hasSuffix($0.0) } ?? ("", 1)
    guard let number = Int64(argument.dropLast(unit.count)), number >= 0 else { return nil }
    let (product, isTooLarge) = number.multipliedReportingOverflow(by: factor)
    guard !isTooLarge else { return nil }
    bytes = product
  }
}
