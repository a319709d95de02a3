public import Foundation
public import Holdfast

/// Imports a JSON document with one list of records, `{"books": [{"id": …, "title": …}, …]}`, described by a table of fields.
///
/// Records are matched by id. When a record has changed, the import writes only the fields that the source gives.
public struct JSONListImport<Row: StoredRecord & Identifiable & Sendable>: ImportFormat where Row.ID == UUID {
  /// The name given to the initialiser.
  public let name: String
  /// The version given to the initialiser.
  public let version: Int
  /// The list, as the only kind.
  public let kinds: [(name: String, table: String)]
  /// The size of the document in bytes.
  public let total: Int
  private let list: String
  private let noun: String
  private let fields: FieldTable<Row>
  private let blank: Row
  private let save: @Sendable (Row, Writer) throws -> Void
  private let modifiedAt: @Sendable (Row) -> Date?
  private var root: SourceMembers
  private let place: SourcePath

  /// Reads the whole document once, so a document that is cut off is refused before anything is written.
  ///
  /// - Parameters:
  ///   - name: the format's name in the report and the ledger: `books-json`.
  ///   - list: the document's member with the list. It is also the kind of the records in the report.
  ///   - noun: a record's name in errors: `a book`.
  ///   - fields: all fields of a record, including its id.
  ///   - blank: the values of a new record for fields that the source does not give.
  ///   - modifiedAt: the time of a row's last change, if it has one: then the newer one of source and store counts.
  ///   - save: the library's verb that inserts or updates a record.
  /// - Throws: `.invalidSource` with the byte offset.
  public init(
    _ name: String, version: Int = 1, _ document: JSONDocument, list: String, noun: String, fields: FieldTable<Row>, blank: Row,
    modifiedAt: @escaping @Sendable (Row) -> Date? = { _ in nil }, save: @escaping @Sendable (Row, Writer) throws -> Void
  ) throws {
    var scanner = JSONScanner(document)
    place = .json(scanner.location)
    do {
      root = try SourceMembers(&scanner, "the document", lists: [list])
      try scanner.finish()
    } catch {
      throw StoreError.invalidJSON(error)
    }
    if let problem = root.problem { throw StoreError(.invalidSource, problem) }
    (self.name, self.version, self.list, self.noun, self.fields, self.blank) = (name, version, list, noun, fields, blank)
    (self.modifiedAt, self.save) = (modifiedAt, save)
    kinds = [(name: list, table: Row.table)]
    total = document.count
  }

  /// Reads the list, element by element.
  public func scan(_ reader: Reader, _ visit: (Scanned<SaidRow<Row>>, Int) throws -> Void) throws {
    var root = root
    _ = try root.finish(kind: list, path: place, original: .bytes([]), at: 0, visit)
    guard var records = root.list(list) else { return }
    let (noun, fields, blank) = (noun, fields, blank)
    let isLong = total > JSONScanner.longArrayBytes
    do {
      try records.array(
        isLong: isLong, converting: { try Record(&$1, noun, fields, blank) }, use: { try self.visit($0, visit) })
    } catch let error as JSONScanError {
      throw StoreError.invalidJSON(error)
    }
  }

  /// One element of the list.
  private struct Record: Sendable {
    let start: JSONScanner
    var members: SourceMembers
    let said: SaidRow<Row>

    init(_ at: inout JSONScanner, _ noun: String, _ fields: FieldTable<Row>, _ blank: Row) throws {
      start = at
      members = try SourceMembers(&at, noun)
      said = members.read(fields, into: blank)
    }
  }

  private func visit(_ record: Record, _ visit: (Scanned<SaidRow<Row>>, Int) throws -> Void) throws {
    var members = record.members
    let (start, said, path) = (record.start, record.said, SourcePath.json(record.start.location))
    guard try members.finish(kind: list, path: path, original: .value(start), at: start.offset, visit) else { return }
    try visit(
      .record(
        SourceRecord(
          kind: list, key: IDCodec.lowercase(said.row.id), path: path, fields: said.fields,
          modifiedAt: modifiedAt(said.row).flatMap(DateCodec.milliseconds), content: said, original: .value(start))), start.offset)
  }

  /// Saves the record. In a stored record, only the fields that the source gives change.
  public func write(_ record: SourceRecord<SaidRow<Row>>, in tx: Writer) throws {
    try save(fields.rowToSave(record.content, in: tx), tx)
  }

  /// The stored record in the document's form.
  public func readBack(_ record: SourceRecord<SaidRow<Row>>, in reader: Reader) throws -> StoredShape? {
    try fields.storedShape(as: record.content, in: reader, modifiedAt: modifiedAt)
  }
}
