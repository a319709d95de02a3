import Foundation
import HoldfastTesting
import Testing

@Suite("The script that bounds the tests' time")
struct TestWithinTests {
  /// What a run of tests prints.
  private static let run = """
    ◇ Test run started.
    ◇ Suite "All" started.
    ◇ Test "ends" started.
    ◇ Test "never ends – ü" started.
    ◇ Test several(_:) started.
    ◇ Test single(_:) started.
    ✔ Test "ends" passed after 0.001 seconds.
    ✔ Test single(_:) with 1 test case passed after 0.001 seconds.
    ✘ Test several(_:) with 2 test cases failed after 0.001 seconds with 1 issue.

    """

  @Test("a run that does not end fails, and exactly what did not end is named, in every locale", arguments: ["C", "C.UTF-8"])
  func namesTheHanging(locale: String) throws {
    let folder = try TemporaryFolder()
    defer { withExtendedLifetime(folder) {} }
    let swift = folder.file("swift")
    // Stands in for the command `swift`. Its child has a session of its own, as the tests of the real one have a group of their own.
    try Data("#!/bin/sh\ncat <<'END'\n\(Self.run)END\nsetsid sleep 600 &\nwait\n".utf8).write(to: swift)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: swift.path)
    let script = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../.ci/test-within").standardized
    let process = Process()
    process.executableURL = script
    // Long enough that a busy machine has begun by then.
    process.arguments = ["5"]
    let own = ProcessInfo.processInfo.environment
    process.environment = own.merging(["PATH": "\(folder.url.path):\(own["PATH"] ?? "/usr/bin:/bin")", "LC_ALL": locale]) { $1 }
    let printed = Pipe()
    process.standardOutput = printed
    process.standardError = printed
    try process.run()
    let text = String(decoding: printed.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 1)
    let end = """

      The tests did not end within 5 seconds. These had begun and not ended:
        "never ends – ü"

      """
    #expect(text == Self.run + end)
  }
}
