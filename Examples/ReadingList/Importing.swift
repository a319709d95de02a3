// snippet: own-format
import Holdfast
public import HoldfastTransfer

extension Book {
  /// `{"books": [{"id": "…", "title": "…", "author": "…", "pages": 300, "added": "2025-11-05T11:41:22Z", "finished": null}, …]}`
  static let json: FieldTable<Book> = [
    .required("id", \.id, .id),
    .required("title", \.title, .text),
    .optional("author", \.author, .text),
    .optional("pages", \.pages, .int),
    .required("added", \.addedAt, .iso8601),
    .optional("finished", \.finishedAt, .iso8601),
  ]
}

extension ReadingList: ImportingLibrary {
  /// The importer for a file of books, or for what `export(to:)` wrote.
  public static func importer(for source: ImportSource) throws -> any ImportFormat {
    let document = try source.document()
    if PortableImport.recognises(document) { return try PortableImport(document, schemas: [schema]) }
    return try JSONListImport("books-json", document, [.list("books", of: "a book", Book.json)])
  }
}
// end
