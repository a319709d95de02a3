package import Foundation
import Holdfast

extension ImportSource {
  /// Calls `body` with the bytes of the source, piece by piece, and proves at the end that they were those that `sha256` is of.
  ///
  /// `body` returns whether it wants more; where it does not, nothing is proven.
  /// - Throws: `.verificationFailed` when the file changed; what reading a file can throw; what `body` throws.
  package func pieces(_ body: (Data) throws -> Bool) throws {
    let pieces = try SourcePieces(self)
    while let piece = try pieces.next() {
      guard try body(piece) else { return }
    }
  }
}

/// The bytes of a source from its start, as they are asked for.
package final class SourcePieces {
  private let source: ImportSource
  private let file: FileBytes
  private var left: Int64
  private var sum = SHA256Sum()

  /// - Throws: what opening a file can throw.
  package init(_ source: ImportSource) throws {
    self.source = source
    left = source.isBeginning ? source.bytes : .max
    file = try FileBytes(source.url)
  }

  /// The next piece; nil at the end, where it is proven that all were what `sha256` is of.
  ///
  /// - Throws: `.verificationFailed` when the file changed; what reading a file can throw.
  package func next() throws -> Data? {
    let piece = try file.next(Int(min(left, 1 << 16)))
    if !piece.isEmpty {
      sum.add(piece)
      left -= Int64(piece.count)
      return piece
    }
    guard sum.hex == source.sha256 else {
      throw StoreError(.verificationFailed, "\(source.url.path) changed while it was read")
    }
    return nil
  }
}
