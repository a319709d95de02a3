import Foundation

/// Appends records to a new segment. After an error the file is not written again: what it holds up to the last flush is whole.
final class SegmentWriter {
  /// A segment is finished when it is longer.
  static let longest = 4 << 20

  let url: URL
  private let seal: RecordSeal?
  private let file: FileHandle
  private(set) var bytes: Int
  private var commits: UInt32 = 0
  private(set) var isFlushed = true
  /// After it nothing is written: behind a record that is cut off it would not count. Nor flushed: a later flush may only seem to succeed.
  private var failure: StoreError?

  /// Replaces a segment with the same name that holds no commit, because its program was killed. `marks`: the records that it held.
  init(_ url: URL, _ header: SegmentHeader, _ seal: RecordSeal?, keeping marks: Data = Data()) throws {
    (self.url, self.seal) = (url, seal)
    let content = header.encoded + marks
    bytes = content.count
    try DurableFile.replace(url, with: content)
    // Written without SQLite: a segment of an archive is no database.
    file = try DurableFile.naming(url) {
      let file = try FileHandle(forWritingTo: url)
      _ = try file.seekToEnd()
      return file
    }
  }

  func append(_ record: ArchiveRecord) throws {
    let data = try record.framed(seal)
    isFlushed = false
    try unlessFailed { try file.write(contentsOf: data) }
    bytes += data.count
    if case .commit = record { commits += 1 }
  }

  func flush() throws {
    guard !isFlushed else { return }
    try unlessFailed { try DurableFile.flush(file.fileDescriptor, url.path) }
    isFlushed = true
  }

  private func unlessFailed(_ body: () throws -> Void) throws {
    if let failure { throw failure }
    do { try body() } catch {
      let failure = DurableFile.failure(error, url)
      self.failure = failure
      throw failure
    }
  }

  func finish(at commit: Int64) throws {
    try append(.end(commit: commit, records: commits))
    try flush()
  }
}
