public import Foundation
public import Holdfast
public import HoldfastTransfer
public import ReadingListExample

// snippet: shelves-format
/// `{"shelves": [{"id": "…", "name": "Summer", "books": [{"id": "…", "book": "…", "note": "…"}, …]}, …]}`
struct ShelvesJSON: ImportFormat {
  enum Content: Sendable {
    case shelf(SaidRow<Shelf>)
    case book(SaidRow<ShelvedBook>)
  }

  static let shelf: FieldTable<Shelf> = [.required("id", \.id, .id), .required("name", \.name, .text)]
  static let book: FieldTable<ShelvedBook> = [
    .required("id", \.id, .id),
    .required("book", \.bookID, .id),
    .optional("note", \.note, .text),
  ]

  let name = "shelves-json"
  let version = 1
  let kinds = [(name: "shelves", table: "shelves"), (name: "shelved_books", table: "shelved_books")]
  let document: JSONDocument
  var total: Int { document.count }

  func scan(_ reader: Reader, _ visit: (Scanned<Content>, Int) throws -> Void) throws {
    do {
      var scanner = JSONScanner(document)
      let (start, path) = (scanner, SourcePath.json(scanner.location))
      var root = try SourceMembers(&scanner, "the document", lists: ["shelves"])
      try scanner.finish()
      if let problem = root.problem { throw StoreError(.invalidSource, problem) }
      _ = try root.finish(kind: "shelves", path: path, original: .value(start), at: 0, visit)
      guard var shelves = root.list("shelves") else { return }
      try shelves.array { _, element in try shelf(&element, visit) }
    } catch let error as JSONScanError {
      throw StoreError.invalidJSON(error)
    }
  }

  /// A parent, and then its children.
  private func shelf(_ at: inout JSONScanner, _ visit: (Scanned<Content>, Int) throws -> Void) throws {
    let (start, path) = (at, SourcePath.json(at.location))
    var members = try SourceMembers(&at, "a shelf", lists: ["books"])
    let said = members.read(Self.shelf, into: Shelf(id: UUID(), name: ""))
    guard try members.finish(kind: "shelves", path: path, original: .value(start), at: start.offset, visit) else { return }
    let key = IDCodec.lowercase(said.row.id)
    let record = SourceRecord(
      kind: "shelves", key: key, path: path, fields: said.fields, content: Content.shelf(said), original: .value(start))
    try visit(.record(record), start.offset)
    guard var books = members.list("books") else { return }
    try books.array { index, element in
      try book(&element, ShelvedBook(id: UUID(), shelfID: said.row.id, bookID: UUID(), position: ListPlace.position(at: index)), visit)
    }
  }

  private func book(_ at: inout JSONScanner, _ blank: ShelvedBook, _ visit: (Scanned<Content>, Int) throws -> Void) throws {
    let (start, path) = (at, SourcePath.json(at.location))
    var members = try SourceMembers(&at, "a book")
    let said = members.read(Self.book, into: blank)
    guard try members.finish(kind: "shelved_books", path: path, original: .value(start), at: start.offset, visit) else { return }
    let record = SourceRecord(
      kind: "shelved_books", key: IDCodec.lowercase(said.row.id), parent: .init(kind: "shelves", key: IDCodec.lowercase(said.row.shelfID)),
      path: path, fields: said.fields + Self.place(of: said.row), content: Content.book(said), original: .value(start))
    try visit(.record(record), start.offset)
  }

  /// What the source says by the place of a book, not by a field: its shelf, and its number there.
  private static func place(of row: ShelvedBook) -> [SourceField] {
    [SourceField("shelf", .id(row.shelfID)), ListPlace.field(of: row.position)]
  }

  func write(_ record: SourceRecord<Content>, in tx: Writer) throws {
    switch record.content {
    case .shelf(let said):
      try tx.upsert(tx.find(Shelf.self, id: said.row.id).map { Self.shelf.merged(said, into: $0) } ?? said.row)
    case .book(let said):
      var row = try tx.find(ShelvedBook.self, id: said.row.id).map { Self.book.merged(said, into: $0) } ?? said.row
      row.shelfID = said.row.shelfID
      row.position = try tx.freePosition(
        from: said.row.position, in: "shelved_books", where: "shelf_id = \(row.shelfID) AND id <> \(row.id)")
      try tx.upsert(row)
    }
  }

  func readBack(_ record: SourceRecord<Content>, in reader: Reader) throws -> StoredShape? {
    switch record.content {
    case .shelf(let said):
      return try reader.find(Shelf.self, id: said.row.id).map { StoredShape(fields: Self.shelf.shape(of: $0, as: said)) }
    case .book(let said):
      return try reader.find(ShelvedBook.self, id: said.row.id).map { row in
        StoredShape(fields: Self.book.shape(of: row, as: said) + Self.place(of: row))
      }
    }
  }
}
// end

extension ReadingList {
  /// Imports a file of shelves, whose books the list has already.
  public static func importShelves(from source: URL, into store: URL, storeOptions: StoreOptions = .production) throws -> ImportReport {
    let source = try ImportSource(source)
    let format = ShelvesJSON(document: try source.document())
    return try Store.importing(format, from: source, into: store, schemas: [withShelves], storeOptions: storeOptions)
  }
}
