import Foundation
public import Holdfast

// Only legacy mode writes the list `"unread"`. It holds the records that legacy mode could not read from the file that it replaced, so that
// the next import puts them into quarantine. One object per record or field:
//
//   {"kind": "tracks", "field": "notes", "path": "$.collections[0].tracks[2]", "reason": "…", "original": "…", "encoding": "base64"}
//
// `field` is present when the record was read without this field; `encoding` when the original bytes are not UTF-8.

/// A record or field that legacy mode could not read, and that it keeps in the file. A `LegacyFormat` encodes a list of them into its file, and
/// reads the list with `scan`.
public struct UnreadRecord: Encodable, Sendable {
  var kind: String
  var field: String?
  var path: String
  var reason: String
  var original: String
  var encoding: String?

  static func all(in reader: Reader) throws -> [UnreadRecord] {
    try reader.values("SELECT kind, field, path, reason, original FROM holdfast_quarantine ORDER BY id") { row in
      let (kind, field, path, reason, original) = (try row.text(), try row.text(), try row.text(), try row.text(), try row.data())
      let text = String(validUTF8: original)
      return UnreadRecord(
        kind: kind, field: field.isEmpty ? nil : field, path: path, reason: reason, original: text ?? original.base64EncodedString(),
        encoding: text == nil ? "base64" : nil)
    }
  }

  /// Passes each entry of such a list to `visit`, as damaged.
  ///
  /// - Parameters:
  ///   - list: a scanner at the list.
  ///   - kinds: the kinds of the format. An entry of another kind counts as the first.
  /// - Throws: `JSONScanError` when the list is damaged; the errors of `visit`.
  public static func scan<Content>(
    _ list: JSONScanner, kinds: [String], _ visit: (Scanned<Content>, _ position: Int) throws -> Void
  ) throws {
    var list = list
    let first = kinds.first ?? ""
    try list.array { _, element in
      let start = element
      guard case .object(let members)? = try? element.value() else {
        element = start
        _ = try element.skip()
        let reason = "an entry of unread should be an object"
        return try visit(
          .damaged(kind: first, path: .json(start.location), reason: reason, original: .value(start)), start.offset)
      }
      let text = members.string("original") ?? ""
      let bytes = members["encoding"] == .string("base64") ? Data(base64Encoded: text).map(Array.init) : Array(text.utf8)
      let kind = members.string("kind").flatMap { kind in kinds.first { $0 == kind } } ?? first
      let path = SourcePath.text(members.string("path") ?? start.path)
      let reason = members.string("reason") ?? "it could not be read"
      let original = bytes.map(SourceBytes.bytes) ?? .value(start)
      if let field = members.string("field") {
        try visit(.damagedField(kind: kind, field: field, path: path, reason: reason, original: original), start.offset)
      } else {
        try visit(.damaged(kind: kind, path: path, reason: reason, original: original), start.offset)
      }
    }
  }
}
