import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// What `make serve` prints, pasted as it stands. `make server` builds the command first.
@Suite("make serve", .enabled(if: Program.built("holdfast") != nil, "needs the command holdfast beside the tests"), .timeLimit(.minutes(5)))
struct ServeLinesTests {
  @Test("its lines can be pasted: the phone gets the laptop's library; ended, it leaves no server and no file behind")
  func paste() async throws {
    let programs = try #require(Program.built("holdfast")).deletingLastPathComponent()
    let process = Process()
    process.executableURL = Self.script
    process.arguments = [programs.path, "127.0.0.1:0"]
    let told = Pipe()
    (process.standardOutput, process.standardError) = (told, FileHandle.nullDevice)
    try await Self.apart { Result { try Self.takingSignals { try process.run() } } }.get()
    // A test that throws leaves no server behind.
    defer { if process.isRunning { process.terminate() } }
    var text = ""
    // The last line is complete.
    while !text.hasSuffix("phone.sqlite\n") {
      let piece = await Self.apart { told.fileHandleForReading.availableData }
      try #require(!piece.isEmpty, "it ended after \(text)")
      text += String(decoding: piece, as: UTF8.self)
    }
    let lines = text.split(separator: "\n").map(String.init)
    let devices = lines.filter { $0.hasPrefix("HOLDFAST_SYNC_TOKEN=") }
    #expect(devices.count == 2, "\(text)")
    for line in devices + devices {
      let synced = try await Self.typed(line)
      #expect(synced.status == 0, "\(line)\n\(synced.text)")
    }
    let list = try await Self.typed(#require(lines.last))
    #expect(list.status == 0 && list.text.contains("刘慈欣"), "\(list.text)")
    let phone = try #require(lines.last?.split(separator: " ").last)
    let folder = URL(fileURLWithPath: String(phone)).deletingLastPathComponent()
    #expect(FileManager.default.fileExists(atPath: folder.path))
    process.terminate()
    await Self.apart { process.waitUntilExit() }
    #expect(process.terminationStatus == 0 && !FileManager.default.fileExists(atPath: folder.path))
  }

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent(".ci/serve")

  /// The threads of tasks block signals, and a process that they start inherits this: bash would never see SIGTERM.
  private static func takingSignals(_ body: () throws -> Void) rethrows {
    var (end, before) = (sigset_t(), sigset_t())
    sigemptyset(&end)
    sigaddset(&end, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &end, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    try body()
  }

  private static func typed(_ line: String) async throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", line]
    let told = Pipe()
    (process.standardInput, process.standardOutput, process.standardError) = (FileHandle.nullDevice, told, told)
    try process.run()
    return await apart {
      let text = String(decoding: told.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      process.waitUntilExit()
      return (process.terminationStatus, text)
    }
  }

  /// On a thread of its own: what blocks would keep the tasks of other tests from theirs.
  private static func apart<T: Sendable>(_ body: @escaping @Sendable () -> T) async -> T {
    await withCheckedContinuation { continuation in
      DispatchQueue(label: "apart").async { continuation.resume(returning: body()) }
    }
  }
}
