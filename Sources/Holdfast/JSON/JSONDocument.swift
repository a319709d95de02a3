public import Foundation

/// The bytes of one JSON document in memory, shared by the scanners that read it.
///
/// Immutable, so any number of tasks may scan the same document at once. Its memory is freed with the last scanner, path or key of the
/// document.
public final class JSONDocument: Sendable {
  /// The size in bytes, including a byte order mark.
  public let count: Int

  // Written only by init, freed only by deinit. Zeros follow the text. No JSON token contains a zero byte, so a scan stops at the end by
  // itself, and a word may be loaded at any offset up to `count`.
  private nonisolated(unsafe) let base: UnsafePointer<UInt8>
  private static let padding = 64

  /// The offset of the text, behind a byte order mark.
  let start: Int
  /// The encoding when it is not UTF-8, for the error. Such a document is scanned as an empty one.
  let otherEncoding: String?

  /// Copies the bytes of a document. Any bytes are accepted; a scanner reports what is wrong with them.
  public convenience init(_ bytes: some Collection<UInt8>) {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + Self.padding)
    self.init(taking: memory, UnsafeMutableBufferPointer(start: memory, count: bytes.count).initialize(fromContentsOf: bytes))
  }

  /// Reads a whole file. The file is in memory only once.
  ///
  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`.
  public convenience init(contentsOf url: URL) throws {
    let file = try FileBytes(url)
    let capacity = Int(file.count)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.padding)
    var count = 0
    do {
      // A piece is empty where the file has become shorter meanwhile.
      while case let piece = try file.next(min(1 << 20, capacity - count)), !piece.isEmpty {
        piece.copyBytes(to: memory + count, count: piece.count)
        count += piece.count
      }
    } catch {
      memory.deallocate()
      throw error
    }
    self.init(taking: memory, count)
  }

  /// - Parameter memory: must have room for `count` bytes and the padding; freed with the document.
  private init(taking memory: UnsafeMutablePointer<UInt8>, _ count: Int) {
    self.count = count
    (memory + count).initialize(repeating: 0, count: Self.padding)
    base = UnsafePointer(memory)
    let first = (0..<min(4, count)).map { memory[$0] }
    start = first.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    otherEncoding = Self.otherEncoding(first)
  }

  deinit {
    base.deallocate()
  }

  /// A copy of the bytes in `range`, cut to the document's size: never traps.
  public func bytes(_ range: Range<Int>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: base, count: count)[range.clamped(to: 0..<count)])
  }

  /// The hash of all bytes, including a byte order mark.
  package var sha256: String { SHA256Hex.of(UnsafeRawBufferPointer(start: base, count: count)) }

  /// The text for a scanner: valid as long as this document.
  var text: (base: UnsafePointer<UInt8>, end: Int) {
    otherEncoding == nil ? (base, count) : (base + count, 0)
  }

  // JSON in UTF-8 has no zero byte. In UTF-16 and UTF-32 its first character, which is ASCII, has one.
  private static func otherEncoding(_ first: [UInt8]) -> String? {
    let isMarked = first.starts(with: [0xFE, 0xFF]) || first.starts(with: [0xFF, 0xFE])
    guard isMarked || first.count >= 2 && first[..<2].contains(0) else { return nil }
    return first.starts(with: [0, 0]) || first.count == 4 && first[2...] == [0, 0] ? "UTF-32" : "UTF-16"
  }
}
