import Foundation

/// Why the archive's row of commits is broken: it then begins a new generation.
struct ArchiveGap: Error {
  var reason: String
}

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

  private static let tooShort = ArchiveGap(reason: "the log is shorter than it was")

  private let path: String
  private let pageBytes: Int
  private var descriptor: Int32 = -1
  private var header: LogHeader?
  /// The end of what was read. Zero frames: the beginning of the log.
  private(set) var place = ArchiveRecord.LogPlace()
  /// The latest frame of each page, up to `place`.
  private var latest: [UInt32: UInt32] = [:]
  private var piece: [UInt8] = []

  init(_ files: StoreFiles, pageBytes: Int) {
    path = files.log.path
    self.pageBytes = pageBytes
  }

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

  /// Goes on behind a frame of the present log. The frames up to there are known to be committed, and are not checked.
  ///
  /// - Throws: `ArchiveGap` when the log is shorter.
  func goOn(_ header: LogHeader, after frame: UInt32) throws {
    begin(header)
    place = ArchiveRecord.LogPlace(salts: header.salts, frames: frame, sum: try self.header(of: frame).sum)
  }

  /// Reads the transactions up to frame `frames`, which must all be committed. When `body` throws, its transaction was not read.
  ///
  /// - Parameter beyond: also those behind, up to the first frame that does not belong to this log. Only while nobody writes.
  /// - Throws: `ArchiveGap` when a frame is not what it must be; the errors of reading; the errors of `body`.
  func transactions(upTo frames: UInt32, beyond: Bool = false, _ body: (Transaction) throws -> Void) throws {
    guard let header else { return }
    try checkPlace()
    var (next, sum) = (place.frames + 1, place.sum)
    var pages: [UInt32: UInt32] = [:]
    let frameBytes = pageBytes + LogFrame.headerBytes
    if piece.isEmpty { piece = [UInt8](repeating: 0, count: 64 * frameBytes) }
    while next <= frames || beyond {
      let wanted = beyond ? 64 : min(64, Int(frames - next) + 1)
      let count = try read(&piece, wanted * frameBytes, at: offset(of: next)) / frameBytes
      if count == 0, next > frames { return }
      guard count == wanted || beyond && count > 0 else { throw Self.tooShort }
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

  /// Whether a whole transaction follows `place`. One that another process is just writing does not count.
  func holdsCommit() throws -> Bool {
    struct Found: Error {}
    do {
      try transactions(upTo: place.frames, beyond: true) { _ in throw Found() }
      return false
    } catch is Found {
      return true
    }
  }

  /// A transaction that failed within COMMIT leaves its frames, and the next one writes over them.
  private func checkPlace() throws {
    guard place.frames > 0 else { return }
    let end = try header(of: place.frames)
    guard end.salts == place.salts, end.sum == place.sum else { throw ArchiveGap(reason: "the end of the log was written anew") }
  }

  /// The frame with the image of a page before the transaction that is being read; nil when this log has none.
  func frame(before page: UInt32) -> UInt32? { latest[page] }

  /// Reads the page in a frame.
  func page(inFrame frame: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard pread(descriptor, buffer.baseAddress, pageBytes, offset(of: frame) + off_t(LogFrame.headerBytes)) == pageBytes else {
      throw Self.tooShort
    }
  }

  private func check(_ bytes: UnsafeRawBufferPointer, _ header: LogHeader, _ sum: inout LogChecksum) throws -> LogFrame {
    guard let frame = LogFrame(bytes), frame.salts == header.salts, frame.page > 0 else {
      throw ArchiveGap(reason: "the log was begun anew by another program")
    }
    sum = header.sum(after: sum, bytes)
    guard frame.sum == sum else { throw ArchiveGap(reason: "a frame of the log is damaged") }
    return frame
  }

  private func header(of frame: UInt32) throws -> LogFrame {
    let bytes = try bytes(LogFrame.headerBytes, at: offset(of: frame))
    guard let header = bytes.withUnsafeBytes({ LogFrame($0) }) else { throw Self.tooShort }
    return header
  }

  private func offset(of frame: UInt32) -> off_t { off_t(Self.bytes(ofFrames: frame - 1, pageBytes)) }

  /// Fewer than `count` at the end of the log.
  private func bytes(_ count: Int, at offset: off_t) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let got = try read(&bytes, count, at: offset)
    return Array(bytes.prefix(got))
  }

  private func read(_ buffer: inout [UInt8], _ count: Int, at offset: off_t) throws -> Int {
    let got = buffer.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, count, offset) }
    guard got >= 0 else { throw DurableFile.posix(path, .inputOutput) }
    return got
  }

  /// Opens the log that has its name now: another process may have deleted it and made a new one.
  private func reopen() throws {
    if descriptor >= 0 {
      var (held, named) = (stat(), stat())
      if fstat(descriptor, &held) == 0, stat(path, &named) == 0, held.st_ino == named.st_ino, held.st_dev == named.st_dev { return }
      close(descriptor)
      descriptor = -1
    }
    descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 || errno == ENOENT else { throw DurableFile.posix(path, .inputOutput) }
  }
}
