import Foundation

/// The content of a log, read by our own code: SQLite stops at the first damaged frame and drops all later frames without an error.
///
/// Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log. A header of 32 bytes, then frames. A frame has 24 bytes (page
/// number; database size in pages after a commit, else 0; two salts; checksum of all bytes so far) and the page.
struct WriteAheadLog: Equatable {
  /// Nil where the header cannot be read.
  private(set) var pageSize: Int?
  /// Two numbers that change each time the log starts again. Frames with other salts are left over from before.
  private(set) var salts: UInt64 = 0
  /// Frames that SQLite will read, up to the last commit.
  private(set) var committedFrames = 0
  /// Commits behind the first unreadable frame. SQLite will drop them. An ordinary kill leaves none.
  private(set) var lostCommits = 0

  /// Reads the log beside a database. The database may be in use: SQLite puts its locks on the database and the index, not on the log.
  ///
  /// - Throws: `.inputOutput`, `.permissionDenied`. A missing log counts as empty.
  init(_ url: URL) throws {
    guard DurableFile.stands(url.path) else { return }
    do {
      let file = try FileHandle(forReadingFrom: url)
      defer { try? file.close() }
      try read(file)
    } catch {
      // Another process has closed the file meanwhile, and SQLite has removed its log.
      guard DurableFile.stands(url.path) else { return }
      throw DurableFile.failure(error, url)
    }
  }

  private mutating func read(_ file: FileHandle) throws {
    guard let header = try file.read(upToCount: 32), header.count == 32 else { return }
    var sum = Checksum(isBigEndian: header.number(0) == 0x377F_0683)
    sum.add(header.prefix(24))
    let size = Int(header.number(8))
    let isWhole =
      header.number(0) & ~1 == 0x377F_0682 && (512...65_536).contains(size) && size & (size - 1) == 0 && sum.matches(header, at: 24)
    if isWhole {
      pageSize = size
      salts = header.salts(at: 16)
    }
    // Without the header the page size is unknown. Each size is tried until the frames fit.
    let guesses = isWhole ? [size] : (9...16).map { 1 << $0 }
    for guess in guesses {
      try file.seek(toOffset: 32)
      try follow(file, frame: 24 + guess, sum, isWhole: isWhole)
      if isWhole || lostCommits > 0 { return }
    }
  }

  private mutating func follow(_ file: FileHandle, frame length: Int, _ start: Checksum, isWhole: Bool) throws {
    var sum = start
    var isBroken = !isWhole
    var expected = isWhole ? salts : nil
    var number = 0
    while let frame = try file.read(upToCount: length), frame.count == length {
      number += 1
      let commits = frame.number(4) != 0
      let found = frame.salts(at: 8)
      if !isBroken {
        sum.add(frame.prefix(8))
        sum.add(frame.dropFirst(24))
        if found == salts, frame.number(0) != 0, sum.matches(frame, at: 16) {
          if commits { committedFrames = number }
          continue
        }
        isBroken = true
        // If this frame was a commit, it is lost, too.
      }
      if expected == nil, frame.number(0) != 0 { expected = found }
      if found == expected, commits, frame.number(0) != 0, isPlausible(frame) { lostCommits += 1 }
    }
  }

  /// SQLite never writes a commit whose database size is smaller than the frame's own page number.
  private func isPlausible(_ frame: Data) -> Bool { frame.number(4) >= frame.number(0) && frame.number(4) < 1 << 31 }

  /// SQLite's checksum of logs: two sums over pairs of 32-bit words.
  private struct Checksum {
    let isBigEndian: Bool
    private var one: UInt32 = 0
    private var two: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: Data) {
      bytes.withUnsafeBytes { raw in
        var offset = 0
        while offset + 8 <= raw.count {
          let first = raw.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let second = raw.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          one = one &+ (isBigEndian ? UInt32(bigEndian: first) : UInt32(littleEndian: first)) &+ two
          two = two &+ (isBigEndian ? UInt32(bigEndian: second) : UInt32(littleEndian: second)) &+ one
          offset += 8
        }
      }
    }

    func matches(_ bytes: Data, at offset: Int) -> Bool { bytes.number(offset) == one && bytes.number(offset + 4) == two }
  }
}

extension Data {
  /// A big-endian number of 32 bits; 0 beyond the end.
  fileprivate func number(_ offset: Int) -> UInt32 {
    dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
  }

  fileprivate func salts(at offset: Int) -> UInt64 { UInt64(number(offset)) << 32 | UInt64(number(offset + 4)) }
}
