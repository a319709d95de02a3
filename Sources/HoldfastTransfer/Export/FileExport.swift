public import Foundation
public import Holdfast

/// Writes a file for people: it has the old content or the new one, never a part, and its hash is known.
public enum FileExport {
  /// Replaces the file at `url` and flushes it. Returns its size in bytes, and its SHA-256 in lowercase hexadecimal.
  ///
  /// - Parameter store: the exported store. A file of its own is refused as the target: replacing it would end the store.
  /// - Throws: `.misuse` for such a file; `.diskFull`, `.permissionDenied`, `.cannotCreate`, `.inputOutput`; the old file is unchanged.
  public static func write(_ content: Data, to url: URL, from store: Store? = nil) throws -> (bytes: Int64, sha256: String) {
    try store?.files?.checkIsNotOwn(url)
    try DurableFile.replace(DurableFile.replaceable(url), with: content)
    return (Int64(content.count), SHA256Hex.of(content))
  }
}
