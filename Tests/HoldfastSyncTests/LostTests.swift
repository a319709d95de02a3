import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

@Suite("The list of what was lost")
struct LostTests {
  private static let now = LoneDevice.Clock().now

  /// A note that was inserted long ago, with what was changed later.
  private static func note(title: (Int64, String), body: (Int64, String)? = nil) -> SyncRow {
    var changes = ["title": title]
    changes["body"] = body
    return .texts("notes", "n1", ["title": "old", "body": "old"], later: changes)
  }

  /// With a title that it received, and a body that it has yet to send.
  private func device(body: String = "mine") throws -> LoneDevice {
    let device = try LoneDevice()
    try device.pull(Self.note(title: (2, "first")))
    try device.write("UPDATE notes SET body = \(body)")
    return device
  }

  @Test("of a row with an unsent change, values that the device had only received are in no list")
  func received() throws {
    let device = try self.device()
    try device.pull(Self.note(title: (3, "second")))
    try device.pull(Self.note(title: (4, "third")))
    #expect(try device.lostValues() == [] && device.store.notes() == ["n1 third"] && device.sync.status.pending == 1)
  }

  @Test("an unsent change that loses is in the list once, however often its row arrives after that, also in one pull")
  func once() throws {
    let device = try self.device()
    device.sync.beginRound()
    for (number, body) in [(1, "theirs"), (2, "theirs again"), (3, "theirs at last")] {
      let request = try #require(try device.sync.next())
      let row = Self.note(title: (4, "second"), body: (Self.now + Int64(number), body))
      let cursor = request.cursor + 1
      try device.answer(.page([.init(row, at: cursor)], cursor: cursor, more: number < 3), to: request)
    }
    #expect(try device.lostValues() == ["body: \"mine\""])
    #expect(try device.store.rows("SELECT title, body FROM notes", columns: 2) == ["second theirs at last"])
    #expect(device.sync.status.pending == 0)
  }

  @Test("of two unsent changes the one that loses is in the list; the other one is sent")
  func oneOfTwo() throws {
    let device = try self.device()
    try device.write("UPDATE notes SET title = 'mine, too'")
    let sent = try device.pull(Self.note(title: (2, "first"), body: (Self.now + 1, "theirs")))
    #expect(try device.lostValues() == ["body: \"mine\""])
    #expect(sent.map { $0.current[ExactText("title")]?.text } == ["\"mine, too\""])
  }

  @Test("a change that the server had taken, or that equals the one that wins, is in no list")
  func noLoss() throws {
    let device = try self.device(body: "same")
    try device.write("UPDATE notes SET title = 'sent'")
    let sent = try #require(try device.pull(Self.note(title: (2, "first"))).first)
    try device.answerPush(.pushed([.init(sent, at: 9)], refused: [], cursor: nil))
    #expect(device.sync.status.pending == 0)
    try device.write("UPDATE notes SET body = 'equal'")
    try device.pull(Self.note(title: (Self.now + 1, "theirs"), body: (Self.now + 1, "equal")))
    #expect(try device.lostValues() == [] && device.store.notes() == ["n1 theirs"])
  }
}
