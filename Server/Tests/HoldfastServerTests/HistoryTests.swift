import SyncHistory
import Testing

/// The checks of `sync-faults`, which judge what real devices tell.
@Suite struct HistoryTests {
  /// What is there when two devices have written so many transactions.
  private static func sight(_ counters: Int...) -> Sight {
    var sight = Sight(devices: counters.count)
    sight.counters = counters
    for (device, counter) in counters.enumerated() {
      for pair in 0..<Script.pairs {
        let tag = Script.last(writing: pair, upTo: counter).flatMap(Script.tag)
        sight.pairs[device][pair] = Sight.Pair(tag, tag)
      }
    }
    return sight
  }

  @Test("what whole transactions leave breaks no promise, whatever the counters")
  func whole() {
    for counter in 0...100 { #expect(Self.sight(counter, 100 - counter).violations == []) }
  }

  @Test("each transaction writes the pair whose turn it is, or deletes it")
  func script() {
    for counter in 1...100 {
      let (before, after) = (Self.sight(counter - 1), Self.sight(counter))
      #expect(Script.last(writing: Script.pair(of: counter), upTo: counter) == counter)
      for pair in 0..<Script.pairs where pair != Script.pair(of: counter) { #expect(before.pairs[0][pair] == after.pairs[0][pair]) }
    }
    #expect(Self.sight(14).pairs[0][Script.pair(of: 14)] == Sight.Pair("14", "14"))
    #expect(Self.sight(15).pairs[0][Script.pair(of: 15)] == Sight.Pair())
  }

  @Test(
    "a pair of which one note is of an earlier transaction, or missing, is half a transaction",
    arguments: [nil, "2", "2: 2, none, none"] as [String?])
  func half(_ other: String?) {
    var sight = Self.sight(3, 14)
    sight.pairs[1][Script.pair(of: 14)].second = other
    #expect(sight.violations.map(\.kind) == [.half])
  }

  @Test("a pair that is there before the counter of its transaction is half a transaction")
  func withoutCounter() {
    var sight = Self.sight(3, 14)
    sight.counters[1] = 13
    #expect(sight.violations.map(\.kind) == [.half])
  }

  @Test("a counter with a pair of an earlier transaction shows a later transaction before an earlier one", arguments: [1, 5, 11])
  func order(_ late: Int) {
    var sight = Self.sight(3, 14)
    let (pair, before) = (Script.pair(of: 14 - late), Self.sight(3, 13 - late))
    sight.pairs[1][pair] = before.pairs[1][pair]
    #expect(sight.violations.map(\.kind) == [.order])
  }

  @Test("a transaction without one of another device that its own device had seen shows an effect before its cause")
  func causality() {
    var sight = Self.sight(3, 14)
    sight.seen = [[2, 14], [3, 13]]
    #expect(sight.violations == [])
    sight.seen[0] = [2, 15]
    #expect(sight.violations == [Violation(.order, "device 0 at 3 had seen 15 of device 1, which is at 14")])
  }

  @Test("a server that has less than it acknowledged has lost a write; what was acknowledged before it was rewound does not count")
  func lostAcknowledged() {
    var history = DeviceHistory(of: 1)
    for event in [.started(0), .committed(1), .acknowledged(1, at: 50), .committed(2), .acknowledged(2, at: 90)] as [DeviceEvent] {
      history.add(event)
    }
    #expect(history.violations == [])
    let lost = Self.sight(0, 1).lost(of: [0, history.acknowledged()])
    #expect(lost == [Violation(.lostAcknowledged, "device 1: 2 was acknowledged, and the server is at 1")])
    #expect(Self.sight(0, 2).lost(of: [0, history.acknowledged()]) == [])
    #expect(Self.sight(0, 0).lost(of: [0, history.acknowledged(since: 90)]) == [])
  }

  @Test("a killed device may have committed one transaction more than it told, and none less")
  func lostCommit() {
    func restarted(at number: Int) -> [Violation.Kind] {
      var history = DeviceHistory(of: 0)
      for event in [.started(0), .committed(1), .committed(2), .started(number)] as [DeviceEvent] { history.add(event) }
      return history.violations.map(\.kind)
    }
    #expect(restarted(at: 2) == [] && restarted(at: 3) == [])
    #expect(restarted(at: 1) == [.lostCommit] && restarted(at: 4) == [.lostCommit])
  }

  @Test(
    "a number that was not committed cannot be acknowledged, and none is left out",
    arguments: [.acknowledged(2, at: 1), .committed(3)] as [DeviceEvent])
  func numbers(_ event: DeviceEvent) {
    var history = DeviceHistory(of: 0)
    history.add(.started(0))
    history.add(.committed(1))
    history.add(event)
    #expect(history.violations.map(\.kind) == [.lostCommit])
  }

  @Test("what a device has seen stays, also when it is killed and starts again")
  func wentBack() {
    var history = DeviceHistory(of: 0)
    for event in [.started(0), .seen([0, 7]), .seen([1, 7]), .started(0), .seen([1, 6])] as [DeviceEvent] { history.add(event) }
    #expect(history.violations == [Violation(.back, "device 0: it had seen 7 of device 1, and sees 6")])
  }

  @Test("each line of a log is read as it was written; what a kill cut off is none")
  func lines() {
    let events: [DeviceEvent] = [
      .started(0), .committed(7), .acknowledged(7, at: 12_345), .seen([1, 0, 3]), .violated(.half, "device 1 at 3: pair 2 is 2, none"),
      .applying,
      .applied, .failed("write input_output"), .settled(2),
    ]
    for event in events { #expect(DeviceEvent(event.line) == event) }
    for line in ["", "committed", "acknowledged 7", "violated nothing: x", "nonsense 1"] { #expect(DeviceEvent(line) == nil) }
  }
}
