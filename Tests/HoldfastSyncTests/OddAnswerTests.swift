import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

/// Answers that no server of this version gives.
@Suite("Odd answers")
struct OddAnswerTests {
  private static let name = SyncRow.Name("notes", "n1")

  @Test("an answer to a push that neither has a row nor refuses it does not fit: nothing is refused, and the row still waits")
  func missing() throws {
    let device = try LoneDevice()
    try device.store.add("n1")
    try device.pull()
    try device.answerPush(.pushed([], refused: [], cursor: nil))
    #expect(device.sync.status.lastError?.code == .inputOutput)
    #expect(device.sync.status.pending == 1 && device.sync.status.refused == 0)
    #expect(try device.pull().map(\.name) == [Self.name])
    try device.answerPush(.pushed([], refused: [.init(Self.name, "quota")], cursor: nil))
    #expect(device.sync.status.lastError == nil && device.sync.status.refused == 1)
  }

  @Test("where a row that was written unnoticed would go with a row that is parked, the answer fails, and nothing is lost")
  func unnoticed() throws {
    let device = try LoneDevice(
      """
      CREATE TABLE tags (id TEXT NOT NULL PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
      CREATE TABLE uses (id TEXT NOT NULL PRIMARY KEY, tag TEXT NOT NULL REFERENCES tags (id) ON DELETE CASCADE) STRICT;
      """, syncing: "tags", "uses")
    try device.write("INSERT INTO tags VALUES ('young', 'jazz')")
    try device.store.edit("DROP TRIGGER uses_sync_insert")
    try device.store.edit("INSERT INTO uses VALUES ('u', 'young')")
    let old = SyncRow.texts("tags", "old", ["name": "jazz"])
    let error = #expect(throws: StoreError.self) { try device.pull(old) }
    #expect(try error?.code == .verificationFailed && device.store.rows("SELECT id FROM uses") == ["u"])
    // As the next opening does.
    try device.store.write { tx in try device.store.makeDeclared(in: tx) }
    try device.pull(old)
    #expect(try device.store.rows("SELECT id FROM tags") == ["old"] && device.sync.status.parked == 2)
  }

  @Test("refused rows are sent again a day later, and at once where the clock was set back since")
  func clockSetBack() throws {
    let device = try LoneDevice()
    try device.store.add("n1")
    try device.pull()
    try device.answerPush(.pushed([], refused: [.init(Self.name, "quota")], cursor: nil))
    try device.sync.retryRefusedDaily()
    #expect(device.sync.status.refused == 1)
    device.clock.now -= 1
    try device.sync.retryRefusedDaily()
    #expect(device.sync.status.refused == 0 && device.sync.status.pending == 1)
  }

  @Test("a row with a stamp beyond the year 9999 is skipped; the others of its page arrive")
  func beyondAllTimes() throws {
    let device = try LoneDevice()
    let beyond: Int64 = 253_402_300_800_000
    try device.pull(
      .note("n1", at: beyond), .note("n2", later: ["title": (beyond, "late")]), .note("n3", later: ["title": (beyond - 1, "last")]))
    #expect(try device.store.notes() == ["n3 last"])
    #expect(device.sync.status.lastError == nil)
  }
}
