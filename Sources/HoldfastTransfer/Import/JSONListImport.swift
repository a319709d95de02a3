public import Foundation
public import Holdfast

/// Imports a JSON document of lists, `{"beds": [{"id": …, "name": …}, …], "plants": […]}`, each described by a table of fields.
///
/// ```swift
/// try JSONListImport(
///   "garden-json", document,
///   [.list("beds", of: "a bed", Bed.fields, blank: …), .list("plants", of: "a plant", Plant.fields, blank: …, parent: ("beds", \.bedID))])
/// ```
/// Records are matched by id. When a record has changed, the import writes only the fields that the source gives.
public struct JSONListImport: ImportFormat {
  /// One list of the document.
  public struct List: Sendable {
    let name: String
    let table: String
    /// Reads the list, whose document has so many bytes.
    let scan: @Sendable (inout JSONScanner, Int, (Scanned<SaidContent>, Int) throws -> Void) throws -> Void

    /// Describes one list.
    ///
    /// - Parameters:
    ///   - name: the document's member with the list. It is also the kind of the records in the report.
    ///   - noun: a record's name in errors: `a book`.
    ///   - fields: all fields of a record, including its id.
    ///   - blank: the values of a new record for fields that the source does not give.
    ///   - parent: the list with the record to which a record belongs, and that record's id. Where the store refuses a parent, its
    ///     records go into quarantine with that reason; where a parent cannot be read, its id is not known. Default: records belong to none.
    ///   - modifiedAt: the time of a row's last change, if it has one: then the newer one of source and store counts.
    ///   - save: the library's verb that inserts or updates a record. Default: `Writer.upsert(_:)`.
    public static func list<Row: StoredRecord & Identifiable & Sendable>(
      _ name: String, of noun: String, _ fields: FieldTable<Row>, blank: Row,
      parent: (list: String, id: any KeyPath<Row, UUID> & Sendable)? = nil,
      modifiedAt: @escaping @Sendable (Row) -> Date? = { _ in nil },
      save: @escaping @Sendable (Row, Writer) throws -> Void = { try $1.upsert($0) }
    ) -> List where Row.ID == UUID {
      List(name: name, table: Row.table) { list, bytes, visit in
        try list.array(isLong: bytes > JSONScanner.longArrayBytes) { _, element in
          let start = element
          var members = try SourceMembers(&element, noun)
          let said = members.read(fields, into: blank)
          return (start, members, said)
        } use: { start, read, said in
          var members = read
          let path = SourcePath.json(start.location)
          guard try members.finish(kind: name, path: path, original: .value(start), at: start.offset, visit) else { return }
          var record = fields.record(
            said, kind: name, path: path, original: .value(start), modifiedAt: modifiedAt, save: save)
          record.parent = parent.map { .init(kind: $0.list, key: IDCodec.lowercase(said.row[keyPath: $0.id])) }
          try visit(.record(record), start.offset)
        }
      }
    }
  }

  /// The name given to the initialiser.
  public let name: String
  /// The version given to the initialiser.
  public let version: Int
  /// The size of the document in bytes.
  public let total: Int
  private let lists: [List]
  private var root: SourceMembers
  private let place: SourcePath

  /// Reads the whole document once, so a document that is cut off is refused before anything is written.
  ///
  /// - Parameters:
  ///   - name: the format's name in the report and the ledger: `books-json`.
  ///   - version: the format's version in the report. Default 1.
  ///   - lists: the lists, parents before their children. The document has all of them, in any order.
  /// - Throws: `.invalidSource` with the byte offset.
  public init(_ name: String, version: Int = 1, _ document: JSONDocument, _ lists: [List]) throws {
    var scanner = JSONScanner(document)
    place = .json(scanner.location)
    do {
      root = try SourceMembers(&scanner, "the document", lists: lists.map(\.name))
      try scanner.finish()
    } catch {
      throw StoreError.invalidJSON(error)
    }
    if let problem = root.problem { throw StoreError(.invalidSource, problem) }
    (self.name, self.version, self.lists, total) = (name, version, lists, document.count)
  }

  /// The lists, parents first.
  public var kinds: [(name: String, table: String)] { lists.map { ($0.name, $0.table) } }

  /// Reads the lists, element by element.
  public func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var root = root
    _ = try root.finish(kind: lists.first?.name ?? name, path: place, original: .bytes([]), at: 0, visit)
    do {
      for list in lists {
        guard var records = root.list(list.name) else { continue }
        try list.scan(&records, total, visit)
      }
    } catch let error as JSONScanError {
      throw StoreError.invalidJSON(error)
    }
  }

  /// Saves the record. In a stored record, only the fields that the source gives change.
  public func write(_ record: SourceRecord<SaidContent>, in tx: Writer) throws { try record.content.write(tx) }

  /// The stored record in the document's form.
  public func readBack(_ record: SourceRecord<SaidContent>, in reader: Reader) throws -> StoredShape? {
    try record.content.readBack(reader)
  }
}
