internal import Foundation
internal import Synchronization

/// The real `holdfast-server`, and what an operator does with it.
final class ServerProgram {
  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  private let store: String
  private let program: String
  private let errors: URL
  private(set) var child: Child?
  /// Its port since it was started for the first time; it keeps the port.
  private(set) var port = 0

  /// - Parameter store: a file, or a database's address.
  init(_ name: String, store: String, in folder: URL) {
    (self.store, errors) = (store, folder.appendingPathComponent("\(name).errors"))
    program = URL(fileURLWithPath: ownProgram).deletingLastPathComponent().appendingPathComponent("holdfast-server").path
  }

  /// Runs a command to its end; returns its output.
  @discardableResult
  func run(_ arguments: [String], exits codes: Set<Int> = [0]) throws -> String {
    try Child.output(program, arguments + ["--store", store], exits: codes, errors: errors).joined(separator: "\n")
  }

  /// Returns the port when the server takes requests.
  @discardableResult
  func start() throws -> Int {
    let told = Mutex<Int?>(nil)
    // It ends with this program, however that ends.
    let command = ["--pdeathsig", "KILL", program, "serve", "--store", store, "--listen", "127.0.0.1:\(port)"]
    let serving = try Child(Programs.path(of: "setpriv"), command, errors: errors) { line in
      guard line.hasPrefix("Serving ") else { return }
      told.withLock { $0 = line.split(separator: ":").last.flatMap { Int($0) } }
    }
    child = serving
    wait(seconds: 30) { told.withLock { $0 != nil } || serving.end != nil }
    guard let port = told.withLock({ $0 }) else {
      let end = serving.end
      // Later it would take the port from the next one.
      kill()
      throw Failure("the server does not start: \(end ?? "no end")")
    }
    self.port = port
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
}

/// The path of this program.
let ownProgram = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
