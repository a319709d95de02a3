extension String {
  /// The text of bytes in UTF-8; nil for bytes that are none. Nothing is repaired.
  @inlinable
  public init?(validUTF8 bytes: some Collection<UInt8>) {
    // Platform: the initialiser that validates is newer than the oldest system that Holdfast runs on.
    if #available(iOS 18, macOS 15, *) {
      self.init(validating: bytes, as: UTF8.self)
    } else {
      self.init(repairing: bytes)
    }
  }

  /// The same by the initialiser that silently repairs: a repaired text is longer or has other bytes.
  @usableFromInline
  init?(repairing bytes: some Collection<UInt8>) {
    self.init(decoding: bytes, as: UTF8.self)
    guard utf8.elementsEqual(bytes) else { return nil }
  }
}
