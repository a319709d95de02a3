public import Foundation
import Holdfast

/// Writing a file that people keep: the old content or the new one, never a piece of it, and known by its hash.
public enum FileExport {
  /// Replaces the file at `url`, flushed to the disk. Returns its size and the SHA-256 of its content in hexadecimal.
  ///
  /// - Throws: `.diskFull`, `.permissionDenied`, `.cannotCreate`, `.inputOutput`; the old file is as before.
  public static func write(_ content: Data, to url: URL) throws -> (bytes: Int64, sha256: String) {
    try DurableFile.replace(DurableFile.replaceable(url), with: content)
    return (Int64(content.count), SHA256Hex.of(content))
  }
}
