import Foundation
import Holdfast
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting
import Testing

@Suite("A space that a server takes from another store")
struct TakenSpaceTests {
  private let folder: TemporaryFolder
  private let (source, target): (SyncServer, SyncServer)
  private let token: String

  init() throws {
    folder = try TemporaryFolder()
    source = SyncServer(try folder.store([SyncServer.schema], name: "source.sqlite"))
    target = SyncServer(try folder.store([SyncServer.schema], name: "target.sqlite"))
    try source.makeSpace("anna", epoch: "e1")
    token = try source.makeToken(for: "anna")
    for key in ["a", "b"] {
      let request = SyncRequest(.push([.book(key, at: 1)]), epoch: "e1", cursor: 0, schema: 1)
      _ = try source.answer(request, in: "anna", now: ServerWorld.now)
    }
  }

  /// Takes the space in parts of one row, and calls `body` after the first one, as another process would be there then.
  private func take(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let lines = try await source.store.read { reader in try reader.all(SyncLine.self, "ORDER BY key") }
    let copy = try await source.copying("anna") { $0 }
    try await target.take(
      SpaceCopy(copy.space, copy.tokens) { last in
        if last?.key == "a" { try await body() }
        return Array(lines.drop { line in last.map { line.key <= $0.key } ?? false }.prefix(1))
      })
  }

  @Test("while it is here only in part, no start of a server counts it, no device reaches it, and the check names it; then it is whole")
  func inPart() async throws {
    try await take { [target, folder] in
      #expect(try target.mendSpaces() == [])
      try target.beginEpoch()
      for busy in [{ try target.beginEpoch(in: "anna") }, { _ = try target.makeToken(for: "anna") }, { _ = try target.space("anna") }] {
        #expect(code(busy) == .busy)
      }
      let request = SyncRequest(.pull, epoch: nil, cursor: 0, schema: 1)
      #expect(try target.answer(request, in: "anna", now: ServerWorld.now).picture == "failed: busy")
      #expect(await asyncCode { try await target.copying("anna") { _ in } } == .busy)
      let found = try SyncServer.check(at: folder.file("target.sqlite"), options: .testing).findings
      #expect(
        found.map(\.message) == ["only a part of the space is here: where no move runs, remove it here, then move it again"])
    }
    let space = try target.space("anna")
    #expect(space.rows == 2 && space.head == 2 && space.epoch != "e1" && !space.epoch.isEmpty)
    #expect(try target.digest(of: "anna") == source.digest(of: "anna") && target.pushCount() == 2)
    #expect(try target.tokens().map(\.name) == ["anna-1"])
    #expect(try SyncServer.check(at: folder.file("target.sqlite"), options: .testing).findings == [])
    #expect(await target.head(of: "anna", token: token, now: ServerWorld.now).head == 2)
  }

  @Test("a part that a killed move has left can be removed, and the space moved again; one that is removed meanwhile ends the move")
  func left() async throws {
    try await target.store.write { tx in
      try tx.execute("INSERT INTO sync_space (space, lineage, head, digest, rows, bytes) VALUES ('anna', '[]', 2, 0, 0, 0)")
      try tx.execute("INSERT INTO sync_row (space, tbl, key, sequence, body) VALUES ('anna', 'books', 'a', 1, '{}')")
    }
    #expect(await asyncCode { try await source.move("anna", to: target) } == .constraint)
    try await target.removeSpace("anna")
    await #expect(throws: StoreError.self) { try await take { [target] in try await target.removeSpace("anna") } }
    #expect(try target.spaces() == [] && source.space("anna").rows == 2)
    try await source.move("anna", to: target)
    #expect(try target.space("anna").rows == 2 && source.spaces() == [])
  }
}
