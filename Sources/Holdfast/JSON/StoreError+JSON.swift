extension StoreError {
  /// A `JSONScanError` as an error for people, with the place and the expected content. Any other error unchanged.
  public static func invalidJSON(_ error: any Error) -> StoreError {
    guard let error = error as? JSONScanError else { return StoreError(error) }
    return StoreError(
      .invalidSource,
      "the JSON stops making sense at byte \(error.offset) (\(error.path)): expected \(error.expected), found \(error.found)",
      offset: error.offset, cause: error)
  }

  /// The error for a key that an object has twice: reading only one of two lists would lose the other. Code `.invalidSource`.
  ///
  /// - Parameter offset: the place of the second value, in bytes from the beginning of the document.
  public static func standsTwice(_ key: String, at offset: Int) -> StoreError {
    StoreError(
      .invalidSource, "\"\(key)\" appears twice, the second time at byte \(offset); the file does not say which of the two counts",
      offset: offset)
  }
}

extension JSONDocument {
  /// Reads the document with `body`, and refuses what stands behind the value.
  ///
  /// - Throws: `.invalidSource` with the byte offset for what is no JSON; the errors of `body`.
  public func whole<T>(_ body: (inout JSONScanner) throws -> T) throws -> T {
    var scanner = JSONScanner(self)
    do {
      let value = try body(&scanner)
      try scanner.finish()
      return value
    } catch {
      throw StoreError.invalidJSON(error)
    }
  }
}
