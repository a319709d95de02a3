public import Foundation
import Holdfast

/// Writes a file for people: it has the old content or the new one, never a part, and its hash is known.
public enum FileExport {
  /// Replaces the file at `url` and flushes it. Returns its size in bytes, and its SHA-256 in lowercase hexadecimal.
  ///
  /// - Throws: `.diskFull`, `.permissionDenied`, `.cannotCreate`, `.inputOutput`; the old file is unchanged.
  public static func write(_ content: Data, to url: URL) throws -> (bytes: Int64, sha256: String) {
    try DurableFile.replace(DurableFile.replaceable(url), with: content)
    return (Int64(content.count), SHA256Hex.of(content))
  }
}
