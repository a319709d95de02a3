public import Foundation

extension NewID {
  /// An id that depends only on `text`: a UUID of version 8 (RFC 9562: custom) from the first bytes of the text's SHA-256.
  public static func derived(from text: String) -> UUID {
    var id = SHA256Hex.leading16(of: text)
    id.6 = (id.6 & 0x0F) | 0x80
    id.8 = (id.8 & 0x3F) | 0x80
    return UUID(uuid: id)
  }
}
