import Foundation
import HoldfastTesting
import Testing

/// A process that takes telemetry without a pause.
///
/// Three seconds in the short form of `make proof`; a minute in the long one, and ten by `make telemetry`.
@Suite("An app that takes telemetry", .serialized)
struct TelemetryMemoryTests {
  private static let seconds = KillWorld.isShort ? 3 : 60

  @Test("neither its memory nor its file grows, and every event arrives once")
  func growth() throws {
    let folder = try TemporaryFolder()
    let driver = try Driver.start(["--telemetry-into", folder.file("sdk.sqlite").path, "--seconds", "\(Self.seconds)"])
    let lines = try driver.lines()
    for line in lines { print(line) }
    #expect(lines.count == 3 && lines.last == "right", "\(lines)")
    #expect(lines.allSatisfy { !$0.contains("unknown") || !FileManager.default.fileExists(atPath: "/proc/self/status") })
    #expect(try driver.end() == 0)
  }
}
