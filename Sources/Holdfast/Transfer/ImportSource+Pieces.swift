internal import Crypto
package import Foundation

extension ImportSource {
  /// Calls `body` with the bytes of the file, piece by piece, and proves at the end that they were those that `sha256` is of.
  ///
  /// `body` returns whether it wants more; where it does not, nothing is proven.
  /// - Throws: `.verificationFailed` when the file changed; what reading a file can throw; what `body` throws.
  package func pieces(_ body: (Data) throws -> Bool) throws {
    let file: FileHandle
    do {
      file = try FileHandle(forReadingFrom: url)
    } catch {
      throw DurableFile.failure(error, url)
    }
    defer { try? file.close() }
    var hasher = SHA256()
    while let piece = try next(file), !piece.isEmpty {
      hasher.update(data: piece)
      guard try body(piece) else { return }
    }
    guard SHA256Hex.hex(hasher.finalize()) == sha256 else {
      throw StoreError(.verificationFailed, "\(url.path) changed while it was read")
    }
  }

  private func next(_ file: FileHandle) throws -> Data? {
    do {
      return try file.read(upToCount: 1 << 16)
    } catch {
      throw DurableFile.failure(error, url)
    }
  }
}
