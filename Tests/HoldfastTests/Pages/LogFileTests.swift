import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The walk over a log")
struct LogFileTests {
  private func walk(_ url: URL, upTo last: UInt32 = .max) throws -> (ends: [UInt32], end: LogFile.End?) {
    let log = LogFile(url)
    let header = try #require(try log.header())
    var ends: [UInt32] = []
    let end = try log.transactions(of: header, after: header.beginning, upTo: last) { ends.append($0.end.frames) }
    return (ends, end)
  }

  @Test("each transaction comes once, with the newest frame of each of its pages; a place in between goes on from there")
  func whole() throws {
    let left = try LeftStore(since: 40)
    let log = LogFile(left.log)
    let header = try #require(try log.header())
    var all: [LogTransaction] = []
    let end = try log.transactions(of: header, after: header.beginning) { all.append($0) }
    let frames = UInt32((try Data(contentsOf: left.log).count - 32) / (24 + 4_096))
    #expect(end == LogFile.End(frame: frames + 1, reason: .noMoreFrames) && all.last?.end.frames == frames)
    // 64 frames are read at once, and no transaction is cut there.
    #expect(all.count == 40 && frames > 128)
    for (before, transaction) in zip([0] + all.map(\.end.frames), all) {
      let named = try (before + 1...transaction.end.frames).map { try #require(try log.frame($0, 4_096)).page }
      #expect(Set(named) == Set(transaction.frames.keys))
      for (page, frame) in transaction.frames { #expect(Int(frame - before) - 1 == named.lastIndex(of: page)) }
    }
    var later: [UInt32] = []
    _ = try log.transactions(of: header, after: all[9].end) { later.append($0.end.frames) }
    #expect(later == all.dropFirst(10).map(\.end.frames))
    #expect(try walk(left.log, upTo: all[5].end.frames).end == nil)
  }

  @Test("the walk ends before the first frame that is changed, in its page or in the numbers before it, and says why")
  func damaged() throws {
    let sound = try LeftStore(since: 5)
    let whole = try walk(sound.log).ends
    for (place, reason) in [(24 + 100, LogFile.End.Reason.otherChecksum), (5, .otherChecksum), (9, .otherSalts)] {
      let left = try LeftStore(since: 5)
      let frame = Int(whole[2]) + 1
      try Damage.overwrite(left.log, at: 32 + (frame - 1) * (24 + 4_096) + place, count: 1)
      let (ends, end) = try walk(left.log)
      #expect(ends == Array(whole.prefix(3)) && end == LogFile.End(frame: UInt32(frame), reason: reason))
    }
  }

  @Test("a log that is cut off has its whole transactions; where more frames must be there, none of the last piece counts")
  func cutOff() throws {
    let left = try LeftStore(since: 5)
    let whole = try walk(left.log).ends
    try Damage.resize(left.log, to: UInt64(LogFile.bytes(ofFrames: whole[4], 4_096)) - 1)
    #expect(try walk(left.log).ends == Array(whole.prefix(4)))
    #expect(try walk(left.log, upTo: whole[4]).end?.reason == .noMoreFrames)
  }
}
