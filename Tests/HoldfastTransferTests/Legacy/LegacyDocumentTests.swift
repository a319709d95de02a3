import Foundation
import Holdfast
import HoldfastTransfer
import Testing

@Suite("An app's own JSON document of lists")
struct LegacyDocumentTests {
  private static let form = LegacyDocument.Form(
    "the app's library", versionKey: "version", versions: 1...2, refusesOlder: true, lists: ["books", "notes"])

  private func document(_ text: String) throws -> LegacyDocument {
    try LegacyDocument(JSONDocument(Array(text.utf8)), as: Self.form)
  }

  private func readable(_ text: String) -> LegacyDocument? {
    LegacyDocument(asFarAsReadable: JSONDocument(Array(text.utf8)), as: Self.form)
  }

  /// One line for each element, and one for each damaged field and record with its bytes.
  private func told(_ document: LegacyDocument?) throws -> [String] {
    var told: [String] = []
    func visit(_ scanned: Scanned<String>, _ position: Int) {
      switch scanned {
      case .damagedField(let kind, let field, _, _, let original):
        told.append("\(kind).\(field): \(String(decoding: original.data, as: UTF8.self))")
      case .damaged(let kind, _, _, _, let original): told.append("\(kind): \(String(decoding: original.data, as: UTF8.self))")
      default: Issue.record("\(scanned)")
      }
    }
    try document?.scan([(name: "books", table: "books"), (name: "notes", table: "notes")], visit) { list, element in
      told.append("\(list) \(try element.value().canonicalText())")
    }
    return told
  }

  @Test("unknown members come first, then the lists in the order of the form, then what legacy mode could not read")
  func order() throws {
    let text = #"{"unread": [{"kind": "notes", "original": "x"}], "notes": [1], "later": true, "books": [2, {"a": 3}]}"#
    let document = try document(text)
    #expect(try told(document) == ["books.later: true", "books 2", #"books {"a":3}"#, "notes 1", "notes: x"])
    #expect(document.version == 1 && document.total == text.utf8.count && document.isWrittenBack)
    #expect(try self.document(#"{"version": 2, "books": []}"#).version == 2)
  }

  @Test(
    "a document that cannot be read as a whole is refused with the place",
    arguments: [
      (#"{"books":[],"version":3}"#, .newerSource, nil), (#"{"books":[],"version":0}"#, .invalidSource, 0),
      (#"{"notes":[]}"#, .invalidSource, 0), (#"{"books":[],"books":[]}"#, .invalidSource, 20), (#"{"books":7}"#, .invalidSource, 9),
      (#"{"books":[]"#, .invalidSource, 11),
    ] as [(String, StoreError.Code, Int?)])
  func refused(text: String, code: StoreError.Code, offset: Int?) {
    let error = #expect(throws: StoreError.self) { try document(text) }
    #expect(error?.code == code && error?.offset == offset)
  }

  @Test("everything before the damage is read, and the rest of the list is one damaged record of its name")
  func damaged() throws {
    let cut = readable(#"{"version": 3, "books": [], "books": 7, "unread": [], "notes": [1, {"a"#)
    #expect(try told(cut) == ["notes 1", #"notes: {"a"#])
    #expect(cut?.version == 2 && cut?.isWrittenBack == false)
    #expect(readable(#"{"later": []}"#) == nil && readable("[") == nil)
  }
}
