public import Foundation

/// The bytes of one JSON document in memory, shared by the scanners that read it.
///
/// Immutable, so any number of tasks may scan the same document at once. It costs its size in memory until the
/// last scanner, path or key of it is gone.
public final class JSONDocument: Sendable {
  /// How many bytes there are, with a byte order mark if there is one.
  public let count: Int

  // Written by init only, freed by deinit only. Followed by zeros: no JSON token contains a zero byte, so a scan stops at
  // the end by itself, and a word may be loaded at any offset up to `count`.
  private nonisolated(unsafe) let base: UnsafePointer<UInt8>
  private static let padding = 64

  /// Where the text starts: behind the byte order mark.
  let start: Int
  /// The encoding when it is not UTF-8, for the error. Such a document scans as an empty one.
  let otherEncoding: String?

  /// Takes the bytes of a document, of any content: what is wrong with them, the scanner says.
  public convenience init(_ bytes: [UInt8]) {
    self.init(copying: bytes)
  }

  /// Takes the bytes of a document out of other data.
  public convenience init(_ data: Data) {
    self.init(copying: data)
  }

  /// Reads a whole file, into its place: in memory it stands once.
  ///
  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`.
  public convenience init(contentsOf url: URL) throws {
    let file = try FileBytes(url)
    let capacity = Int(file.count)
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity + Self.padding)
    var count = 0
    do {
      // None where the file became shorter meanwhile.
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

  private convenience init(copying source: some Collection<UInt8>) {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: source.count + Self.padding)
    self.init(taking: memory, UnsafeMutableBufferPointer(start: memory, count: source.count).initialize(fromContentsOf: source))
  }

  /// - Parameter memory: with room for the padding; freed with the document.
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

  /// A copy of the bytes in `range`, as far as the document has them: never traps.
  public func bytes(_ range: Range<Int>) -> [UInt8] {
    Array(UnsafeBufferPointer(start: base, count: count)[range.clamped(to: 0..<count)])
  }

  /// Of all bytes, the byte order mark too.
  package var sha256: String { SHA256Hex.of(UnsafeRawBufferPointer(start: base, count: count)) }

  /// What a scanner reads: valid while this document is.
  var text: (base: UnsafePointer<UInt8>, end: Int) {
    otherEncoding == nil ? (base, count) : (base + count, 0)
  }

  // UTF-8 JSON has no zero byte, while the first character of JSON, being ASCII, gives the wider encodings one.
  private static func otherEncoding(_ first: [UInt8]) -> String? {
    let isMarked = first.starts(with: [0xFE, 0xFF]) || first.starts(with: [0xFF, 0xFE])
    guard isMarked || first.count >= 2 && first[..<2].contains(0) else { return nil }
    return first.starts(with: [0, 0]) || first.count == 4 && first[2...] == [0, 0] ? "UTF-32" : "UTF-16"
  }
}
