import Foundation

/// Appends records to a new segment. After an error the file is not written again: what it holds up to the last flush is whole.
final class SegmentWriter {
  /// A segment is finished when it is longer.
  static let longest = 4 << 20

  let url: URL
  private let descriptor: Int32
  private(set) var bytes: Int
  private(set) var records: UInt32 = 0
  private var isFlushed = true

  /// Makes the file. Replaces a segment with the same name that holds no commit, because its program was killed.
  ///
  /// - Parameter marks: the records that such a segment held.
  init(_ url: URL, _ header: SegmentHeader, keeping marks: Data = Data()) throws {
    self.url = url
    let content = header.encoded + marks
    try DurableFile.replace(url, with: content)
    bytes = content.count
    descriptor = open(url.path, O_WRONLY | O_APPEND | O_CLOEXEC)
    guard descriptor >= 0 else { throw DurableFile.posix(url.path, .inputOutput) }
  }

  deinit { close(descriptor) }

  /// - Parameter commits: how many commit records `data` holds.
  func append(_ data: Data, commits: UInt32 = 0) throws {
    isFlushed = false
    var written = 0
    try data.withUnsafeBytes { raw in
      while written < raw.count {
        let count = write(descriptor, raw.baseAddress.map { $0 + written }, raw.count - written)
        guard count > 0 else {
          if count < 0, errno == EINTR { continue }
          throw DurableFile.posix(url.path, .inputOutput)
        }
        written += count
      }
    }
    bytes += data.count
    records += commits
  }

  /// Flushes what was appended to the disk.
  func flush() throws {
    guard !isFlushed else { return }
    try DurableFile.flush(descriptor, url.path)
    isFlushed = true
  }

  /// Ends the segment: nothing is appended to it any more.
  func finish(at commit: Int64) throws {
    try append(ArchiveRecord.end(commit: commit, records: records).framed)
    try flush()
  }
}
