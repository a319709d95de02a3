import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("The end of an epoch, on a device")
struct EpochEndTests {
  @Test("a device that had seen less than the fork keeps its cursor, and sends nothing")
  func away() throws {
    let device = try LoneDevice()
    try device.pull(.note("n1"))
    device.sync.beginRound()
    try device.answer(.branched(fork: 7), to: device.next(), epoch: "e2")
    let request = try device.next()
    #expect(request == SyncRequest(.pull, epoch: "e2", cursor: 1, schema: request.schema))
    #expect(device.sync.status.pending == 0)
  }

  @Test("between two pages an epoch ends: the device pulls anew from the fork, and sends what the pages had brought from behind it")
  func betweenPages() throws {
    let device = try LoneDevice()
    try device.pull(.note("n1"), .note("n2"))
    device.sync.beginRound()
    try device.answer(.pageWith((.note("n3"), 3), cursor: 3, more: true), to: device.next())
    #expect(try device.next().cursor == 3)
    try device.answer(.branched(fork: 1), to: device.next(), epoch: "e2")
    let request = try device.next()
    #expect(request == SyncRequest(.pull, epoch: "e2", cursor: 1, schema: request.schema))
    try device.answer(.pageWith(cursor: 1), to: request, epoch: "e2")
    #expect(try device.sent() == ["n2", "n3"])
  }

  @Test("a row behind the fork is sent again, also of a table that this version does not know")
  func unknownTable() throws {
    let device = try LoneDevice()
    try device.pull(.note("n1"), .book("a", at: 1))
    device.sync.beginRound()
    try device.answer(.branched(fork: 1), to: device.next(), epoch: "e2")
    try device.answer(.pageWith(cursor: 1), to: device.next(), epoch: "e2")
    #expect(try device.sent() == ["a"])
  }

  @Test("what the server has refused is sent again in the next epoch")
  func refused() throws {
    let device = try LoneDevice()
    try device.store.add("n1")
    try device.pull()
    try device.answerPush(.pushed([], refused: [.init(SyncRow.Name("notes", "n1"), "quota")], cursor: nil))
    #expect(device.sync.status.refused == 1)
    try device.answer(.branched(fork: 0), to: device.next(), epoch: "e2")
    #expect(device.sync.status.refused == 0 && device.sync.status.pending == 1)
  }

  @Test("a page of another epoch than the one that was asked with is not taken")
  func anotherEpoch() throws {
    let device = try LoneDevice()
    try device.pull(.note("n1"))
    device.sync.beginRound()
    try device.answer(.pageWith((.note("n2"), 2), cursor: 2), to: device.next(), epoch: "e2")
    #expect(device.sync.status.lastError?.code == .inputOutput)
    #expect(try device.store.notes() == ["n1 old"])
    #expect(try device.store.rows("SELECT epoch, cursor FROM holdfast_sync", columns: 2) == ["e1 1"])
  }

  @Test("what a full resync had got when its process ended counts for nothing: the epoch may have ended since, and the row with it")
  func interruptedResync() throws {
    let device = try LoneDevice()
    try device.pull(.note("n1"))
    device.sync.beginRound()
    try device.answer(.branched(fork: nil), to: device.next(), epoch: "e2")
    try device.answer(.pageWith((.note("n1"), 1), cursor: 1, more: true), to: device.next(), epoch: "e2")
    let again = try LoneDevice(device.store)
    again.sync.beginRound()
    let request = try again.next()
    #expect(request == SyncRequest(.pull, epoch: nil, cursor: 0, schema: request.schema))
    try again.answer(.pageWith(cursor: 0), to: request, epoch: "e3")
    #expect(try again.sent() == ["n1"])
  }

  @Test("only the last page of a pull makes the device one that has everything; the end of an epoch does not")
  func synced() throws {
    let device = try LoneDevice()
    func synced() throws -> [String] { try device.store.rows("SELECT synced_at FROM holdfast_sync") }
    device.sync.beginRound()
    try device.answer(.pageWith((.note("n1"), 1), cursor: 1, more: true), to: device.next())
    #expect(try synced() == ["NULL"])
    try device.answer(.branched(fork: nil), to: device.next(), epoch: "e2")
    #expect(try synced() == ["NULL"] && !device.sync.status.isCaughtUp)
    try device.answer(.pageWith(cursor: 0), to: device.next(), epoch: "e2")
    #expect(try synced() == ["\(device.clock.now)"] && device.sync.status.isCaughtUp)
  }
}
