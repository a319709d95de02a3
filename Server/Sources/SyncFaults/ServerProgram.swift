internal import Foundation
internal import Holdfast
internal import HoldfastSyncServer
internal import SyncHistory
internal import Synchronization

/// The real `holdfast-server`, and what an operator does with it.
final class ServerProgram {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  let store: URL
  private let program: String
  private let errors: URL
  private(set) var child: Child?

  init(in folder: URL) {
    (store, errors) = (folder.appendingPathComponent("server.sqlite"), folder.appendingPathComponent("server.errors"))
    program = URL(fileURLWithPath: ownProgram).deletingLastPathComponent().appendingPathComponent("holdfast-server").path
  }

  /// Runs a command to its end; returns its output.
  @discardableResult
  func run(_ arguments: String...) throws -> String {
    let lines = Mutex<[String]>([])
    let command = try Child(program, arguments + ["--store", store.path], errors: errors) { line in lines.withLock { $0.append(line) } }
    let end = command.waitForEnd(seconds: 60)
    guard end == "exited with 0" else {
      throw Failure("holdfast-server \(arguments.joined(separator: " ")): \(end ?? "no end") \(lines.withLock { $0 })")
    }
    return lines.withLock { $0.joined(separator: "\n") }
  }

  /// Returns the port when the server takes requests.
  func start() throws -> Int {
    let port = Mutex<Int?>(nil)
    let serving = try Child(program, ["serve", "--store", store.path, "--listen", "127.0.0.1:0"], errors: errors) { line in
      guard line.hasPrefix("Serving ") else { return }
      port.withLock { $0 = line.split(separator: ":").last.flatMap { Int($0) } }
    }
    child = serving
    wait(seconds: 30) { port.withLock { $0 != nil } || serving.end != nil }
    guard let port = port.withLock({ $0 }) else { throw Failure("the server does not start: \(serving.end ?? "no end")") }
    return port
  }

  /// Returns how it ended; nil where it did not run.
  @discardableResult
  func kill() -> String? {
    child?.signal(SIGKILL)
    defer { child = nil }
    return child?.waitForEnd()
  }

  /// Ends it as an operator does. Returns how it ended.
  func stop() -> String? {
    child?.signal(SIGTERM)
    defer { kill() }
    return child?.waitForEnd(seconds: 40)
  }

  /// Puts a backup into the store's place, of a server that does not run.
  func replaceStore(by backup: URL) throws {
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: store.path + suffix) }
    try FileManager.default.copyItem(at: backup, to: store)
  }

  // MARK: Looking

  /// The rows of the space as the server keeps them, and the digest that it has of them.
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

  /// What the server has of the transactions of all devices.
  func sight(of devices: Int) throws -> Sight {
    var counters: [(id: String, n: Int)] = []
    var tags: [(id: String, tags: [String])] = []
    for line in try lines().lines {
      guard let row = WireRow(line), row.generation % 2 == 1 else { continue }
      if row.table == "counters" { counters.append((row.key, row.current["n"] as? Int ?? -1)) }
      guard row.table == "notes", row.key.hasPrefix("p") else { continue }
      tags.append((row.key, ["title", "pair_a", "pair_b"].map { row.current[$0] as? String ?? "none" }))
    }
    return try Notes.sight(of: devices, counters: counters, tags: tags)
  }
}

/// The path of this program.
let ownProgram = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
