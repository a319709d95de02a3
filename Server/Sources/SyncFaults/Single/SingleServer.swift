internal import Foundation
internal import Holdfast
internal import HoldfastSyncServer
internal import SyncHistory

/// One server with its store in a file, which is killed, runs out of disk, and goes back to a backup.
final class SingleServer: ServerSide {
  let faults = Fault.ofDevices + [.serverKilled, .serverFull, .serverRewound]
  let proxies: [Proxy] = []
  private let isSabotaged: Bool
  private let folder: URL
  private let store: URL
  private let program: ServerProgram
  /// Copies of the store, the oldest first.
  private var backups: [URL] = []

  init(in folder: URL, isSabotaged: Bool) {
    (self.folder, self.isSabotaged, store) = (folder, isSabotaged, folder.appendingPathComponent("server.sqlite"))
    program = ServerProgram("server", store: store.path, in: folder)
  }

  func prepare() {}
  @discardableResult
  func run(_ arguments: String...) throws -> String { try program.run(arguments) }
  func start() throws -> Int { try program.start() }
  func kill() { program.kill() }

  func stop() -> [String] {
    let end = program.stop()
    return end == "exited with 0" ? [] : ["the server, at SIGTERM: \(end ?? "no end")"]
  }

  func revive() throws -> [String] {
    guard let end = program.child?.end else { return [] }
    try program.start()
    return ["the server \(end)"]
  }

  /// A copy to rewind to.
  func rest() throws {
    let backup = folder.appendingPathComponent("backup-\(backups.count).sqlite")
    try run("backup", backup.path)
    backups.append(backup)
  }

  func breakIt(_ fault: Fault, in run: FaultRun) throws -> Bool {
    switch fault {
    case .serverKilled:
      // In the middle of requests.
      run.expectKilled("the server", program.kill())
      if isSabotaged, let backup = backups.first { try replaceStore(by: backup) }
      try serve(run)
      return true
    case .serverFull: return try fillDisk(run)
    case .serverRewound: return try rewind(run)
    default: return false
    }
  }

  /// Starts the server, checks that it has what it acknowledged, and lets the devices to it.
  private func serve(_ run: FaultRun) throws {
    for station in run.stations { station.proxy.lead(to: nil) }
    let port = try program.start()
    try run.check()
    run.lead(to: port)
  }

  /// Returns whether the server has refused something.
  private func fillDisk(_ run: FaultRun) throws -> Bool {
    let before = run.tally[Proxy.refusals]
    try program.child?.limitFiles(to: run.fullSize(), errors: run.errors)
    let hasRefused = wait(seconds: 3) { run.tally[Proxy.refusals] > before }
    usleep(1_000_000)
    try program.child?.limitFiles(to: nil, errors: run.errors)
    return hasRefused
  }

  /// As an operator goes back to a backup. Where nobody begins a new epoch, `serve` finds out by itself.
  private func rewind(_ run: FaultRun) throws -> Bool {
    for station in run.stations { station.proxy.lead(to: nil) }
    for problem in stop() { run.tally.report(.ended, problem) }
    // An older one lacks the epochs that began after it.
    guard let backup = backups.suffix(3).randomElement(using: &run.chance) else { return false }
    try replaceStore(by: backup)
    if run.chance.percent(50) { try self.run("epoch", "bump", "anna") }
    run.rewoundAt = Clock.nanoseconds
    try serve(run)
    return true
  }

  /// Puts a backup into the store's place, of a server that does not run.
  private func replaceStore(by backup: URL) throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
    try FileManager.default.copyItem(at: backup, to: store)
  }

  func lines() throws -> (lines: [String], digest: Int64) {
    var options = StoreOptions.production
    options.opensReadOnly = true
    let opened = try Store.open(at: store, schemas: [SyncServer.schema], options: options)
    defer { try? opened.close() }
    return try opened.read { reader in
      (
        try reader.values("SELECT body FROM sync_row ORDER BY tbl, key") { row in try row.text() },
        try reader.value("SELECT digest FROM sync_space") { row in try row.int64() } ?? 0
      )
    }
  }
}
