internal import CHoldfast
import Foundation

/// Why the archive's row of commits is broken: it then begins a new generation.
struct ArchiveGap: Error {
  var reason: String
}

/// Reads the frames of a store's log, each once and in order, transaction by transaction. Checks the salts and SQLite's running checksum of
/// every frame. Format of a log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
///
/// Reads through a descriptor of its own: SQLite has its locks on the file and the index, not on the log.
final class LogFollower {
  struct Header: Equatable {
    var pageBytes: Int
    var salts: UInt64
    var isBigEndian: Bool
    var sums: (one: UInt32, two: UInt32)

    static func == (one: Header, other: Header) -> Bool { one.salts == other.salts && one.pageBytes == other.pageBytes }
  }

  struct Transaction {
    /// The pages that it wrote, and the frame of the last image of each.
    var frames: [UInt32: UInt32]
    /// Pages of the database after it.
    var pages: UInt32
    var end: ArchiveRecord.LogPlace
  }

  static let headerBytes = 32
  static let frameHeaderBytes = 24

  private let path: String
  private let pageBytes: Int
  private var descriptor: Int32 = -1
  private var header: Header?
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
    Int64(headerBytes) + Int64(frames) * Int64(pageBytes + frameHeaderBytes)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The log's header now; nil when there is no log, or an empty one.
  func presentHeader() throws -> Header? {
    try reopen()
    guard descriptor >= 0 else { return nil }
    var bytes = [UInt8](repeating: 0, count: Self.headerBytes)
    guard try read(&bytes, Self.headerBytes, at: 0) == Self.headerBytes else { return nil }
    func word(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    guard word(0) & ~1 == 0x377F_0682 else { return nil }
    var (one, two): (UInt32, UInt32) = (0, 0)
    holdfast_log_sum(Int32(word(0) & 1), bytes, 24, &one, &two)
    guard one == word(24), two == word(28) else { return nil }
    let size = Int(word(8))
    return Header(pageBytes: size, salts: UInt64(word(16)) << 32 | UInt64(word(20)), isBigEndian: word(0) & 1 == 1, sums: (one, two))
  }

  /// Follows the log from its beginning, whichever log that is.
  func begin(_ header: Header?) {
    self.header = header
    place = ArchiveRecord.LogPlace(salts: header?.salts ?? 0, frames: 0, sums: header?.sums ?? (0, 0))
    latest = [:]
  }

  /// Goes on behind frame `frames` of the present log, whose frames up to there are known to be committed. Does not check them.
  ///
  /// - Throws: `ArchiveGap` when the log is shorter.
  func goOn(_ header: Header, after frames: UInt32) throws {
    begin(header)
    guard frames > 0 else { return }
    var bytes = [UInt8](repeating: 0, count: Self.frameHeaderBytes)
    guard try read(&bytes, bytes.count, at: offset(of: frames)) == bytes.count else {
      throw ArchiveGap(reason: "the log is shorter than it was")
    }
    func word(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    place = ArchiveRecord.LogPlace(salts: header.salts, frames: frames, sums: (word(16), word(20)))
  }

  /// Reads the transactions up to frame `frames`, which must all be committed. When `body` throws, its transaction was not read.
  ///
  /// - Parameter beyond: also those behind, up to the first frame that does not belong to this log. Only while nobody writes.
  /// - Throws: `ArchiveGap` when a frame is not what it must be; the errors of reading; the errors of `body`.
  func transactions(upTo frames: UInt32, beyond: Bool = false, _ body: (Transaction) throws -> Void) throws {
    guard let header else { return }
    try checkPlace()
    var (next, sums) = (place.frames + 1, place.sums)
    var pages: [UInt32: UInt32] = [:]
    let frameBytes = pageBytes + Self.frameHeaderBytes
    if piece.count < 64 * frameBytes { piece = [UInt8](repeating: 0, count: 64 * frameBytes) }
    while next <= frames || beyond {
      let wanted = beyond ? 64 : min(64, Int(frames - next) + 1)
      let count = try read(&piece, wanted * frameBytes, at: offset(of: next)) / frameBytes
      guard count == wanted || beyond else { throw ArchiveGap(reason: "the log is shorter than it was") }
      if count == 0 {
        guard next > frames else { throw ArchiveGap(reason: "the log is shorter than it was") }
        return
      }
      for index in 0..<count {
        let frame: (page: UInt32, databasePages: UInt32)
        do {
          frame = try piece.withUnsafeBytes {
            try check(UnsafeRawBufferPointer(rebasing: $0[index * frameBytes..<(index + 1) * frameBytes]), header, &sums)
          }
        } catch is ArchiveGap where next > frames {
          // What is left of an earlier log.
          return
        }
        pages[frame.page] = next
        if frame.databasePages > 0 {
          let end = ArchiveRecord.LogPlace(salts: header.salts, frames: next, sums: sums)
          try body(Transaction(frames: pages, pages: frame.databasePages, end: end))
          place = end
          latest.merge(pages) { $1 }
          pages.removeAll(keepingCapacity: true)
        }
        next += 1
      }
    }
  }

  /// Whether a frame of this log follows `place`.
  func hasMore() throws -> Bool {
    guard let header else { return false }
    var frame = [UInt8](repeating: 0, count: pageBytes + Self.frameHeaderBytes)
    guard try read(&frame, frame.count, at: offset(of: place.frames + 1)) == frame.count else { return false }
    var sums = place.sums
    do {
      _ = try frame.withUnsafeBytes { try check($0, header, &sums) }
      return true
    } catch is ArchiveGap {
      return false
    }
  }

  /// Whether a whole transaction follows `place`. Only while nobody writes.
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
    var bytes = [UInt8](repeating: 0, count: Self.frameHeaderBytes)
    guard try read(&bytes, bytes.count, at: offset(of: place.frames)) == bytes.count else {
      throw ArchiveGap(reason: "the log is shorter than it was")
    }
    func word(_ place: Int) -> UInt32 { bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    guard UInt64(word(8)) << 32 | UInt64(word(12)) == place.salts, word(16) == place.sums.one, word(20) == place.sums.two else {
      throw ArchiveGap(reason: "the end of the log was written anew")
    }
  }

  /// The frame with the image of a page before the transaction that is being read; nil when this log has none.
  func frame(before page: UInt32) -> UInt32? { latest[page] }

  /// Reads the page in a frame.
  func page(inFrame frame: UInt32, into buffer: UnsafeMutableRawBufferPointer) throws {
    guard pread(descriptor, buffer.baseAddress, pageBytes, offset(of: frame) + off_t(Self.frameHeaderBytes)) == pageBytes else {
      throw ArchiveGap(reason: "the log is shorter than it was")
    }
  }

  private func check(_ frame: UnsafeRawBufferPointer, _ header: Header, _ sums: inout (one: UInt32, two: UInt32)) throws -> (
    page: UInt32, databasePages: UInt32
  ) {
    func word(_ place: Int) -> UInt32 { UInt32(bigEndian: frame.loadUnaligned(fromByteOffset: place, as: UInt32.self)) }
    guard UInt64(word(8)) << 32 | UInt64(word(12)) == header.salts, word(0) > 0 else {
      throw ArchiveGap(reason: "the log was begun anew by another program")
    }
    guard let start = frame.baseAddress else { throw ArchiveGap(reason: "a frame of the log could not be read") }
    let isBigEndian: Int32 = header.isBigEndian ? 1 : 0
    holdfast_log_sum(isBigEndian, start, 8, &sums.one, &sums.two)
    holdfast_log_sum(isBigEndian, start + Self.frameHeaderBytes, pageBytes, &sums.one, &sums.two)
    guard sums.one == word(16), sums.two == word(20) else { throw ArchiveGap(reason: "a frame of the log is damaged") }
    return (word(0), word(4))
  }

  private func offset(of frame: UInt32) -> off_t {
    off_t(Self.headerBytes) + off_t(frame - 1) * off_t(pageBytes + Self.frameHeaderBytes)
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
