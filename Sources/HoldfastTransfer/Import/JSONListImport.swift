public import Foundation
public import Holdfast

/// Imports a JSON document of lists, `{"beds": [{"id": …, "name": …}, …], "plants": […]}`, each described by a table of fields.
///
/// ```swift
/// try JSONListImport(
///   "garden-json", document,
///   [.list("beds", of: "a bed", Bed.fields), .list("plants", of: "a plant", Plant.fields)])
/// ```
/// Records are found again by the key of their record type. When a record has changed, the import writes only the fields that the source
/// gives. A record whose parent was not taken goes into quarantine, too: the store's foreign keys say what belongs to what.
public struct JSONListImport: ImportFormat {
  /// One list of the document.
  public struct List: Sendable {
    let place: KindPlace
    /// Throws where the fields do not give the key.
    let check: @Sendable () throws -> Void
    /// Reads the list, whose document has so many bytes.
    let scan: @Sendable (inout JSONScanner, Int, [KindPlace], Reader, (Scanned<SaidContent>, Int) throws -> Void) throws -> Void

    /// Describes one list.
    ///
    /// - Parameters:
    ///   - name: the document's member with the list. It is also the kind of the records in the report.
    ///   - noun: a record's name in errors: `a book`.
    ///   - fields: all fields of a record, including those of its key.
    ///   - blank: the values of a new record for fields that the source does not give. Default, for a `Codable` record: numbers 0, empty
    ///     texts and lists, nil, and the first case of an enum.
    ///   - modifiedAt: the time of a row's last change, if it has one: then the newer one of source and store counts.
    ///   - save: the library's verb that inserts or updates a record. Default: `Writer.upsert(_:)`.
    public static func list<Row: StoredRecord>(
      _ name: String, of noun: String, _ fields: FieldTable<Row>, blank: Row? = nil,
      modifiedAt: @escaping @Sendable (Row) -> Date? = { _ in nil },
      save: @escaping @Sendable (Row, Writer) throws -> Void = { try $1.upsert($0) }
    ) -> List {
      @Sendable func make() throws -> RecordMaker<Row> { try RecordMaker(name, fields, blank: blank, modifiedAt: modifiedAt, save: save) }
      return List(place: KindPlace(name: name, table: Row.table, key: Row.key)) {
        _ = try make()
      } scan: { list, bytes, kinds, reader, visit in
        let maker = try make()
        try maker.findReferences(among: kinds, in: reader)
        let blank = maker.blank
        try list.array(isLong: bytes > JSONScanner.longArrayBytes) { _, element in
          let start = element
          var members = try SourceMembers(&element, noun)
          let said = members.read(fields, into: blank)
          return (start, members, said)
        } use: { start, read, said in
          var members = read
          try maker.finish(&members, said, path: .json(start.location), original: .value(start), at: start.offset, visit)
        }
        try maker.end(visit)
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
  /// - Throws: `.invalidSource` with the byte offset; `.misuse` when the fields of a list do not give the key of its records.
  public init(_ name: String, version: Int = 1, _ document: JSONDocument, _ lists: [List]) throws {
    for list in lists { try list.check() }
    place = .json(JSONScanner(document).location)
    root = try document.whole { try SourceMembers(&$0, "the document", lists: lists.map(\.place.name)) }
    if let problem = root.problem { throw StoreError(.invalidSource, problem) }
    (self.name, self.version, self.lists, total) = (name, version, lists, document.count)
  }

  /// The lists, parents first.
  public var kinds: [(name: String, table: String)] { lists.map { ($0.place.name, $0.place.table) } }

  /// Reads the lists, element by element.
  public func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var root = root
    _ = try root.finish(kind: lists.first?.place.name ?? name, path: place, original: .bytes([]), at: 0, visit)
    do {
      for list in lists {
        guard var records = root.list(list.place.name) else { continue }
        try list.scan(&records, total, lists.map(\.place), reader, visit)
      }
    } catch let error as JSONScanError {
      throw StoreError.invalidJSON(error)
    }
  }
}
