public import Foundation
import Holdfast

extension ImportSource {
  /// Calls `body` with the bytes of the source, piece by piece. At the end, checks that their hash is `sha256`.
  ///
  /// `body` returns whether it wants more. When it returns false, nothing is checked.
  func pieces(_ body: (Data) throws -> Bool) throws {
    let pieces = try SourcePieces(self)
    while let piece = try pieces.next() {
      guard try body(piece) else { return }
    }
  }
}

/// Reads the bytes of a source from its start, on request. Not `Sendable`: one task at a time.
public final class SourcePieces {
  private let source: ImportSource
  private let file: FileBytes
  private var left: Int64
  private var sum = SHA256Sum()

  /// Opens the file.
  ///
  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`.
  public init(_ source: ImportSource) throws {
    self.source = source
    left = source.isBeginning ? source.bytes : .max
    file = try FileBytes(source.url)
  }

  /// The next piece. At the end, checks that the hash of all pieces is the source's `sha256`, and returns nil.
  ///
  /// - Parameter length: the most bytes; values below 1 count as 1.
  /// - Throws: `.verificationFailed` when the file changed; the errors of reading a file.
  public func next(_ length: Int = 1 << 16) throws -> Data? {
    let piece = try file.next(Int(min(left, Int64(max(1, length)))))
    if !piece.isEmpty {
      sum.add(piece)
      left -= Int64(piece.count)
      return piece
    }
    try source.prove(sum.hex)
    return nil
  }
}
