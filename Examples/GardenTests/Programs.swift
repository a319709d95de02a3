import Foundation
import HoldfastTesting
import Testing

/// Runs `garden` and `holdfast` as processes, in a folder of their own.
struct Programs {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Runs a program in the folder, and expects its exit code. Both outputs are in the text.
  func run(_ program: String, _ arguments: [String], status: Int32 = 0) throws -> String {
    let (process, pipe) = (Process(), Pipe())
    process.executableURL = Self.binaries.appendingPathComponent(program)
    process.arguments = arguments
    process.currentDirectoryURL = folder.url
    process.standardInput = FileHandle.nullDevice
    (process.standardOutput, process.standardError) = (pipe, pipe)
    process.environment = ProcessInfo.processInfo.environment.merging(["LLVM_PROFILE_FILE": "/dev/null", "COLUMNS": "80"]) { $1 }
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == status, "\(program) \(arguments): \(text)")
    return text
  }

  /// Beside the test bundle.
  private static let binaries: URL = {
    #if canImport(Darwin)
      let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }?.bundleURL ?? Bundle.main.bundleURL
      return bundle.deletingLastPathComponent()
    #else
      let executable = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
      return executable.deletingLastPathComponent()
    #endif
  }()
}
