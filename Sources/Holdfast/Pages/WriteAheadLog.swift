import Foundation

/// The content of a log, read by our own code: SQLite stops at the first damaged frame and drops all later frames without an error.
struct WriteAheadLog: Equatable {
  /// Nil where the header cannot be read.
  private(set) var pageSize: Int?
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
      let file = try DurableFile.handle(reading: url)
      defer { try? file.close() }
      try read(file)
    } catch {
      // Another process has closed the file meanwhile, and SQLite has removed its log.
      guard DurableFile.stands(url.path) else { return }
      throw DurableFile.failure(error, url)
    }
  }

  private mutating func read(_ file: FileHandle) throws {
    guard let bytes = try file.read(upToCount: LogHeader.bytes), bytes.count == LogHeader.bytes else { return }
    let header = bytes.withUnsafeBytes { LogHeader($0) }
    (pageSize, salts) = (header?.pageBytes, header?.salts ?? 0)
    // Without the header the page size is unknown. Each size is tried until the frames fit.
    let guesses: [Int] = header.map { [$0.pageBytes] } ?? (9...16).map { 1 << $0 }
    for guess in guesses {
      try file.seek(toOffset: UInt64(LogHeader.bytes))
      try follow(file, frame: LogFrame.headerBytes + guess, header)
      if header != nil || lostCommits > 0 { return }
    }
  }

  private mutating func follow(_ file: FileHandle, frame length: Int, _ header: LogHeader?) throws {
    var sum = header?.sum ?? LogChecksum()
    var expected = header?.salts
    var isBroken = false
    var number = 0
    while let bytes = try file.read(upToCount: length), bytes.count == length, let frame = bytes.withUnsafeBytes({ LogFrame($0) }) {
      number += 1
      let commits = frame.databasePages != 0
      if let header, !isBroken {
        sum = bytes.withUnsafeBytes { header.adding($0, to: sum) }
        if frame.salts == salts, frame.page != 0, frame.sum == sum {
          if commits { committedFrames = number }
          continue
        }
        isBroken = true
        // If this frame was a commit, it is lost, too.
      }
      if expected == nil, frame.page != 0 { expected = frame.salts }
      if frame.salts == expected, commits, frame.page != 0, isPlausible(frame) { lostCommits += 1 }
    }
  }

  /// SQLite never writes a commit whose database size is smaller than the frame's own page number.
  private func isPlausible(_ frame: LogFrame) -> Bool { frame.databasePages >= frame.page && frame.databasePages < 1 << 31 }
}
