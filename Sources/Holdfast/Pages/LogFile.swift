import Foundation

/// Where a frame ends in a log.
struct LogPlace: Equatable {
  var salts: UInt64 = 0
  /// Zero: the beginning of the log.
  var frames: UInt32 = 0
  var sum = LogChecksum()
}

struct LogTransaction {
  /// The pages that it wrote, and the frame of the last image of each.
  var frames: [UInt32: UInt32]
  /// Pages of the database after it.
  var pages: UInt32
  var end: LogPlace
}

/// The bytes of a log, and the one walk over its frames. Knows nothing of the database beside it, and of no key.
///
/// Reads through a descriptor of its own: SQLite has its locks on the file and the index, not on the log.
final class LogFile {
  /// The first frame that the walk did not take.
  struct End: Equatable {
    enum Reason { case noMoreFrames, otherSalts, otherChecksum }

    var frame: UInt32
    var reason: Reason
  }

  private static let framesAtOnce = 64

  private let path: String
  private var descriptor: Int32 = -1

  init(_ url: URL) { path = url.path }

  deinit { if descriptor >= 0 { close(descriptor) } }

  static func bytes(ofFrames frames: UInt32, _ pageBytes: Int) -> Int64 {
    Int64(LogHeader.bytes) + Int64(frames) * Int64(pageBytes + LogFrame.headerBytes)
  }

  var size: Int64 { DurableFile.size(path) }

  /// The header of the log that has the name now; nil when there is no log, or an empty one, or its header is damaged.
  func header() throws -> LogHeader? {
    try reopen()
    return try bytes(LogHeader.bytes, at: 0).withUnsafeBytes { LogHeader($0) }
  }

  /// Calls `body` with each whole frame behind frame `place` and its number, proven or not, until it returns false. Returns the number of the
  /// first frame that it did not take; where a frame `last` is given, the frames up to it must be there.
  @discardableResult
  func frames(
    after place: UInt32, _ pageBytes: Int, upTo last: UInt32 = .max, _ body: (UInt32, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> UInt32 {
    let frameBytes = pageBytes + LogFrame.headerBytes
    var next = place + 1
    while next <= last, next < .max {
      let wanted = min(Self.framesAtOnce, Int(last - next) + 1)
      let piece = try bytes(wanted * frameBytes, at: Self.bytes(ofFrames: next - 1, pageBytes))
      let count = piece.count / frameBytes
      guard count > 0, count == wanted || last == .max else { return next }
      let goesOn = try piece.withUnsafeBytes { piece in
        for index in 0..<count {
          guard try body(next, UnsafeRawBufferPointer(rebasing: piece[index * frameBytes..<(index + 1) * frameBytes])) else { return false }
          next += 1
        }
        return true
      }
      guard goesOn else { return next }
    }
    return next
  }

  /// Calls `body` with each whole transaction behind `place`, up to the first frame that is not one of this log by its salts and its checksum,
  /// or up to frame `last`. Returns where that ended; nil at `last`.
  func transactions(
    of header: LogHeader, after place: LogPlace, upTo last: UInt32 = .max, _ body: (LogTransaction) throws -> Void
  ) throws -> End? {
    var (sum, reason): (LogChecksum, End.Reason) = (place.sum, .noMoreFrames)
    var pages: [UInt32: UInt32] = [:]
    let end = try frames(after: place.frames, header.pageBytes, upTo: last) { number, bytes in
      guard let frame = LogFrame(bytes), frame.salts == header.salts, frame.page > 0 else {
        reason = .otherSalts
        return false
      }
      sum = header.adding(bytes, to: sum)
      guard frame.sum == sum else {
        reason = .otherChecksum
        return false
      }
      pages[frame.page] = number
      guard frame.databasePages > 0 else { return true }
      try body(LogTransaction(frames: pages, pages: frame.databasePages, end: .init(salts: header.salts, frames: number, sum: sum)))
      pages.removeAll(keepingCapacity: true)
      return true
    }
    return end > last ? nil : End(frame: end, reason: reason)
  }

  /// The header of a frame, unproven; nil behind the end.
  func frame(_ number: UInt32, _ pageBytes: Int) throws -> LogFrame? {
    try bytes(LogFrame.headerBytes, at: Self.bytes(ofFrames: number - 1, pageBytes)).withUnsafeBytes { LogFrame($0) }
  }

  /// Reads the page in a frame, as it stands there. Returns false behind the end.
  func page(inFrame frame: UInt32, into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    let place = Self.bytes(ofFrames: frame - 1, buffer.count) + Int64(LogFrame.headerBytes)
    return pread(descriptor, buffer.baseAddress, buffer.count, off_t(place)) == buffer.count
  }

  /// Fewer than `count` where the log ends before.
  private func bytes(_ count: Int, at offset: Int64) throws -> [UInt8] {
    guard descriptor >= 0 else { return [] }
    return try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let got = pread(descriptor, buffer.baseAddress, count, off_t(offset))
      guard got >= 0 else { throw DurableFile.posix(path, .inputOutput) }
      filled = got
    }
  }

  /// Opens the log that has its name now: another process may have deleted it and made a new one.
  private func reopen() throws {
    if descriptor >= 0 {
      var (held, named) = (stat(), stat())
      if fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino, held.st_dev == named.st_dev { return }
      close(descriptor)
      descriptor = -1
    }
    // Read without SQLite: a store's log. SQLite puts its locks on the database and the index.
    descriptor = try DurableFile.openToRead(URL(fileURLWithPath: path)) ?? -1
  }
}
