import Foundation

/// Follows a store's log for its archive: each transaction once and in order, across the times when the log begins anew.
final class LogFollower {
  private let log: LogFile
  private let pageBytes: Int
  private let opener: PageOpener?
  private var header: LogHeader?
  /// The end of what was read. Zero frames: the beginning of the log.
  private(set) var place = LogPlace()
  /// The latest frame of each page, up to `place`: before the transaction that is being read.
  private(set) var latest: [UInt32: UInt32] = [:]

  init(_ files: StoreFiles, pageBytes: Int, _ key: StoreKey?) {
    (log, self.pageBytes, opener) = (LogFile(files.log), pageBytes, PageOpener(key))
  }

  /// The log's header now; nil when there is no log, or an empty one.
  func presentHeader() throws -> LogHeader? { try log.header() }

  /// Follows the log from its beginning, whichever log that is.
  func begin(_ header: LogHeader?) {
    self.header = header
    place = header?.beginning ?? LogPlace()
    latest = [:]
  }

  /// Reads the present log up to `end`, where the archive ends, and follows it from there. Returns false where `end` is not in this log:
  /// then follows it from its beginning. Throws `ArchiveGap` when the log is not as it was archived.
  func begin(at end: LogPlace) throws -> Bool {
    let header = try presentHeader()
    begin(header)
    guard let header, header.salts == end.salts, end.frames > 0 else { return false }
    try transactions(upTo: end.frames) { _ in }
    let knowsSum = end.sum != LogChecksum()
    guard place.frames == end.frames, !knowsSum || place == end else { throw ArchiveGap.logDiffers }
    return true
  }

  /// Goes on behind a frame of the present log. The frames up to there are known to be committed, and are not checked.
  func goOn(_ header: LogHeader, after frame: UInt32) throws {
    begin(header)
    place = LogPlace(salts: header.salts, frames: frame, sum: try frameHeader(frame).sum)
  }

  /// Reads the transactions up to frame `frames` or `most`, whichever is later: the frames up to there must all be committed. `.max`: those
  /// behind `frames`, as far as they belong to this log. When `body` throws, its transaction was not read. Throws `ArchiveGap` when a frame is not what it must be.
  func transactions(upTo frames: UInt32, andOnTo most: UInt32 = 0, _ body: (LogTransaction) throws -> Void) throws {
    guard let header else { return }
    guard header.pageBytes == pageBytes else {
      if frames > place.frames { throw ArchiveGap.pageSizeChanged }
      return
    }
    if place.frames > 0 {
      // A transaction that failed within COMMIT leaves its frames, and the next one writes over them.
      let end = try frameHeader(place.frames)
      guard end.salts == place.salts, end.sum == place.sum else { throw ArchiveGap.logEndWrittenAnew }
    }
    let end = try log.transactions(of: header, after: place, upTo: max(frames, most)) { transaction in
      try body(transaction)
      place = transaction.end
      latest.merge(transaction.frames) { $1 }
    }
    // Behind them stands what is left of an earlier log.
    guard let end, end.frame <= (most == .max ? frames : max(frames, most)) else { return }
    throw switch end.reason {
    case .noMoreFrames: ArchiveGap.logShorter
    case .otherSalts: ArchiveGap.logBegunAnew
    case .otherChecksum: ArchiveGap.frameDamaged
    }
  }

  /// Reads on to the end that the log has now, and counts the whole transactions. One that another process is just writing does not count.
  func commitsBehind() throws -> Int {
    struct Enough: Error {}
    let end = log.size
    var count = 0
    do {
      try transactions(upTo: place.frames, andOnTo: .max) { transaction in
        // Else a program that never rests would keep this from ending.
        guard LogFile.bytes(ofFrames: transaction.end.frames, pageBytes) <= end else { throw Enough() }
        count += 1
      }
    } catch is Enough {}
    return count
  }

  /// Decrypted.
  func page(_ number: UInt32, inFrame frame: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard log.page(inFrame: frame, into: buffer) else { throw ArchiveGap.logShorter }
    guard try opener?.open(number, buffer) ?? true else { throw ArchiveGap.frameDamaged }
  }

  private func frameHeader(_ frame: UInt32) throws -> LogFrame {
    guard let header = try log.frame(frame, pageBytes) else { throw ArchiveGap.logShorter }
    return header
  }
}
