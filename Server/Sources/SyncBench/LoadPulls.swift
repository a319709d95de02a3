internal import ArgumentParser
internal import Foundation
internal import Holdfast
internal import HoldfastSync
internal import HoldfastSyncServer

/// First pulls from a server in another process: its processor's time beside that of a plain reading of the same rows, and a large device.
struct LoadPulls: Sendable {
  static let rounds = 5
  /// Seconds of the server's and the database's processors, in all rounds together.
  var server = 0.0
  var database = 0.0
  /// Seconds of the processor, for all rows written to a file as often.
  var reading = 0.0

  static func run(_ server: BenchServer, process: Int32, _ store: LoadStore, rows: Int) async throws -> LoadPulls {
    let space = try await server.makeSpace("pull", rows: rows)
    var result = LoadPulls()
    for round in 0...rounds {
      let before = (ProcessFigures.seconds(of: process), store.seconds())
      let device = try await server.newDevice(of: space)
      try await device.sync.finish()
      let pulled = try device.store.songs()
      guard pulled == rows else { throw Failure("a device has \(pulled) of \(rows) rows") }
      try device.store.close()
      if let url = device.store.url { try FileManager.default.removeItem(at: url.deletingLastPathComponent()) }
      let between = (ProcessFigures.seconds(of: process), store.seconds())
      let read = try store.read(space.name, into: server.folder.appendingPathComponent("rows"))
      // Round 0 warms up.
      guard round > 0 else { continue }
      result.server += between.0 - before.0
      result.database += between.1 - before.1
      result.reading += read
    }
    return result
  }

  /// Returns what the process of the device says: seconds, and MB before and at most.
  static func device(_ server: BenchServer, rows: Int) async throws -> [Double] {
    let space = try await server.makeSpace("large", rows: rows)
    let arguments = ["device", server.address.absoluteString, space.name, "\(rows)", server.folder.path]
    let process = try OwnProcess(arguments, environment: ["HOLDFAST_SYNC_TOKEN": space.token])
    defer { process.end() }
    return try process.line().split(separator: " ").compactMap { Double($0) }
  }
}

/// `sync-bench device`: the device whose memory `load` measures.
struct DeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "device", abstract: "Pulls a space once, for `load`.", shouldDisplay: false)

  @Argument var address: String
  @Argument var space: String
  @Argument var rows: Int
  @Argument var folder: String

  func run() async throws {
    guard let address = URL(string: address) else { throw Failure("no address") }
    let token = ProcessInfo.processInfo.environment["HOLDFAST_SYNC_TOKEN"]
    let own = URL(fileURLWithPath: folder).appendingPathComponent("large.sqlite")
    let store = try Store.open(at: own, schemas: [Song.schema])
    let sync = try StoreSync(store, server: StoreSync.Server(address, space: space) { token })
    try await sync.connect(.merge)
    let id = ProcessInfo.processInfo.processIdentifier
    let before = ProcessFigures.memory(of: id)
    let seconds = try await timed { try await sync.finish() }
    guard try store.songs() == rows else { throw Failure("a device has \(try store.songs()) of \(rows) rows") }
    print(seconds, before, ProcessFigures.memory(of: id, "VmHWM"))
  }
}
