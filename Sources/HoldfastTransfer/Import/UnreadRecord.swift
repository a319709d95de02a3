import Foundation
package import Holdfast

// `"unread"` is a list that only legacy mode writes: what it could not read of the file that it replaced, so that the next
// import puts it into quarantine. One object per record or field:
//
//   {"kind": "tracks", "field": "notes", "path": "$.collections[0].tracks[2]", "reason": "…", "original": "…", "encoding": "base64"}
//
// `field` is there when the record was read without it; `encoding` when the original bytes are not UTF-8.

/// A record or a field that legacy mode could not read, on its way through the file.
package struct UnreadRecord: Encodable {
  var kind: String
  var field: String?
  var path: String
  var reason: String
  var original: String
  var encoding: String?

  /// Everything that the quarantine holds.
  static func all(in reader: Reader) throws -> [UnreadRecord] {
    try Store.quarantined(in: reader).map { kind, field, path, reason, original in
      let text = String(decoding: original, as: UTF8.self)
      // Decoding repairs what is not UTF-8.
      let isText = Data(text.utf8) == original
      return UnreadRecord(
        kind: kind, field: field, path: path, reason: reason, original: isText ? text : original.base64EncodedString(),
        encoding: isText ? nil : "base64")
    }
  }

  /// Tells of everything in such a list.
  ///
  /// - Parameter kinds: Those of the format; another one in the file is taken for the first.
  package static func scan<Content>(
    _ list: JSONScanner, kinds: [String], _ visit: (Scanned<Content>, _ position: Int) throws -> Void
  ) throws {
    var list = list
    let first = kinds.first ?? ""
    try list.array { _, element in
      let start = element
      guard case .object(let members)? = try? element.value() else {
        element = start
        _ = try element.skip()
        let reason = "what was not read should be an object"
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
