import Foundation
import Holdfast
import HoldfastTransfer

// snippet: own-format
/// `{"books": [{"id": "…", "title": "…", "author": "…", "pages": 300, "added": "2025-11-05T11:41:22Z", "finished": null}, …]}`
enum BooksJSON {
  static let fields: FieldTable<Book> = [
    .required("id", \.id, .id),
    .required("title", \.title, .text),
    .optional("author", \.author, .text),
    .optional("pages", \.pages, .int),
    .required("added", \.addedAt, .iso8601),
    .optional("finished", \.finishedAt, .iso8601),
  ]

  static func importer(_ document: JSONDocument) throws -> some ImportFormat {
    let blank = Book(id: UUID(), title: "", addedAt: Date(timeIntervalSince1970: 0))
    return try JSONListImport("books-json", document, list: "books", noun: "a book", fields: fields, blank: blank) { book, tx in
      try ReadingList.save(book, in: tx)
    }
  }
}
// end
