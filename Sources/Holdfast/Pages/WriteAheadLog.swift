import Foundation

/// What SQLite will find in a log: it stops at the first damaged frame and drops all later frames without an error.
struct WriteAheadLog: Equatable {
  /// Nil where the header cannot be read.
  private(set) var pageSize: Int?
  private(set) var salts: UInt64 = 0
  /// Frames that SQLite will read, up to the last commit.
  private(set) var committedFrames: UInt32 = 0
  /// Among these the newest of each page that the database then has.
  private(set) var latest: [UInt32: UInt32] = [:]
  /// Commits behind the first unreadable frame. SQLite will drop them. An ordinary kill leaves none.
  private(set) var lostCommits = 0

  /// Reads the log beside a database, which may be in use.
  ///
  /// - Parameter archived: commits up to there are not lost, whatever became of their frames.
  /// - Throws: `.inputOutput`, `.permissionDenied`. A missing log counts as empty.
  init(_ url: URL, archived: LogPlace? = nil) throws {
    do {
      let log = LogFile(url)
      guard let header = try log.header() else {
        // Without the header the page size is unknown. Each size is tried until the frames fit.
        for size in (9...16).map({ 1 << $0 }) where lostCommits == 0 { try countLost(log, after: 0, size, salts: nil) }
        return
      }
      (pageSize, salts) = (header.pageBytes, header.salts)
      let end = try log.transactions(of: header, after: header.beginning) { transaction in
        committedFrames = transaction.end.frames
        latest.merge(transaction.frames.filter { $0.key <= transaction.pages }) { $1 }
      }
      guard let end else { return }
      // If the first frame that is broken was a commit, it is lost, too.
      let known = archived.map { $0.salts == header.salts ? $0.frames : 0 } ?? 0
      try countLost(log, after: max(end.frame - 1, known), header.pageBytes, salts: header.salts)
    } catch {
      // Another process has closed the file meanwhile, and SQLite has removed its log.
      guard DurableFile.stands(url.path) else { return }
      throw DurableFile.failure(error, url)
    }
  }

  private mutating func countLost(_ log: LogFile, after frame: UInt32, _ pageBytes: Int, salts: UInt64?) throws {
    var salts = salts
    try log.frames(after: frame, pageBytes) { _, bytes in
      guard let frame = LogFrame(bytes), frame.page > 0 else { return true }
      let expected = salts ?? frame.salts
      salts = expected
      if frame.salts == expected, frame.isPlausibleCommit { lostCommits += 1 }
      return true
    }
  }
}

extension LogFrame {
  /// SQLite never writes a commit whose database size is smaller than the frame's own page number.
  fileprivate var isPlausibleCommit: Bool { databasePages != 0 && databasePages >= page && databasePages < 1 << 31 }
}
