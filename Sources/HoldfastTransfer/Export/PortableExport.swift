public import Foundation
public import Holdfast

// The documented export, version 1: UTF-8 text, one JSON document per line.
//
//   {"exported_at":"…Z","holdfast_export":1,"schemas":{"audiobooks":1},"tables":[{"columns":[…],"key":[…],"name":"…"},…]}
//   {"row":[…],"table":"collections"}          one line per row; values in the order of the table's columns
//   {"end":true,"rows":{"collections":2,…},"sha256":"…"}
//
// Each line ends with one newline, and has white space only in texts. Members are in the order of their names. Parent tables come before
// their children, rows in the order of their keys. Integers have neither a decimal point nor an exponent; reals have one or both; bytes are
// {"base64":"…"}. `rows` has the number of rows of every table, empty tables included. The checksum covers all bytes before the last line.
// Rowids without a name, the kit's own tables, full-text indexes and the tables in a schema's `neverExported` are not exported; a file with such a table
// is refused. One of the kit's own tables is exported when it has rows: `holdfast_quarantine`, which comes last. A table of an unknown
// library may lack a key (`"key":[]`): its rows come as they are stored.

extension Store {
  /// Exports all data of the schemas at one commit, except their `neverExported` tables. Importing the file restores equal data.
  ///
  /// Two exports of an unchanged store have the same bytes except for `exported_at`. An existing file is replaced at the end, or stays
  /// unchanged.
  /// - Throws: `.misuse` for the store's own file; `.newerSchema` for a store of a newer version, which is open read-only; `.invalidValue`
  ///   with table and column for a number that JSON cannot hold; `.diskFull`, `.cannotCreate`, `.permissionDenied`, `.inputOutput`.
  public func export(to url: URL) throws -> ExportReport {
    let written = try ExportFile.replace(url, from: self) { file in try read { reader in try write(into: &file, reader) } }
    return ExportReport(format: "holdfast", path: written.url.path, bytes: written.bytes, sha256: written.sha256, counts: written.result)
  }

  /// Exports all tables of the file, of any library, for a store that was opened without a schema. Tables without a key are included;
  /// tables that the file declares as never exported are not. Virtual tables with content of their own are left out, and so are the numbers
  /// of rows (`INTEGER PRIMARY KEY`) beside another key, if the file tells that no record reads them and no table refers to them.
  ///
  /// The app imports it as its own export, if it has a key in each table; `holdfast import` brings it into a store that the app has made.
  public func exportTables(to url: URL) throws -> ExportReport {
    let written = try ExportFile.replace(url, from: self) { file in
      try read { reader in (try write(into: &file, reader, isWhole: true), try Self.virtualTables(in: reader)) }
    }
    return ExportReport(
      format: "holdfast", path: written.url.path, bytes: written.bytes, sha256: written.sha256, counts: written.result.0,
      leftOut: written.result.1)
  }

  /// Without the indexes of other tables' content, which come back with it.
  private static func virtualTables(in reader: Reader) throws -> [ExportReport.LeftOut] {
    let description = try reader.description()
    let names = try reader.values(
      """
      SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL TABLE%'
        AND replace(lower(sql), ' ', '') NOT LIKE '%content=%' ORDER BY name
      """
    ) { try $0.text() }
    return names.filter { !description.isNeverExported($0) }.map {
      .init(kind: $0, id: "all rows", reason: "the table is virtual, and an export has ordinary tables")
    }
  }

  private func write(into file: inout ExportFile, _ reader: Reader, isWhole: Bool = false) throws -> [String: Int] {
    if let newer = try newerSchema(in: reader) {
      throw StoreError(
        .newerSchema, "\(path) holds \(newer) of a newer version, which this version cannot fully export", recoveryOptions: [.updateApp]
      )
    }
    var tables = try TableOutline.all(of: isWhole ? nil : schemas, in: reader)
    var versions = schemas.map { ($0.name, JSONValue.integer(Int64($0.version))) }
    if isWhole {
      versions = try reader.values("SELECT name, version FROM holdfast_schemas WHERE name <> 'holdfast'") { row in
        (try row.text(), .integer(try row.int64()))
      }
    }
    if try reader.count("SELECT count(*) FROM holdfast_quarantine") > 0 { tables += try TableOutline.quarantine(in: reader) }
    let now = DateCodec.milliseconds(DateCodec.rounded(options.now())) ?? 0
    try file.line(
      .object([
        "holdfast_export": .integer(1), "exported_at": .string(DateCodec.iso8601(now, fraction: true)),
        "schemas": .object(Dictionary(versions, uniquingKeysWith: { first, _ in first })),
        "tables": .array(
          tables.map { table in
            .object([
              "name": .string(table.name), "columns": .array(table.columns.map(JSONValue.string)),
              "key": .array(table.key.map(JSONValue.string)),
            ])
          }),
      ]))
    var counts: [String: Int] = [:]
    for table in tables {
      var count = 0
      let (names, order) = (BoundSQL.names(table.columns), BoundSQL.names(table.order))
      try reader.rows("SELECT \(sql: names) FROM \(sql: .names([table.name])) ORDER BY \(sql: order)", of: table.name) { row in
        var values: [JSONValue] = []
        for column in table.columns {
          guard let value = JSONValue(try row.value()) else {
            throw StoreError(.invalidValue, "\(table.name).\(column) holds a number that is not finite, which JSON cannot hold")
          }
          values.append(value)
        }
        try file.line(.object(["table": .string(table.name), "row": .array(values)]))
        count += 1
      }
      counts[table.name] = count
    }
    try file.line(PortableImport.lastLine(counts: counts, sha256: file.hashSoFar()))
    return counts
  }
}

extension JSONValue {
  /// Nil for a number that is not finite.
  init?(_ value: SQLValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .real(let number):
      guard number.isFinite else { return nil }
      self = .double(number)
    case .text(let text): self = .string(text)
    case .blob(let data): self = .object(["base64": .string(data.base64EncodedString())])
    }
  }

  /// Nil for JSON that no column can hold.
  var sqlValue: SQLValue? {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .double(let number): .real(number)
    case .string(let text): .text(text)
    case .object(let members):
      if members.count == 1, case .string(let text)? = members["base64"], let data = Data(base64Encoded: text) { .blob(data) } else { nil }
    case .bool, .array: nil
    }
  }
}
