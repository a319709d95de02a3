public import Foundation
public import Holdfast
public import HoldfastTransfer
public import ReadingListExample

/// `{"shelves": [{"id": "…", "name": "Summer", "books": [{"id": "…", "book": "…", "note": "…"}, …]}, …]}`
struct ShelvesJSON: ImportFormat {
  static let shelves = RecordKind<Shelf>(
    "shelves", table: Shelf.table, [.required("id", \.id, .id), .required("name", \.name, .text)], key: { IDCodec.lowercase($0.id) },
    find: { try $1.find(Shelf.self, id: $0.row.id) }, save: { shelf, _, tx in try tx.upsert(shelf) })

  /// A book's shelf, and its number there, are not said by a field but by its place in the file.
  static let books = RecordKind<ShelvedBook>(
    "shelved_books", table: ShelvedBook.table,
    [.required("id", \.id, .id), .required("book", \.bookID, .id), .optional("note", \.note, .text)],
    key: { IDCodec.lowercase($0.id) }, parent: { .init(kind: "shelves", key: IDCodec.lowercase($0.shelfID)) },
    ids: ["shelf"], storedIDs: { book, _ in [.id(book.shelfID)] },
    place: .list(\.position) { "shelf_id = \($0.shelfID) AND id <> \($0.id)" },
    find: { try $1.find(ShelvedBook.self, id: $0.row.id) }, isReplaced: true, save: { book, _, tx in try tx.upsert(book) })

  let name = "shelves-json"
  let version = 1
  let kinds = [(name: shelves.name, table: shelves.table), (name: books.name, table: books.table)]
  let document: JSONDocument
  var total: Int { document.count }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
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
  private func shelf(_ at: inout JSONScanner, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    let (start, path) = (at, SourcePath.json(at.location))
    var members = try SourceMembers(&at, "a shelf", lists: ["books"])
    let said = members.read(Self.shelves.fields, into: Shelf(id: UUID(), name: ""))
    guard try members.finish(kind: "shelves", path: path, original: .value(start), at: start.offset, visit) else { return }
    try visit(.record(Self.shelves.record(said, path: path, original: .value(start))), start.offset)
    guard var books = members.list("books") else { return }
    try books.array { index, element in
      try book(&element, ShelvedBook(id: UUID(), shelfID: said.row.id, bookID: UUID(), position: ListPlace.position(at: index)), visit)
    }
  }

  private func book(_ at: inout JSONScanner, _ blank: ShelvedBook, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    let (start, path) = (at, SourcePath.json(at.location))
    var members = try SourceMembers(&at, "a book")
    let said = members.read(Self.books.fields, into: blank)
    guard try members.finish(kind: "shelved_books", path: path, original: .value(start), at: start.offset, visit) else { return }
    try visit(.record(Self.books.record(said, ids: [.id(blank.shelfID)], path: path, original: .value(start))), start.offset)
  }
}

extension ReadingList {
  /// Imports a file of shelves, whose books the list has already.
  public static func importShelves(from source: URL, into store: URL, storeOptions: StoreOptions = .production) throws -> ImportReport {
    let source = try ImportSource(source)
    let format = ShelvesJSON(document: try source.document())
    return try Store.importing(format, from: source, into: store, schemas: [withShelves], storeOptions: storeOptions)
  }
}
