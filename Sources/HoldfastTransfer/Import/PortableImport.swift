import Foundation
public import Holdfast

/// Reads the documented export back; see `PortableExport.swift` for the format.
public struct PortableImport: ImportFormat {
  /// One row: its values, in the order of its table's columns.
  public struct Row: Sendable {
    let table: TableOutline
    var values: [SQLValue]
  }

  /// See `ImportFormat`.
  public let name = "holdfast"
  /// See `ImportFormat`.
  public let version = 1
  /// The tables, parents first.
  public let kinds: [(name: String, table: String)]
  /// The size of the document in bytes.
  public let total: Int
  private let document: JSONDocument
  private let tables: [String: TableOutline]
  /// The record types, by table. A row must be readable as its type.
  private let records: [String: any StoredRecord.Type]
  /// A scanner at the first row.
  private let rows: JSONScanner
  private let end: Int
  let rowCounts: [String: Int]
  var outlines: [TableOutline] { tables.values.sorted { $0.name < $1.name } }

  /// Whether the document begins like an export, complete or not. Reads only the first object, within the first 1 MiB; the first object of
  /// an export is far shorter.
  public static func recognises(_ document: JSONDocument) -> Bool {
    var scanner = JSONScanner(JSONDocument(document.bytes(0..<1_048_576)))
    var found = false
    try? scanner.object { key, value in
      if key == "holdfast_export" { found = true }
      _ = try value.skip()
    }
    return found
  }

  /// The same for a file of which nothing else was read.
  ///
  /// - Throws: the errors of reading a file.
  public static func recognises(_ source: ImportSource) throws -> Bool {
    recognises(JSONDocument(try FileBytes(source.url).read(1_048_576)))
  }

  /// Reads the document once, and checks that it is complete and that its checksum is right.
  ///
  /// - Throws: `.invalidSource`, `.newerSource`; `.wrongKind` when the export has other schemas.
  public init(_ document: JSONDocument, schemas: [StoreSchema]) throws {
    try self.init(document, schemas.map { ($0.name, $0.version) }, records: schemas.flatMap(\.records)) {
      let memory = try Store.inMemory(schemas: schemas)
      return try memory.read { reader in
        try TableOutline.all(of: schemas, in: reader) + TableOutline.quarantine(in: reader)
      }
    }
  }

  /// The same for a store whose library is not known: with the schemas and the tables that its file has.
  init(_ document: JSONDocument, into reader: Reader) throws {
    let held = try reader.values("SELECT name, version FROM holdfast_schemas WHERE name <> 'holdfast' ORDER BY name") { row in
      (name: try row.text(), version: try row.int())
    }
    try self.init(document, held, records: []) {
      try TableOutline.all(of: nil, in: reader) + TableOutline.quarantine(in: reader)
    }
  }

  private init(
    _ document: JSONDocument, _ held: [(name: String, version: Int)], records types: [any StoredRecord.Type],
    _ declared: () throws -> [TableOutline]
  ) throws {
    self.document = document
    var scanner = JSONScanner(document)
    let names: [String]
    do {
      guard case .object(let header) = try scanner.value() else { throw Self.invalid("an export begins with an object", 0) }
      rows = scanner
      names = Self.names(header)
      try Self.checkVersion(header)
      // Checked before any of the content is used.
      (end, rowCounts) = try Self.checkedEnd(document, header, from: scanner)
      try Self.checkSchemas(header, held)
      tables = try Self.outlines(header, declared())
      records = Dictionary(types.map { ($0.table, $0) }, uniquingKeysWith: { first, _ in first })
    } catch let error as JSONScanError {
      throw Self.invalid("expected \(error.expected), found \(error.found)", error.offset)
    }
    kinds = names.map { ($0, $0) }
    total = document.count
  }

  /// See `ImportFormat`.
  public func scan(_ reader: Reader, _ visit: (Scanned<Row>, Int) throws -> Void) throws {
    var scanner = rows
    var line = 1
    while scanner.offset < end {
      line += 1
      var table: String?
      var values: [JSONValue] = []
      let start = scanner
      do {
        guard try scanner.peek() == .object else { throw Self.invalid("a row should be an object", scanner.offset) }
        if scanner.offset >= end { return }
        try scanner.object { key, value in
          switch key {
          case "table": table = try value.string()
          case "row": if case .array(let list) = try value.value() { values = list }
          default: try value.skip()
          }
        }
      } catch let error as JSONScanError {
        throw Self.invalid("expected \(error.expected), found \(error.found)", error.offset)
      }
      try visit(record(table, values, at: "line \(line)", .value(start)), scanner.offset)
    }
  }

