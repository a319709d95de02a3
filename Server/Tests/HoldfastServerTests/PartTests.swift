import Foundation
import Holdfast
import HoldfastServing
import HoldfastSyncServer
import Logging
import Testing

/// The small parts, without HTTP.
@Suite struct PartTests {
  @Test(
    "an address is a host and a port, and is open to other machines unless it is of the loopback",
    arguments: [
      ("127.0.0.1:8377", "loopback"), ("127.9.9.9:1", "loopback"), ("localhost:0", "loopback"), ("[::1]:8377", "loopback"),
      ("0.0.0.0:8377", "open"), ("[::]:8377", "open"), ("127.0.0.1.example.org:80", "open"), ("10.0.0.2:65535", "open"),
      ("::1:8377", "none"), ("127.0.0.1", "none"), (":80", "none"), ("a:65536", "none"), ("a:-1", "none"), ("", "none"),
    ])
  func addresses(_ text: String, _ kind: String) {
    #expect(Address(text).map { $0.isLoopback ? "loopback" : "open" } ?? "none" == kind)
    if let address = Address(text) { #expect(address.description == text) }
  }

  @Test("a bucket gives as many requests as it holds, and fills with time")
  func bucket() {
    let limit = RateLimit(perSecond: 2, burst: 3)
    let start = ContinuousClock.now
    func allowed(after milliseconds: Int, _ token: String = "a") -> Bool { limit.allows(token, at: start + .milliseconds(milliseconds)) }
    #expect((0..<4).map { _ in allowed(after: 0) } == [true, true, true, false])
    #expect(allowed(after: 0, "b"))
    #expect([allowed(after: 499), allowed(after: 500), allowed(after: 600)] == [false, true, false])
    #expect((0..<4).map { _ in allowed(after: 60_000) } == [true, true, true, false])
  }

  @Test("unknown tokens do not fill the memory, and do not empty another bucket")
  func manyTokens() {
    let limit = RateLimit(perSecond: 1, burst: 1)
    let start = ContinuousClock.now
    for number in 0..<20_000 { #expect(limit.allows("\(number)", at: start + .milliseconds(number))) }
    #expect(!limit.allows("19999", at: start + .milliseconds(20_000)))
  }

  @Test("what was zipped is expanded up to the limit, and not beyond", arguments: [0, 1, 999, 1_000])
  func gzip(_ count: Int) throws {
    let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let zipped = try #require(Gzip.compressed(bytes))
    #expect(try Gzip.expanded(zipped, limit: 1_000) == bytes)
    if count > 0 { #expect(throws: Gzip.Failure.tooLarge) { try Gzip.expanded(zipped, limit: count - 1) } }
    for length in 0..<zipped.count { #expect(throws: Gzip.Failure.damaged) { try Gzip.expanded(zipped.prefix(length), limit: 1_000) } }
  }

  @Test("a store with fewer pushes than were noted, or without its note, begins a new epoch in every space; another one does not")
  func note() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("note-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (url, noted) = (folder.appendingPathComponent("server.sqlite"), folder.appendingPathComponent("server.sqlite.pushes"))
    let store = try Store.open(at: url, schemas: [SyncServer.schema], options: .testing)
    defer { try? store.close() }
    let server = SyncServer(store)
    for space in ["anna", "bert"] { try server.makeSpace(space) }
    func begins() async throws -> Bool {
      let before = try server.spaces().map(\.epoch)
      let told = try await PushNote(server, beside: url).settle()
      let changed = try zip(before, server.spaces().map(\.epoch)).map { $0 != $1 }
      #expect(changed == [told, told])
      return told
    }
    #expect(try await !begins())
    try await store.write { tx in _ = try tx.execute("UPDATE sync_pushes SET number = 7") }
    #expect(try await !begins(), "a process was killed before it could note the last pushes")
    #expect(try String(contentsOf: noted, encoding: .utf8) == "0000000000000000007\n")
    await PushNote(server, beside: url).write(Logger(label: "test"))
    #expect(try await !begins())
    try await store.write { tx in _ = try tx.execute("UPDATE sync_pushes SET number = 6") }
    #expect(try await begins(), "rewound")
    #expect(try await !begins())
    try FileManager.default.removeItem(at: noted)
    #expect(try await begins(), "no note")
    try Data().write(to: noted)
    #expect(try await begins(), "a note that power loss emptied")
  }
}
