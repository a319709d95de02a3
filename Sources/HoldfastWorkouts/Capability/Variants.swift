import Foundation
import Holdfast

// An enum in serde's form: a variant without a value is its name; another variant is an object with its name as the only key.

extension JSONScanner {
  /// - Parameters:
  ///   - kind: the name of the enum, for people.
  ///   - read: reads the value of the variant with this name; nil for an unknown name.
  /// - Throws: `.misuse` for an unknown name; `.invalidSource` for JSON that is not a variant; what `read` throws.
  mutating func variant<T>(of kind: String, _ read: (String, inout JSONScanner) throws -> T?) throws -> T {
    func known(_ name: String, _ value: inout JSONScanner) throws -> T {
      if let found = try read(name, &value) { return found }
      throw StoreError(
        .misuse, "there is no \(kind) \"\(name.prefix(60))\"", suggestion: "Documentation/WorkoutCapability.md has all \(kind)s.")
    }
    if try peek() == .string {
      let name = try string()
      // Read as if null were its value.
      var nothing = JSONScanner(JSONDocument(Array("null".utf8)))
      do { return try known(name, &nothing) } catch is JSONScanError {
        throw StoreError(.invalidSource, "the \(kind) \(name) is without its value", suggestion: #"Send {"\#(name)": …}."#)
      }
    }
    var found: T?
    try object { key, value in
      guard found == nil else { throw StoreError(.invalidSource, "the \(kind) should be an object with one key, and \(key) is the second") }
      found = try known(key.string, &value)
    }
    guard let found else { throw StoreError(.invalidSource, "the \(kind) should be an object with one key, and there is none") }
    return found
  }

  /// - Throws: `.invalidSource` for a value that is not null.
  mutating func nothing<T>(_ result: T) throws -> T {
    guard try null() else { throw StoreError(.invalidSource, "the value at \(path) should be null, as this needs none") }
    return result
  }
}

extension JSONText {
  mutating func variant(_ name: String, _ value: (inout JSONText) -> Void) {
    object { text in
      text.key(name)
      value(&text)
    }
  }

  mutating func variant(_ name: String, _ value: some CoreWritten) { variant(name) { value.write(into: &$0) } }

  /// Writes a variant whose value is an object.
  mutating func variant(_ name: String, _ members: (String, any CoreWritten)...) {
    variant(name) { text in
      text.object { text in
        for (key, value) in members {
          text.key(key)
          value.write(into: &text)
        }
      }
    }
  }
}
