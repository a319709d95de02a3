import Foundation
import Holdfast
import HoldfastTransfer

// snippet: own-format
/// `{"books": [{"id": "…", "title": "…", "author": "…", "pages": 300, "added": "2025-11-05T11:41:22Z", "finished": null}, …]}`
struct BooksJSON: ImportFormat {
  let name = "books-json"
  let version = 1
  let kinds = [(name: "books", table: Book.table)]
  let total: Int
  private let books: JSONScanner
  private let unknown: [(key: String, at: JSONScanner)]
  private let root: SourcePath

  /// Reads the whole document once: one that is cut off is refused before anything is written.
  init(_ document: JSONDocument) throws {
    var scanner = JSONScanner(document)
    root = .json(scanner.location)
    var fields = JSONFields(keys: ["books"])
    var list: JSONScanner?
    var unknown: [(key: String, at: JSONScanner)] = []
    do {
      try scanner.object { key, value in
        guard fields.number(of: key) == 0 else { return unknown.append((key.string, value)) }
        if try value.peek() == .array { list = value } else { fields.fail("books should be a list") }
      }
      try scanner.finish()
    } catch {
      throw StoreError.invalidJSON(error)
    }
    fields.requireFirst(1)
    guard let list, fields.problem == nil else { throw StoreError(.invalidSource, fields.problem ?? "there are no books") }
    books = list
    self.unknown = unknown
    total = document.count
  }

  func scan(_ reader: Reader, _ visit: (Scanned<Book>, Int) throws -> Void) throws {
    for (key, value) in unknown {
      try visit(
        .damagedField(kind: "books", field: key, path: root, reason: "this field is not known", original: .value(value)), value.offset)
    }
    var books = books
    try books.array { _, element in
      let start = element
      try visit(Self.book(&element) { try visit($0, start.offset) }, start.offset)
    }
  }

  func write(_ record: SourceRecord<Book>, in tx: Writer) throws { try ReadingList.save(record.content, in: tx) }

  func readBack(_ record: SourceRecord<Book>, in reader: Reader) throws -> StoredShape? {
    try reader.find(Book.self, id: record.content.id).map { book in
      StoredShape(
        fields: Self.fields(
          of: book, id: .id(book.id), added: .iso8601(book.addedAt), finished: book.finishedAt.map(JSONValue.iso8601) ?? .null))
    }
  }
}
// end

// snippet: own-format-record
extension BooksJSON {
  /// The book at a scanner; `leave` is told of what it is imported without.
  private static func book(_ at: inout JSONScanner, leave: (Scanned<Book>) throws -> Void) throws -> Scanned<Book> {
    let (start, path) = (at, SourcePath.json(at.location))
    func damaged(_ reason: String?) -> Scanned<Book> {
      .damaged(kind: "books", path: path, reason: reason ?? "it cannot be read", original: .value(start))
    }
    guard try at.peek() == .object else { return damaged("a book should be an object") }
    // Those first that every book must have.
    var fields = JSONFields(keys: ["id", "title", "added", "author", "pages", "finished"])
    var (id, added, finished): (Written<UUID>?, Written<Date>?, Written<Date>?)
    var (title, author, pages): (String, String?, Int64?) = ("", nil, nil)
    var unknown: [(key: String, at: JSONScanner)] = []
    try at.object { key, value in
      switch fields.number(of: key) {
      case 0: id = try fields.id("id", &value)
      case 1: title = try fields.text("title", &value)
      case 2: added = try fields.date("added", &value)
      case 3: author = try fields.textOrNil("author", &value)
      case 4: pages = try fields.int64OrNil("pages", &value)
      case 5: finished = try fields.dateOrNil("finished", &value)
      default: unknown.append((key.string, value))
      }
    }
    fields.requireFirst(3)
    guard let id, let added, fields.problem == nil else { return damaged(fields.problem) }
    for (key, value) in unknown {
      try leave(.damagedField(kind: "books", field: key, path: path, reason: "this field is not known", original: .value(value)))
    }
    let book = Book(
      id: id.value, title: title, author: author, pages: pages.map { Int(clamping: $0) }, addedAt: added.value, finishedAt: finished?.value)
    return .record(
      SourceRecord(
        kind: "books", key: IDCodec.lowercase(id.value), path: path,
        fields: Self.fields(of: book, id: id.text, added: added.text, finished: finished?.text ?? .null), content: book,
        original: .value(start)))
  }

  /// What verification compares: ids and dates as the source has them, or as the store gives them back.
  private static func fields(of book: Book, id: JSONValue, added: JSONValue, finished: JSONValue) -> [SourceField] {
    [
      SourceField("id", id), SourceField("title", .string(book.title)), SourceField("added", added),
      SourceField("author", .text(book.author)), SourceField("pages", .number(book.pages.map(Int64.init))),
      SourceField("finished", finished),
    ]
  }
}
// end