  private func record(_ name: String?, _ values: [JSONValue], at path: String, _ original: SourceBytes) -> Scanned<Row> {
    guard let name, let table = tables[name] else {
      return .damaged(kind: name ?? "rows", path: .text(path), reason: "there is no such table", original: original)
    }
    let stored = values.compactMap(\.sqlValue)
    guard stored.count == values.count else {
      return .damaged(kind: name, path: .text(path), reason: "a value has a kind that no column can hold", original: original)
    }
    guard stored.count == table.columns.count else {
      return .damaged(kind: name, path: .text(path), reason: "a row of \(name) has \(table.columns.count) values", original: original)
    }
    let byColumn = Dictionary(zip(table.columns, values), uniquingKeysWith: { first, _ in first })
    func text(_ columns: [String]) -> String { Self.key(columns.map { byColumn[$0]?.plainText ?? "" }) }
    var modifiedAt: Int64?
    if case .integer(let milliseconds)? = byColumn["updated_at"] { modifiedAt = milliseconds }
    return .record(
      SourceRecord(
        kind: name, key: text(table.key), parent: table.parent.map { .init(kind: $0.table, key: text([$0.column])) }, path: .text(path),
        fields: zip(table.columns, values).map { SourceField($0, $1) }, modifiedAt: modifiedAt,
        content: Row(table: table, values: stored), original: original))
  }

  /// The key of a row in the ledger of imports, from the values of its key columns: with slashes between them. A slash or a backslash within
  /// a value has a backslash before it, but not within the last value.
  public static func key(_ values: [String]) -> String {
    // Without escapes, two values with a slash between them would be ambiguous.
    let escaped = values.dropLast().map {
      $0.replacingOccurrences(of: "\\", with: "\\\\", options: .literal).replacingOccurrences(of: "/", with: "\\/", options: .literal)
    }
    return (escaped + values.suffix(1)).joined(separator: "/")
  }

  /// See `ImportFormat`.
  public func write(_ record: SourceRecord<Row>, in tx: Writer) throws {
    let table = record.content.table
    if let type = records[table.name] { try Self.checkReadable(type, record.content, in: tx) }
    let marks = BoundSQL.joined(record.content.values.map { "\($0)" }, separator: ", ")
    let changes = table.columns.filter { !table.key.contains($0) }.map { "\"\($0)\" = excluded.\"\($0)\"" }
    let otherwise = changes.isEmpty ? "NOTHING" : "UPDATE SET " + changes.joined(separator: ", ")
    try tx.execute(
      """
      INSERT INTO \(sql: .names([table.name])) (\(sql: .names(table.columns))) VALUES (\(sql: marks))
      ON CONFLICT (\(sql: .names(table.key))) DO \(raw: otherwise)
      """)
  }

  /// Refuses a row that could not be read as a record again, so that it goes into quarantine.
  private static func checkReadable<Record: StoredRecord>(_ type: Record.Type, _ row: Row, in reader: Reader) throws {
    let values = Dictionary(zip(row.table.columns, row.values), uniquingKeysWith: { first, _ in first })
    let columns = type.columns.compactMap { name -> BoundSQL? in values[name].map { "\($0) AS \(sql: .names([name]))" } }
    // An older export may lack a column. The row then gets the column's default.
    guard columns.count == type.columns.count else { return }
    do {
      _ = try reader.value("SELECT \(sql: BoundSQL.joined(columns, separator: ", "))") { row in try Record(row: &row) }
    } catch let error as StoreError where error.code == .decoding {
      throw StoreError(.invalidValue, error.message)
    }
  }

  /// See `ImportFormat`.
  public func readBack(_ record: SourceRecord<Row>, in reader: Reader) throws -> StoredShape? {
    let keyed = zip(record.content.table.columns, record.content.values).filter { record.content.table.key.contains($0.0) }
    return try readBack(record, where: .joined(keyed.map { "\(sql: .names([$0.0])) = \($0.1)" }, separator: " AND "), in: reader)
  }

  func readBack(_ record: SourceRecord<Row>, where condition: BoundSQL, in reader: Reader) throws -> StoredShape? {
    let table = record.content.table
    return try reader.value("SELECT \(sql: .names(table.columns)) FROM \(sql: .names([table.name])) WHERE \(sql: condition)") { row in
      var shape = StoredShape(fields: [])
      for column in table.columns {
        let value = JSONValue(try row.value()) ?? .null
        if column == "updated_at", case .integer(let milliseconds) = value { shape.modifiedAt = milliseconds }
        shape.fields.append(SourceField(column, value))
      }
      return shape
    }
  }

  // MARK: The frame of the file

