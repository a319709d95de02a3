package import Foundation

extension StoreError {
  /// This error, where it tells something of what was read or run. Throws it where it is of the surroundings: another try may succeed.
  func ofContent() throws -> StoreError {
    let surroundings: [Code] = [
      .busy, .permissionDenied, .cannotCreate, .deviceLocked, .cancelled, .diskFull, .outOfMemory, .inputOutput,
    ]
    guard surroundings.contains(code) else { return self }
    throw self
  }

  /// Names `url` instead of a file in a working folder, because people know only that, and the folder above instead of a working folder.
  package func naming(_ url: URL) -> StoreError {
    let mark = "/" + WorkingFolder.prefix
    // The store itself may lie in a working folder: `Store.temporary`.
    guard !url.path.contains(mark) else { return self }
    var error = self
    (error.message, error.suggestion) = (Self.named(message, url, mark), suggestion.map { Self.named($0, url, mark) })
    error.cause = (cause as? StoreError)?.naming(url) ?? cause
    return error
  }

  private static func named(_ text: String, _ url: URL, _ mark: String) -> String {
    var (result, rest) = ("", text[...])
    while let found = rest.range(of: mark) {
      let name = rest[found.upperBound...].prefix { $0 != "/" && !ends($0) }
      guard IDCodec.parse(name.suffix(IDCodec.byteCount)) != nil else {
        result += rest[..<found.upperBound]
        rest = rest[found.upperBound...]
        continue
      }
      // The path begins at the last slash that begins a word.
      let before = rest[..<found.lowerBound]
      let begin = before.indices.last { before[$0] == "/" && ($0 == before.startIndex || ends(before[before.index(before: $0)])) }
      result += rest[..<(begin ?? found.lowerBound)]
      rest = rest[name.endIndex...]
      guard rest.first == "/" else {
        result += begin.map { before[$0...] } ?? "/"
        continue
      }
      result += url.path
      rest = rest.dropFirst()
      // A copy may have the name that a person gave, with spaces in it.
      rest = rest.hasPrefix(url.lastPathComponent) ? rest.dropFirst(url.lastPathComponent.count) : rest.drop { !ends($0) }
    }
    return result + rest
  }

  /// Whether the character ends a path in a sentence.
  private static func ends(_ character: Character) -> Bool { character.isWhitespace || ":,;\"'`()".contains(character) }
}

extension StoreFiles {
  /// Runs `body`; its errors become those of the store at this path.
  func telling<T>(_ body: () throws -> T) throws -> T {
    do { return try body() } catch { throw StoreError(error, path: path) }
  }
}
