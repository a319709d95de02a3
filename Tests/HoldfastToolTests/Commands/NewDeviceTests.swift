import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastTool

@Suite("holdfast sync on a new device", .timeLimit(.minutes(10))) struct NewDeviceTests {
  private static let token = SyncCommandTests.token

  @Test("--library makes an empty store, which the first round fills; the same line works again")
  func fills() throws {
    let bench = try Workbench()
    let store = try bench.store()
    let server = try SyncCommandTests.server()
    defer { server.stop() }
    let address = server.address.absoluteString
    #expect(try bench.run(Self.token, "sync", store, "--to", address, "--space", "anna").status == 0)
    for _ in 1...2 {
      try bench.run(Self.token, "sync", "new.sqlite", "--to", address, "--space", "anna", "--library", "audiobooks", status: 0)
    }
    let list = try bench.run("list", "new.sqlite").output
    #expect(try list.contains("Moby Dick") && list == bench.run("list", store).output)
    #expect(try bench.run("check", "new.sqlite").status == 0)
    let other = try bench.run(Self.token, "sync", "new.sqlite", "--to", address, "--library", "music")
    #expect(other.status == 65 && other.errors.contains("holds audiobooks, not music"), "\(other.errors)")
  }

  @Test("without --library a missing store is 66, and the error names the option; without --space or a token nothing is made either")
  func makesNothing() throws {
    let bench = try Workbench()
    let to = ["--to", "http://127.0.0.1:9"]
    func run(_ options: [String], _ environment: [String: String] = Self.token) throws -> Finished {
      try bench.run(["sync", "new.sqlite"] + to + options, environment)
    }
    let missing = try run(["--space", "anna"])
    #expect(missing.status == 66 && missing.errors.contains("--library audiobooks"), "\(missing.errors)")
    #expect(try run(["--library", "audiobooks"]).status == 64)
    #expect(try run(["--space", "anna", "--library", "audiobooks"], [:]).status == 64)
    #expect(try bench.names() == [])
  }

  @Test("beside the archive of a lost store nothing is made: it can come back")
  func besideCopies() throws {
    let bench = try Workbench()
    let store = try bench.archived()
    for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(at: bench.url("library.sqlite\(suffix)")) }
    let refused = try bench.run(Self.token, "sync", store, "--to", "http://127.0.0.1:9", "--space", "anna", "--library", "audiobooks")
    #expect(refused.status == 65 && refused.errors.contains("nothing was made"), "\(refused.errors)")
    #expect(!FileManager.default.fileExists(atPath: store))
  }
}