  private static func checkVersion(_ header: [String: JSONValue]) throws {
    guard case .integer(let version)? = header["holdfast_export"], version >= 1 else { throw invalid("expected an export's first line", 0) }
    guard version == 1 else {
      throw StoreError(.newerSource, "this export has version \(version), and 1 is the newest that can be read; nothing was changed")
    }
  }

  private static func checkSchemas(_ header: [String: JSONValue], _ held: [(name: String, version: Int)]) throws {
    guard case .object(let versions)? = header["schemas"] else { throw invalid("the first line lacks \"schemas\"", 0) }
    for (name, version) in versions.sorted(by: { $0.key < $1.key }) {
      guard let schema = held.first(where: { $0.name == name }) else {
        throw StoreError(.wrongKind, "this export holds \(name), not \(held.map(\.name).joined(separator: ", "))")
      }
      guard case .integer(let number) = version else { throw invalid("the version of \(name) is not a whole number", 0) }
      guard number <= schema.version else {
        throw StoreError(.newerSource, "this export was written by a newer version of \(name); nothing was changed")
      }
    }
  }

  /// The tables in the header, checked against the declared ones.
  private static func outlines(_ header: [String: JSONValue], _ declared: [TableOutline]) throws -> [String: TableOutline] {
    guard case .array(let list)? = header["tables"] else { throw invalid("the first line lacks \"tables\"", 0) }
    var found: [String: TableOutline] = [:]
    for entry in list {
      guard case .object(let table) = entry, case .string(let name)? = table["name"], case .array(let columns)? = table["columns"] else {
        throw invalid("a table in the first line lacks its name or columns", 0)
      }
      let names = columns.compactMap { if case .string(let column) = $0 { column } else { nil } }
      guard var outline = declared.first(where: { $0.name == name }), Set(names).isSubset(of: outline.columns),
        Set(outline.key).isSubset(of: names)
      else { throw invalid("the table \(name) is not one of this library, or has other columns", 0) }
      // An older export may lack columns, or have them in another order.
      outline.columns = names
      found[name] = outline
    }
    return found
  }

  /// The offset of the last line, and the rows of each table. That line must equal, byte by byte, the last line of an export of everything
  /// before it.
  private static func checkedEnd(
    _ document: JSONDocument, _ header: [String: JSONValue], from rows: JSONScanner
  ) throws -> (offset: Int, rows: [String: Int]) {
    var counts: [String: Int] = [:]
    for name in names(header) { counts[name] = 0 }
    var scanner = rows
    var last: JSONScanner?
    while try scanner.peek() == .object {
      last = scanner
      try scanner.object { key, value in
        if key == "table" { counts[try value.string(), default: 0] += 1 }
      }
    }
    guard let last else { throw invalid("the last line is missing: the export is not whole", document.count) }
    let start = last.offset
    let expected = lastLine(counts: counts, sha256: SHA256Hex.of(document.bytes(0..<start))).canonicalText() + "\n"
    let found = document.bytes(start..<document.count)
    guard found.starts(with: Array("{\"end\":".utf8)) else {
      throw invalid("the last line is missing: the export is not whole", document.count)
    }
    guard found == Array(expected.utf8) else {
      throw invalid("the last line does not match the lines before it: the export was changed after it was written", start)
    }
    return (start, counts)
  }

  static func lastLine(counts: [String: Int], sha256: String) -> JSONValue {
    let rows = counts.mapValues { JSONValue.integer(Int64($0)) }
    return .object(["end": .bool(true), "rows": .object(rows), "sha256": .string(sha256)])
  }

  private static func names(_ header: [String: JSONValue]) -> [String] {
    guard case .array(let list)? = header["tables"] else { return [] }
    return list.compactMap { if case .object(let table) = $0, case .string(let name)? = table["name"] { name } else { nil } }
  }

  private static func invalid(_ reason: String, _ offset: Int) -> StoreError {
    StoreError(.invalidSource, "this export cannot be read, at byte \(offset): \(reason)", offset: offset)
  }
}

extension SourceRecord<PortableImport.Row> {
  /// A text of the row; nil when the column holds another value or is missing. Setting nil, or a missing column, changes nothing.
  public subscript(text column: String) -> String? {
    get {
      guard let place = content.table.columns.firstIndex(of: column), case .text(let text) = content.values[place] else { return nil }
      return text
    }
    set {
      guard let newValue, let place = content.table.columns.firstIndex(of: column) else { return }
      content.values[place] = .text(newValue)
      fields[place] = SourceField(column, .string(newValue))
    }
  }
}

extension JSONValue {
  /// A text as it is, and any other value as JSON.
  var plainText: String {
    if case .string(let text) = self { text } else { canonicalText() }
  }
}
