import Foundation
import Holdfast

/// A kind of record as its children see it.
struct KindPlace: Sendable {
  let name: String
  let table: String
  let key: [String]
}

/// Derives a kind from a record type, and makes its records of what a source says: the key is that of the type, and what it belongs to is what
/// the store's own foreign keys name. Not `Sendable`: one for each scan.
final class RecordMaker<Row: StoredRecord> {
  /// The values of a new record for the fields that a source does not give.
  let blank: Row
  private let kind: RecordKind<Row>
  private let bench: RecordBench<Row>
  /// The places of the key's columns, and for each the fields that give it.
  private let key: [(column: Int, fields: [Int])]
  /// The columns that name a record without which this one cannot be.
  private var references: [(kind: String, column: Int)] = []
  /// The column that names another record of this kind.
  private var own: Int?
  private var tree = TreeOrder<SaidContent>()

  /// - Throws: `.misuse` when a part of the key comes from no field: each record would get the blank one's. Also when there is no blank record.
  init(
    _ name: String, _ fields: FieldTable<Row>, blank: Row?, modifiedAt: @escaping @Sendable (Row) -> Date?,
    save: @escaping @Sendable (Row, Writer) throws -> Void
  ) throws {
    // Each record comes with its key, which takes a statement to find out.
    kind = RecordKind(
      name, table: Row.table, fields, key: { _ in "" }, modifiedAt: modifiedAt, find: { try $1.find(Row.self, key: $0.key) },
      save: { row, _, tx in try save(row, tx) })
    (self.blank, bench) = (try blank ?? Self.blank(name), try RecordBench())
    key = try Self.key(kind, self.blank, bench)
  }

  private static func blank(_ name: String) throws -> Row {
    func make<Derived: StoredRecord & Codable>(_ type: Derived.Type) throws -> Any { try type.blank() }
    if let derived = Row.self as? any (StoredRecord & Codable).Type, let made = try make(derived) as? Row { return made }
    throw StoreError(.misuse, "\(name): \(Row.self) is not Codable, so it needs `blank`")
  }

  /// The foreign keys of the store that lead to one of `kinds`, where the column may not be NULL: else the record can be without the other one.
  /// One of several columns is left to the store.
  func findReferences(among kinds: [KindPlace], in reader: Reader) throws {
    guard let table = try reader.tables(named: Row.table).first else { return }
    for reference in table.references {
      guard reference.from.count == 1, let kind = kinds.first(where: { $0.table.isSameName(as: reference.parent) }), kind.key.count == 1,
        reference.to.allSatisfy({ $0.isSameName(as: kind.key[0]) }),
        let column = Row.columns.firstIndex(where: { $0.isSameName(as: reference.from[0]) })
      else { continue }
      if table.columns.contains(where: { $0.isNotNull && $0.name.isSameName(as: reference.from[0]) }) {
        references.append((kind.name, column))
      }
      if table.name.isSameName(as: reference.parent) { own = column }
    }
  }

  /// Ends a record, and passes it on: saved is the stored row with the fields that the source has, or a new row.
  func finish(
    _ members: inout SourceMembers, _ said: SaidRow<Row>, path: SourcePath, original: SourceBytes, at position: Int,
    _ visit: (Scanned<SaidContent>, Int) throws -> Void
  ) throws {
    var values: [SQLValue] = []
    if key.allSatisfy({ $0.fields.contains { said.carries[$0] } }) {
      do {
        values = try bench.values(of: said.row)
      } catch let error as StoreError where error.code == .invalidValue {
        members.fail(error.message)
      }
    }
    let keys = values.isEmpty ? [] : key.map { values[$0.column] }
    let text = Self.text(keys)
    if text == nil { members.fail("\(missing(said)) is missing") }
    guard try members.finish(kind: kind.name, key: text, path: path, original: original, at: position, visit), let text else { return }
    var said = said
    said.key = keys
    var record = kind.record(said, path: path, original: original)
    record.key = text
    record.references = references.compactMap { reference in
      Self.text([values[reference.column]]).map { .init(kind: reference.kind, key: $0) }
    }
    guard let own else { return try visit(.record(record), position) }
    try tree.take(record, above: Self.text([values[own]]).map { [$0] } ?? [], at: position, visit)
  }

  /// Passes on the records that wait for one that did not come.
  func end(_ visit: (Scanned<SaidContent>, Int) throws -> Void) throws { try tree.end(visit) }

  /// The first field that should give a part of the key.
  private func missing(_ said: SaidRow<Row>) -> String {
    let part = key.first { !$0.fields.contains { said.carries[$0] } } ?? key.first
    return part?.fields.first.map { kind.fields.fields[$0].name } ?? "the id"
  }

  /// A key as the ledger has it: one value as it is, several as a list. Nil where one is NULL.
  private static func text(_ values: [SQLValue]) -> String? {
    let parts = values.map { value -> JSONValue? in
      switch value {
      case .text(let text): .string(text)
      case .integer(let number): .integer(number)
      case .real(let number): .double(number)
      case .blob(let bytes): .string(bytes.base64EncodedString())
      case .null: nil
      }
    }
    let known = parts.compactMap(\.self)
    guard known.count == parts.count, let first = known.first else { return nil }
    if parts.count > 1 { return JSONValue.array(known).canonicalText() }
    return first.plainText
  }

  /// Finds the fields that give the parts of the key, by a record that differs from the blank one in that part only.
  private static func key(
    _ kind: RecordKind<Row>, _ blank: Row, _ bench: RecordBench<Row>
  ) throws -> [(column: Int, fields: [Int])] {
    let values = try bench.values(of: blank)
    let named = Row.key.compactMap(Row.columns.firstIndex(of:))
    guard named.count == Row.key.count, !named.isEmpty else {
      throw StoreError(.misuse, "the columns of \(Row.self) lack a part of its key: \(Row.key.joined(separator: ", "))")
    }
    return try named.map { column in
      let other = others(of: values[column]).lazy.compactMap { value -> Row? in
        var changed = values
        changed[column] = value
        return try? bench.record(of: changed)
      }.first
      // A type that takes few values, such as an enum: any field may give it.
      guard let other else { return (column, Array(kind.fields.fields.indices)) }
      let fields = try kind.fields.fields.indices.filter { index in
        var copy = blank
        kind.fields.fields[index].copy(from: other, to: &copy)
        return try bench.values(of: copy)[column] != values[column]
      }
      guard !fields.isEmpty else {
        throw StoreError(
          .misuse, "\(kind.name): no field gives \(Row.columns[column]), a part of the key of \(Row.self)",
          suggestion: "Add a field for it. The fields are \(kind.fields.fields.map(\.name).joined(separator: ", ")).")
      }
      return (column, fields)
    }
  }

  private static func others(of value: SQLValue) -> [SQLValue] {
    let id = SQLValue.id(NewID.derived(from: "\(value)"))
    switch value {
    case .text(let text): return [id, .text(text + "x")]
    case .integer(let number): return [.integer(number ^ 1)]
    case .real(let number): return [.real(number == 1 ? 2 : 1)]
    case .blob(let bytes): return [.blob(bytes + [1])]
    case .null: return [.integer(1), id, .text("x"), .blob(Data([1]))]
    }
  }
}
