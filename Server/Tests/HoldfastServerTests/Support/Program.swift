import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// `holdfast-server` as a process, in a folder of its own.
struct Program: Sendable {
  let folder: URL
  var store: URL { folder.appendingPathComponent("server.sqlite") }

  struct Missing: Error { let path: String }
  struct Ended: Error { let status: Int32 }

  /// Runs `body` with a new folder, which is removed afterwards.
  static func run(_ body: (Program) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-server-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await body(Program(folder: folder))
  }

  /// Beside the test bundle.
  private static var folders: [URL] {
    let products = Bundle.allBundles.map(\.bundleURL).first { $0.pathExtension == "xctest" }?.deletingLastPathComponent()
    return [products, URL(fileURLWithPath: CommandLine.arguments.first ?? "").deletingLastPathComponent()].compactMap { $0 }
  }

  /// A program that was built; nil where it was not.
  static func built(_ name: String) -> URL? {
    folders.map { $0.appendingPathComponent(name) }.first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  private func process(_ arguments: [String], _ environment: [String: String] = [:]) throws -> (Process, out: Pipe, errors: Pipe) {
    guard let program = Self.built("holdfast-server") else {
      throw Missing(path: Self.folders.map(\.path).joined(separator: ", "))
    }
    let (process, out, errors) = (Process(), Pipe(), Pipe())
    (process.executableURL, process.arguments, process.currentDirectoryURL) = (program, arguments, folder)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    (process.standardOutput, process.standardError) = (out, errors)
    return (process, out, errors)
  }

  /// Runs a command to its end.
  func run(_ arguments: String...) async throws -> (status: Int32, out: String, errors: String) { try await run(arguments) }

  func run(
    _ arguments: [String], environment: [String: String] = [:]
  ) async throws -> (status: Int32, out: String, errors: String) {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "program").async {
        continuation.resume(
          with: Result {
            let (process, out, errors) = try process(arguments, environment)
            try process.run()
            let text = String(decoding: out.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let told = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return (process.terminationStatus, text, told)
          })
      }
    }
  }

  /// A server that takes requests.
  final class Serving: @unchecked Sendable {
    private let process: Process
    let port: Int

    fileprivate init(_ process: Process, port: Int) { (self.process, self.port) = (process, port) }

    /// A test that throws leaves no server behind.
    deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

    /// - Parameter signal: SIGKILL, or SIGTERM, at which it ends by itself.
    func end(_ signal: Int32) async -> Int32 {
      kill(process.processIdentifier, signal)
      return await withCheckedContinuation { continuation in
        DispatchQueue(label: "end").async { [process] in
          process.waitUntilExit()
          continuation.resume(returning: process.terminationStatus)
        }
      }
    }
  }

  func serve(
    _ options: [String] = ["--listen", "127.0.0.1:0"], environment: [String: String] = [:]
  ) async throws -> Serving {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "serve").async { continuation.resume(with: Result { try served(options, environment) }) }
    }
  }

  /// Blocks until the server takes requests.
  ///
  /// - Throws: `Ended` when it ends before.
  func served(_ options: [String] = ["--listen", "127.0.0.1:0"], _ environment: [String: String] = [:]) throws -> Serving {
    let (process, out, _) = try process(["serve"] + options, environment)
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line = ""
    while !line.hasSuffix("\n") {
      let more = out.fileHandleForReading.availableData
      guard !more.isEmpty else {
        process.waitUntilExit()
        throw Ended(status: process.terminationStatus)
      }
      line += String(decoding: more, as: UTF8.self)
    }
    return Serving(process, port: Int(line.split(separator: ":").last?.dropLast() ?? "") ?? 0)
  }
}
