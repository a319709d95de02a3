/// A place where a JSON document differs from the expectation, and what was found there.
public struct JSONScanError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The offset in bytes, from 0, where the document goes wrong; the document's size when its end is missing.
  public var offset: Int
  /// The expected content, such as `a comma or the end of the object`.
  public var expected: String
  /// The found content, such as `end of the file`, `'x'`, `a string`.
  public var found: String
  /// The path of the value with the error, such as `$.collections[3].tracks[5]`; between two values, of the object or array around them. Of
  /// more than 16 steps, only the first and the last eight.
  public var path: String

  /// Makes an error with these parts.
  public init(offset: Int, expected: String, found: String, path: String) {
    self.offset = offset
    self.expected = expected
    self.found = found
    self.path = path
  }

  /// One sentence for people.
  public var description: String {
    "expected \(expected), found \(found), at byte \(offset) in \(path)"
  }
}

extension JSONScanError {
  /// The content at a byte, for people.
  static func found(in document: JSONDocument, at offset: Int) -> String {
    let bytes = document.bytes(offset..<max(offset, min(offset + 4, document.count)))
    guard let first = bytes.first else { return "end of the file" }
    guard first >= 0x20, first != 0x7F else { return "the control character \(first)" }
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else {
      return "the byte 0x\(String(first, radix: 16, uppercase: true))"
    }
    return "'\(scalar)'"
  }
}
