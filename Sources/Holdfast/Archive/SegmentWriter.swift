import Foundation

/// Appends records to a new segment. After an error the file is not written again: what it holds up to the last flush is whole.
final class SegmentWriter {
  /// A segment is finished when it is longer.
  static let longest = 4 << 20

  let url: URL
  private let file: FileHandle
  private(set) var bytes: Int
  private(set) var records: UInt32 = 0
  private var isFlushed = true

  /// Makes the file. Replaces a segment with the same name that holds no commit, because its program was killed.
  ///
  /// - Parameter marks: the records that such a segment held.
  init(_ url: URL, _ header: SegmentHeader, keeping marks: Data = Data()) throws {
    self.url = url
    let content = header.encoded + marks
    bytes = content.count
    try DurableFile.replace(url, with: content)
    do {
      file = try FileHandle(forWritingTo: url)
      _ = try file.seekToEnd()
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// - Parameter commits: how many commit records `data` holds.
  func append(_ data: Data, commits: UInt32 = 0) throws {
    isFlushed = false
    do { try file.write(contentsOf: data) } catch { throw DurableFile.failure(error, url) }
    bytes += data.count
    records += commits
  }

  /// Flushes what was appended to the disk.
  func flush() throws {
    guard !isFlushed else { return }
    try DurableFile.flush(file.fileDescriptor, url.path)
    isFlushed = true
  }

  /// Ends the segment: nothing is appended to it any more.
  func finish(at commit: Int64) throws {
    try append(ArchiveRecord.end(commit: commit, records: records).framed)
    try flush()
  }
}
