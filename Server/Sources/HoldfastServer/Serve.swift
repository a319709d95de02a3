internal import ArgumentParser
internal import Foundation
internal import Holdfast
internal import HoldfastIdentity
internal import HoldfastServing
internal import HoldfastSyncServer
internal import Hummingbird
internal import Logging

struct Serve: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Serves the spaces of a store over HTTP, until SIGTERM or Ctrl-C.",
    discussion: """
      HTTP without TLS: by default only programs on this machine reach the server. For devices elsewhere, put a proxy with TLS before it, \
      and say so with --behind-proxy and the name by which the devices know the proxy. The proxy should not pass /metrics on.

      Any number of servers may serve one database at one time.

      Example: holdfast-server serve --store server.sqlite --listen 10.0.0.2:8377 --behind-proxy --host sync.example.org
      """)

  @OptionGroup var store: StoreArguments

  @Option(help: ArgumentHelp("Where to listen. Port 0 takes a free one.", valueName: "host:port"))
  var listen = "127.0.0.1:8377"

  @Flag(help: "A proxy with TLS is before this server.")
  var behindProxy = false

  @Option(help: ArgumentHelp("The name that requests through the proxy are for. May be given several times.", valueName: "name"))
  var host: [String] = []

  @OptionGroup(title: "Tokens of an identity provider") var identity: IdentityArguments

  func run() async throws {
    let address = try checkedAddress()
    let logger = Logger(label: "holdfast-server")
    let provider = try await identity.provider(logger)
    try await store.open(makes: true) { server in try await serve(server, provider, at: address, logger) }
  }

  private func serve(_ server: any SyncSpaces, _ provider: IdentityProvider?, at address: Address, _ logger: Logger) async throws {
    // A database has no file beside it. Another timeline begins the epoch by itself; after a dump or a snapshot of the volume, `epoch bump`.
    let note = (server as? SyncServer).map { PushNote($0, beside: store.store.url) }
    if let note, try await note.settle() {
      logger.warning("the store has fewer pushes than were noted beside it, or no note: a new epoch begins in all spaces")
    }
    if let file = server as? SyncServer { try mend(file, logger) }
    var options = ServingOptions()
    options.hosts.formUnion(host.map { $0.lowercased() })
    if let provider { options.verify = { token, now in try await provider.token(token, now: now) } }
    let path = store.store.description
    let application = Serving(server, options, note: note).application(at: address, logger) { port in
      print("Serving \(path) at http://\(address.host.contains(":") ? "[\(address.host)]" : address.host):\(port)")
      fflush(nil)
    }
    do { try await application.runService() } catch {
      throw Failure("\(address) cannot be listened at: \(error)", suggestion: "Choose another port with --listen.", status: 1)
    }
    await note?.write(logger)
  }

  /// A store whose rows cannot be read is served nevertheless: what can be read is answered. Any other error, such as a full disk, ends the
  /// command: with wrong counts, nothing would tell the devices to send again what the server lacks.
  private func mend(_ server: SyncServer, _ logger: Logger) throws {
    do {
      for space in try server.mendSpaces() {
        func change(_ count: KeyPath<MendedSpace.Counts, Int64>) -> Logger.MetadataValue {
          "\(space.counted[keyPath: count]), now \(space.found[keyPath: count])"
        }
        logger.warning(
          "the counts of a space differed from its rows, as after a heal: an epoch without a past begins, and devices compare all rows",
          metadata: ["space": "\(space.name)", "rows": change(\.rows), "bytes": change(\.bytes), "head": change(\.head)])
      }
    } catch let error as StoreError where [.damaged, .decoding].contains(error.code) {
      logger.warning("the rows could not be counted", metadata: ["code": "\(error.code.rawValue)"])
    }
  }

  private func checkedAddress() throws -> Address {
    guard let address = Address(listen) else {
      throw Failure("--listen takes a host and a port", suggestion: "holdfast-server serve --listen 127.0.0.1:8377", status: 64)
    }
    guard behindProxy || address.isLoopback else {
      throw Failure(
        "\(address) is open to other machines, and this server has no TLS",
        suggestion: "Put a proxy with TLS before it, and add --behind-proxy --host NAME; or listen at 127.0.0.1.", status: 64)
    }
    guard behindProxy == !host.isEmpty else {
      throw Failure("--behind-proxy and --host need each other", suggestion: "Add --behind-proxy --host NAME.", status: 64)
    }
    return address
  }
}
