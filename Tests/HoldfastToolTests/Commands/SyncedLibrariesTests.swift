import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastMusic
import HoldfastTesting
import Testing

@testable import HoldfastTool

@Suite("Two devices with one library", .timeLimit(.minutes(10))) struct SyncedLibrariesTests {
  private static let token = SyncCommandTests.token

  /// The options of a sync with a server.
  private static func to(_ server: LoopbackServer, of library: String = "audiobooks") -> [String] {
    ["--to", server.address.absoluteString, "--space", "anna", "--library", library]
  }

  /// Syncs the stores one after the other. Each must have nothing left to send.
  private static func sync(_ stores: [String], _ options: [String], in folder: URL) throws {
    for store in stores {
      let synced = try Running(Workbench.binary, ["sync", store, "--json"] + options, in: folder, environment: token).finish()
      #expect(synced.status == 0 && synced.document["pending"] as? Int == 0, "\(synced.errors)")
    }
  }

  private static func books(_ store: String) throws -> [String] {
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    defer { try? library.store.close() }
    return try library.store.rows("SELECT title, author FROM collections ORDER BY title", columns: 2)
  }

  @Test("an import into a synced store is as old as its file: what another device changed after it stays, though the import ran later")
  func importAge() async throws {
    let bench = try Workbench()
    let (store, other) = (try bench.store(), bench.path("other.sqlite"))
    let server = try SyncCommandTests.server()
    defer { server.stop() }
    try Self.sync([store, other], Self.to(server), in: bench.folder)

    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: other))
    let book = try #require(UUID(uuidString: "1D8B3F0A-52C4-4B7E-8E0D-6A9C2F4D7E31"))
    #expect(try await library.renameCollection(book, to: "The Whale"))
    try library.store.close()

    var text = try String(contentsOf: Workbench.tests.appendingPathComponent("Fixtures/library.json"), encoding: .utf8)
    for (old, new) in [
      ("\"Moby Dick\"", "\"Moby-Dick\""), ("Herman Melville", "H. Melville"),
      ("\"updatedAt\" : \"2025-11-01T08:00:00Z\"", "\"updatedAt\" : \"2025-11-02T08:00:00Z\""),
    ] {
      text = text.replacingOccurrences(of: old, with: new)
    }
    let file = try bench.write(text, to: "an-hour-old.json")
    try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSinceNow: -3_600)], ofItemAtPath: file)
    try bench.run("import", file, "--into", store, status: 0)
    #expect(try Self.books(store).contains("Moby-Dick H. Melville"))

    try Self.sync([store, other, store], Self.to(server), in: bench.folder)
    for each in [store, other] { #expect(try Self.books(each) == ["The Whale H. Melville", "三体 刘慈欣"]) }
  }

  @Test("where a book lies travels, also a bookmark")
  func bookmarks() throws {
    let bench = try Workbench()
    let (store, other) = (try bench.store(), bench.path("other.sqlite"))
    let server = try SyncCommandTests.server()
    defer { server.stop() }
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    let places: BoundSQL = """
      SELECT location_type, location_payload, source_type, source_payload, cover_payload FROM tracks
      JOIN collections ON collections.id = collection_id ORDER BY tracks.id
      """
    _ = try library.store.write { tx in
      try tx.execute("UPDATE tracks SET location_type = 'local', location_payload = '{\"urlBookmark\":\"AA==\"}' WHERE track_number = 2")
    }
    let before = try library.store.rows(places, columns: 5)
    try library.store.close()
    #expect(before.contains { $0.contains("urlBookmark") } && before.contains { $0.contains("moby.jpg") }, "\(before)")
    try Self.sync([store, other], Self.to(server), in: bench.folder)
    let copy = try AudiobookLibrary.open(at: URL(fileURLWithPath: other))
    #expect(try copy.store.rows(places, columns: 5) == before)
    try copy.store.close()
  }

  @Test("the plays of two devices add up")
  func plays() async throws {
    let bench = try Workbench()
    let (store, other) = (bench.path("music.sqlite"), bench.path("other.sqlite"))
    #expect(try bench.run("import", bench.fixture("music.json"), "--into", store).status == 0)
    let server = try SyncCommandTests.server()
    defer { server.stop() }
    try Self.sync([store, other], Self.to(server, of: "music"), in: bench.folder)
    let track = try #require(UUID(uuidString: "0A000000-0000-4000-8000-000000000001"))
    for each in [store, other] {
      let library = try MusicStore.open(at: URL(fileURLWithPath: each))
      try await library.recordPlay(of: track)
      #expect(try await library.track(track)?.playCount == 1)
      try library.store.close()
    }
    try Self.sync([store, other, store], Self.to(server, of: "music"), in: bench.folder)
    for each in [store, other] {
      let library = try MusicStore.open(at: URL(fileURLWithPath: each))
      #expect(try await library.track(track)?.playCount == 2)
      try library.store.close()
    }
  }

  @Test("--watch takes what another device sends, says when nothing waits, keeps a second process from syncing, and ends well at Ctrl-C")
  func watches() async throws {
    let bench = try Workbench()
    let (store, other, folder) = (try bench.store(), bench.path("other.sqlite"), bench.folder)
    let server = try SyncCommandTests.server()
    defer { server.stop() }
    let watching = try Running(Workbench.binary, ["sync", store, "--watch"] + Self.to(server), in: folder, environment: Self.token)
    defer { if watching.process.isRunning { watching.process.terminate() } }
    func look(_ command: String, _ options: String...) -> Finished? {
      try? Running(Workbench.binary, [command, store] + options, in: folder).finish()
    }
    #expect(await eventually { look("sync", "--status", "--json")?.document["last_synced"] is String })
    try Self.sync([other], Self.to(server), in: folder)
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: other))
    _ = try await library.store.write { try $0.execute("DELETE FROM collections WHERE title = 'Moby Dick'") }
    try library.store.close()
    try Self.sync([other], Self.to(server), in: folder)
    #expect(await eventually { look("list").map { $0.status == 0 && !$0.output.contains("Moby Dick") } ?? false })

    let second = try Running(Workbench.binary, ["sync", store] + Self.to(server), in: folder, environment: Self.token).finish()
    #expect(second.status == 75, "\(second.errors)")
    watching.process.interrupt()
    let ended = watching.finish()
    #expect(ended.status == 0 && ended.output.contains("  nothing waits\n") && ended.output.contains("last synced"), "\(ended)")
    try Self.sync([store], Self.to(server), in: folder)
    #expect(try bench.run("check", store).status == 0)
  }
}
