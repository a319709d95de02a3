import Foundation

/// Reads the frames of a store's log, each once and in order, transaction by transaction. Checks the salts and the checksum of every frame.
///
/// Reads through a descriptor of its own: SQLite has its locks on the file and the index, not on the log.
final class LogFollower {
  struct Transaction {
    /// The pages that it wrote, and the frame of the last image of each.
    var frames: [UInt32: UInt32]
    /// Pages of the database after it.
    var pages: UInt32
    var end: ArchiveRecord.LogPlace
  }

  private let path: String
  private let pageBytes: Int
  private var descriptor: Int32 = -1
  private let opener: PageOpener?
  private var header: LogHeader?
  /// The end of what was read. Zero frames: the beginning of the log.
  private(set) var place = ArchiveRecord.LogPlace()
  /// The latest frame of each page, up to `place`: before the transaction that is being read.
  private(set) var latest: [UInt32: UInt32] = [:]

  init(_ files: StoreFiles, pageBytes: Int, _ key: StoreKey?) { (path, self.pageBytes, opener) = (files.log.path, pageBytes, .init(key)) }

  /// The size of a log.
  static func bytes(ofFrames frames: UInt32, _ pageBytes: Int) -> Int64 {
    Int64(LogHeader.bytes) + Int64(frames) * Int64(pageBytes + LogFrame.headerBytes)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The log's header now; nil when there is no log, or an empty one.
  func presentHeader() throws -> LogHeader? {
    try reopen()
    guard descriptor >= 0 else { return nil }
    return try bytes(LogHeader.bytes, at: 0).withUnsafeBytes { LogHeader($0) }
  }

  /// Follows the log from its beginning, whichever log that is.
  func begin(_ header: LogHeader?) {
    self.header = header
    place = ArchiveRecord.LogPlace(salts: header?.salts ?? 0, frames: 0, sum: header?.sum ?? LogChecksum())
    latest = [:]
  }

  /// Reads the present log up to `end`, where the archive ends, and follows it from there. Returns false where `end` is not in this log:
  /// then follows it from its beginning. Throws `ArchiveGap` when the log is not as it was archived.
  func begin(at end: ArchiveRecord.LogPlace) throws -> Bool {
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
    place = ArchiveRecord.LogPlace(salts: header.salts, frames: frame, sum: try frameHeader(frame).sum)
  }

  /// Reads the transactions up to frame `frames`, which must all be committed; with `beyond`, also those behind it, up to the first frame that
  /// does not belong to this log. When `body` throws, its transaction was not read. Throws `ArchiveGap` when a frame is not what it must be.
  func transactions(upTo frames: UInt32, beyond: Bool = false, _ body: (Transaction) throws -> Void) throws {
    guard let header else { return }
    if place.frames > 0 {
      // A transaction that failed within COMMIT leaves its frames, and the next one writes over them.
      let end = try frameHeader(place.frames)
      guard end.salts == place.salts, end.sum == place.sum else { throw ArchiveGap.logEndWrittenAnew }
    }
    var (next, sum) = (place.frames + 1, place.sum)
    var pages: [UInt32: UInt32] = [:]
    let frameBytes = pageBytes + LogFrame.headerBytes
    while next <= frames || beyond {
      let wanted = beyond ? 64 : min(64, Int(frames - next) + 1)
      let piece = try bytes(wanted * frameBytes, at: offset(of: next))
      let count = piece.count / frameBytes
      if count == 0, next > frames { return }
      guard count == wanted || beyond && count > 0 else { throw ArchiveGap.logShorter }
      for index in 0..<count {
        let frame: LogFrame
        do {
          frame = try piece.withUnsafeBytes {
            try check(UnsafeRawBufferPointer(rebasing: $0[index * frameBytes..<(index + 1) * frameBytes]), header, &sum)
          }
        } catch is ArchiveGap where next > frames {
          // What is left of an earlier log.
          return
        }
        pages[frame.page] = next
        if frame.databasePages > 0 {
          let end = ArchiveRecord.LogPlace(salts: header.salts, frames: next, sum: sum)
          try body(Transaction(frames: pages, pages: frame.databasePages, end: end))
          place = end
          latest.merge(pages) { $1 }
          pages.removeAll(keepingCapacity: true)
        }
        next += 1
      }
    }
  }

  /// Reads on to the end that the log has now, and counts the whole transactions. One that another process is just writing does not count.
  /// The last of `most` stays unread: with 1 this asks only whether there is one.
  func commitsBehind(atMost most: Int = .max) throws -> Int {
    struct Enough: Error {}
    let end = DurableFile.size(path)
    var count = 0
    do {
      try transactions(upTo: place.frames, beyond: true) { transaction in
        // Else a program that never rests would keep this from ending.
        guard Self.bytes(ofFrames: transaction.end.frames, pageBytes) <= end else { throw Enough() }
        count += 1
        if count == most { throw Enough() }
      }
    } catch is Enough {}
    return count
  }

  /// Decrypted.
  func page(_ number: UInt32, inFrame frame: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard pread(descriptor, buffer.baseAddress, pageBytes, offset(of: frame) + off_t(LogFrame.headerBytes)) == pageBytes else {
      throw ArchiveGap.logShorter
    }
    guard try opener?.open(number, buffer) ?? true else { throw ArchiveGap.frameDamaged }
  }

  private func check(_ bytes: UnsafeRawBufferPointer, _ header: LogHeader, _ sum: inout LogChecksum) throws -> LogFrame {
    guard let frame = LogFrame(bytes), frame.salts == header.salts, frame.page > 0 else { throw ArchiveGap.logBegunAnew }
    sum = header.adding(bytes, to: sum)
    guard frame.sum == sum else { throw ArchiveGap.frameDamaged }
    return frame
  }

  private func frameHeader(_ frame: UInt32) throws -> LogFrame {
    let bytes = try bytes(LogFrame.headerBytes, at: offset(of: frame))
    guard let header = bytes.withUnsafeBytes({ LogFrame($0) }) else { throw ArchiveGap.logShorter }
    return header
  }

  private func offset(of frame: UInt32) -> off_t { off_t(Self.bytes(ofFrames: frame - 1, pageBytes)) }

  /// Fewer than `count` where the log ends before.
  private func bytes(_ count: Int, at offset: off_t) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      let got = pread(descriptor, buffer.baseAddress, count, offset)
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
    descriptor = try DurableFile.openToRead(URL(fileURLWithPath: path)) ?? -1
  }
}
