internal import Crypto
public import Foundation

extension NewID {
  /// An id that depends on `text` alone: a UUID version 8 (RFC 9562: custom) from the first bytes of its SHA-256.
  public static func derived(from text: String) -> UUID {
    SHA256.hash(data: Data(text.utf8)).withUnsafeBytes { bytes in
      var id = bytes.loadUnaligned(as: uuid_t.self)
      id.6 = (id.6 & 0x0F) | 0x80
      id.8 = (id.8 & 0x3F) | 0x80
      return UUID(uuid: id)
    }
  }
}
