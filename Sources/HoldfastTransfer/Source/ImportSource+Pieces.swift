package import Foundation
import Holdfast

extension ImportSource {
  /// Calls `body` with the bytes of the source, piece by piece. At the end, checks that their hash is `sha256`.
  ///
  /// `body` returns whether it wants more. When it returns false, nothing is checked.
  /// - Throws: `.verificationFailed` when the file changed; the errors of reading a file; the errors of `body`.
  package func pieces(_ body: (Data) throws -> Bool) throws {
    let pieces = try SourcePieces(self)
    while let piece = try pieces.next() {
      guard try body(piece) else { return }
    }
  }
}

/// Reads the bytes of a source from its start, on request.
package final class SourcePieces {
  private let source: ImportSource
  private let file: FileBytes
  private var left: Int64
  private var sum = SHA256Sum()

  /// - Throws: the errors of opening a file.
  package init(_ source: ImportSource) throws {
    self.source = source
    left = source.isBeginning ? source.bytes : .max
    file = try FileBytes(source.url)
  }

  /// The next piece. At the end, checks that the hash of all pieces is `sha256`, and returns nil.
  ///
  /// - Throws: `.verificationFailed` when the file changed; the errors of reading a file.
  package func next() throws -> Data? {
    let piece = try file.next(Int(min(left, 1 << 16)))
    if !piece.isEmpty {
      sum.add(piece)
      left -= Int64(piece.count)
      return piece
    }
    guard try sum.hex == source.sha256 else {
      throw StoreError(.verificationFailed, "\(source.url.path) changed while it was read")
    }
    return nil
  }
}
