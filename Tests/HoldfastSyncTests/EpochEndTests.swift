import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("The end of an epoch, on a device")
struct EpochEndTests {
  private static func note(_ key: String) -> SyncRow {
    let values = ["id": "\"\(key)\"", "title": "\"old\"", "body": "\"\""].map { (ExactText($0), ExactText($1)) }
    return SyncRow(SyncRow.Name("notes", key), generation: 1, birth: .at(1), values: RowValues(values))
  }

  private static func page(_ rows: (SyncRow, Int64)..., cursor: Int64, more: Bool = false) -> SyncResponse.Outcome {
    .page(rows.map { SyncResponse.Stored($0.0, at: $0.1) }, cursor: cursor, more: more)
  }

  private func next(_ device: LoneDevice) throws -> SyncRequest { try #require(try device.sync.next()) }

  /// The keys of the rows that the device sends now.
  private func sent(_ device: LoneDevice) throws -> [String] {
    guard case .push(let rows)? = try device.sync.next()?.verb else { return [] }
    return rows.map(\.name.key.text)
  }

  @Test("a device that had seen less than the fork keeps its cursor, and sends nothing")
  func away() throws {
    let device = try LoneDevice()
    try device.pull(Self.note("n1"))
    device.sync.beginRound()
    try device.answer(.branched(fork: 7), to: next(device), epoch: "e2")
    let request = try next(device)
    #expect(request == SyncRequest(.pull, epoch: "e2", cursor: 1, schema: request.schema))
    #expect(device.sync.status.pending == 0)
  }

  @Test("between two pages an epoch ends: the device pulls anew from the fork, and sends what the pages had brought from behind it")
  func betweenPages() throws {
    let device = try LoneDevice()
    try device.pull(Self.note("n1"), Self.note("n2"))
    device.sync.beginRound()
    try device.answer(Self.page((Self.note("n3"), 3), cursor: 3, more: true), to: next(device))
    #expect(try next(device).cursor == 3)
    try device.answer(.branched(fork: 1), to: next(device), epoch: "e2")
    let request = try next(device)
    #expect(request == SyncRequest(.pull, epoch: "e2", cursor: 1, schema: request.schema))
    try device.answer(Self.page(cursor: 1), to: request, epoch: "e2")
    #expect(try sent(device) == ["n2", "n3"])
  }

  @Test("a row behind the fork is sent again, also of a table that this version does not know")
  func unknownTable() throws {
    let device = try LoneDevice()
    try device.pull(Self.note("n1"), .book("a", at: 1))
    device.sync.beginRound()
    try device.answer(.branched(fork: 1), to: next(device), epoch: "e2")
    try device.answer(Self.page(cursor: 1), to: next(device), epoch: "e2")
    #expect(try sent(device) == ["a"])
  }

  @Test("what the server has refused is sent again in the next epoch")
  func refused() throws {
    let device = try LoneDevice()
    try device.store.add("n1")
    try device.pull()
    try device.answerPush(.pushed([], refused: [.init(SyncRow.Name("notes", "n1"), "quota")], cursor: nil))
    #expect(device.sync.status.refused == 1)
    try device.answer(.branched(fork: 0), to: next(device), epoch: "e2")
    #expect(device.sync.status.refused == 0 && device.sync.status.pending == 1)
  }

  @Test("a page of another epoch than the one that was asked with is not taken")
  func anotherEpoch() throws {
    let device = try LoneDevice()
    try device.pull(Self.note("n1"))
    device.sync.beginRound()
    try device.answer(Self.page((Self.note("n2"), 2), cursor: 2), to: next(device), epoch: "e2")
    #expect(device.sync.status.lastError?.code == .inputOutput)
    #expect(try device.store.notes() == ["n1 old"])
    #expect(try device.store.rows("SELECT epoch, cursor FROM holdfast_sync", columns: 2) == ["e1 1"])
  }

  @Test("what a full resync had got when its process ended counts for nothing: the epoch may have ended since, and the row with it")
  func interruptedResync() throws {
    let device = try LoneDevice()
    try device.pull(Self.note("n1"))
    device.sync.beginRound()
    try device.answer(.branched(fork: nil), to: next(device), epoch: "e2")
    try device.answer(Self.page((Self.note("n1"), 1), cursor: 1, more: true), to: next(device), epoch: "e2")
    let again = try LoneDevice(device.store)
    again.sync.beginRound()
    let request = try next(again)
    #expect(request == SyncRequest(.pull, epoch: nil, cursor: 0, schema: request.schema))
    try again.answer(Self.page(cursor: 0), to: request, epoch: "e3")
    #expect(try sent(again) == ["n1"])
  }

  @Test("only the last page of a pull makes the device one that has everything; the end of an epoch does not")
  func synced() throws {
    let device = try LoneDevice()
    func synced() throws -> [String] { try device.store.rows("SELECT synced_at FROM holdfast_sync") }
    device.sync.beginRound()
    try device.answer(Self.page((Self.note("n1"), 1), cursor: 1, more: true), to: next(device))
    #expect(try synced() == ["NULL"])
    try device.answer(.branched(fork: nil), to: next(device), epoch: "e2")
    #expect(try synced() == ["NULL"] && !device.sync.status.isCaughtUp)
    try device.answer(Self.page(cursor: 0), to: next(device), epoch: "e2")
    #expect(try synced() == ["\(device.clock.now)"] && device.sync.status.isCaughtUp)
  }
}
