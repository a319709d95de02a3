import Foundation

/// The child process: mostly one import that prints a line for every 16 records of each reading of its source.
final class Driver {
  private let process = Process()
  private let output = Pipe()
  private var rest = Data()

  struct Missing: Error { var path: String }

  static func start(_ source: URL, _ store: URL) throws -> Driver { try start(["--import", source.path, "--into", store.path]) }

  static func start(_ arguments: [String]) throws -> Driver {
    let driver = Driver()
    // Beside the test bundle.
    let products = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
    let folders = [products, URL(fileURLWithPath: CommandLine.arguments.first ?? "").deletingLastPathComponent()].compactMap { $0 }
    let candidates = folders.map { $0.appendingPathComponent("holdfast-fuzz") }
    guard let program = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
      throw Missing(path: candidates.map(\.path).joined(separator: ", "))
    }
    driver.process.executableURL = program
    driver.process.arguments = arguments
    driver.process.standardOutput = driver.output
    try driver.process.run()
    return driver
  }

  /// Kills the process when it has printed this many lines. False when it had ended by itself.
  func kill(atLine number: Int) throws -> Bool {
    for _ in 0..<number {
      guard let line = try nextLine(), line != "done" else {
        process.waitUntilExit()
        return false
      }
    }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
  }

  /// Kills the process when it has printed this many lines, and returns all that it printed.
  func killed(afterLine number: Int) throws -> [String] {
    var lines: [String] = []
    while lines.count < number, let line = try nextLine() { lines.append(line) }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return try lines + self.lines()
  }

  /// All lines until the end.
  func lines() throws -> [String] {
    var lines: [String] = []
    while let line = try nextLine() { lines.append(line) }
    return lines
  }

  /// The exit code, once the process has ended.
  func end() throws -> Int32 {
    _ = try lines()
    process.waitUntilExit()
    return process.terminationStatus
  }

  private func nextLine() throws -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest = Data(rest[(end + 1)...]) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      // Foundation's reading of so many bytes waits for all of them.
      var more = [UInt8](repeating: 0, count: 4096)
      let count = read(output.fileHandleForReading.fileDescriptor, &more, more.count)
      guard count > 0 else { return nil }
      rest += more.prefix(count)
    }
  }
}
