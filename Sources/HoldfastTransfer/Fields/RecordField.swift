public import Holdfast

/// One field of a record in one form of a source: its name there, the property for its value, the form of the value, and the meaning of a
/// missing field.
///
/// ```swift
/// static let fields: FieldTable<Book> = [
///   .required("id", \.id, .id),
///   .optional("finished", \.finishedAt, .iso8601),
///   .kept("playCount", \.playCount, .int),
/// ]
/// ```
public struct RecordField<Row: Sendable>: Sendable {
  /// The meaning of a record without the field, or with null in it.
  public enum Absence: Sendable {
    /// The record cannot be imported and goes into quarantine.
    case fails
    /// The source does not give the field: a stored row keeps its value, and a new row has the value of the importer's blank row.
    case keeps
    /// The value is nil.
    case empties
    /// Null means nil. A missing field means that the source does not give it.
    case keepsUnlessNull
  }

  /// The parts of a field, shared by its copies, because every record loops over its table's fields.
  @usableFromInline
  final class Parts: Sendable {
    @usableFromInline let name: String
    /// The name in the form in which columns are compared.
    @usableFromInline let plainName: String
    @usableFromInline let absence: Absence
    /// The object that requires the field: a record without this object need not have it. See `required(in:)`.
    @usableFromInline let object: String?
    /// Whether a value of a wrong kind sends the record into quarantine. Otherwise only the field is left out.
    @usableFromInline let failsIfWrong: Bool
    @usableFromInline let what: String
    /// What a database's column holds.
    @usableFromInline let column: ColumnForm
    /// The stored value in the source's form; the second argument is the source's value.
    @usableFromInline let get: @Sendable (Row, JSONValue) -> JSONValue
    /// Puts the source's value into the row; returns the value that `get` must return then. Nil, and the row unchanged, for a wrong kind.
    @usableFromInline let take: @Sendable (JSONValue, inout Row) -> JSONValue?
    let copied: @Sendable (Row, inout Row) -> Void

    init(
      _ name: String, _ absence: Absence, _ object: String?, failsIfWrong: Bool, _ what: String, _ column: ColumnForm,
      get: @escaping @Sendable (Row, JSONValue) -> JSONValue,
      take: @escaping @Sendable (JSONValue, inout Row) -> JSONValue?, copied: @escaping @Sendable (Row, inout Row) -> Void
    ) {
      (self.name, self.absence, self.object, self.failsIfWrong, self.what) = (name, absence, object, failsIfWrong, what)
      (self.column, self.get, self.take, self.copied) = (column, get, take, copied)
      plainName = SourceMembers.plain(name)
    }
  }

  @usableFromInline let parts: Parts

  /// The name in the source. A point leads into an object: `routing.policy`.
  public var name: String { parts.name }

  /// - Parameters:
  ///   - name: the name in the source; a point leads into an object.
  ///   - absence: the meaning of a record without the field.
  @inlinable
  public init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable, _ form: ValueForm<Value>, _ absence: Absence
  ) {
    self.init(
      name, form.what, form.column, absence, getAs: { form.write($0[keyPath: path], $1) },
      take: { json, row in
        guard let written = form.read(json) else { return nil }
        row[keyPath: path] = written.value
        return written.text
      }, copied: { $1[keyPath: path] = $0[keyPath: path] })
  }

  @usableFromInline
  init(
    _ name: String, _ what: String, _ column: ColumnForm, _ absence: Absence, getAs get: @escaping @Sendable (Row, JSONValue) -> JSONValue,
    take: @escaping @Sendable (JSONValue, inout Row) -> JSONValue?, copied: @escaping @Sendable (Row, inout Row) -> Void
  ) {
    parts = Parts(name, absence, nil, failsIfWrong: absence == .fails, what, column, get: get, take: take, copied: copied)
  }

  /// Makes a field without a property of its own, for example one that is inferred from other fields where the source does not give it.
  ///
  /// - Parameters:
  ///   - what: the kind of value, for people: `true or false`.
  ///   - get: the stored value in the source's form.
  ///   - take: puts the source's value into the row, and returns what `get` must return then. For a value of a wrong kind, returns nil and
  ///     leaves the row unchanged. It must accept the values of `get`.
  public init(
    _ name: String, _ what: String, _ absence: Absence, get: @escaping @Sendable (Row) -> JSONValue,
    take: @escaping @Sendable (JSONValue, inout Row) -> JSONValue?
  ) {
    self.init(name, what, .plain, absence, getAs: { row, _ in get(row) }, take: take, copied: { _ = take(get($0), &$1) })
  }

  /// A required field: a record without it, or with null in it, goes into quarantine.
  @inlinable
  public static func required<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable, _ form: ValueForm<Value>
  ) -> RecordField {
    RecordField(name, path, form, .fails)
  }

  /// A field that may be nil: a missing field and null mean nil.
  @inlinable
  public static func optional<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value?> & Sendable, _ form: ValueForm<Value>, _ absence: Absence = .empties
  ) -> RecordField {
    RecordField(name, path, form.orNil, absence)
  }

  /// A field that a source may leave out: when it is missing or null, a stored row keeps its value.
  @inlinable
  public static func kept<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable, _ form: ValueForm<Value>
  ) -> RecordField {
    RecordField(name, path, form, .keeps)
  }

  private init(_ field: RecordField, name: String? = nil, object: String? = nil, failsIfWrong: Bool? = nil) {
    let parts = field.parts
    self.parts = Parts(
      name ?? parts.name, parts.absence, object ?? parts.object, failsIfWrong: failsIfWrong ?? parts.failsIfWrong, parts.what,
      parts.column,
      get: parts.get, take: parts.take, copied: parts.copied)
  }

  /// The row's value, in the source's form.
  public func value(of row: Row) -> JSONValue { parts.get(row, .null) }

  /// Copies the field from one row to another.
  public func copy(from row: Row, to other: inout Row) { parts.copied(row, &other) }

  /// The same field for a source with another name for it.
  public func named(_ name: String) -> RecordField { RecordField(self, name: name) }

  /// The same field, required only in records that have this object.
  public func required(in object: String) -> RecordField {
    RecordField(self, object: object, failsIfWrong: true)
  }

  /// The same field, where a value of a wrong kind sends the record into quarantine, or only the field is left out. By default only a
  /// required field sends the record into quarantine. A required field with `fails: false` may also be null.
  public func ifWrong(fails: Bool) -> RecordField { RecordField(self, failsIfWrong: fails) }
}

/// One record of a source: a row, and which of the table's fields the source gives.
public struct SaidRow<Row: Sendable>: Sendable {
  /// The row, with the importer's own values for fields that the source does not give.
  public var row: Row
  /// The source's values, in the order of the table; null where the source gives no value or says that there is none.
  public var fields: [SourceField]
  /// For each field of the table, whether the source gives it.
  @usableFromInline let carries: [Bool]
  /// The values of the row's key, where `RecordMaker` found them out; otherwise empty.
  var key: [SQLValue] = []

  @usableFromInline
  init(row: Row, fields: [SourceField], carries: [Bool]) { (self.row, self.fields, self.carries) = (row, fields, carries) }
}

/// The fields of one kind of record in one form of a source. Reading, merging, verification, export and a remote API all loop over it.
///
/// A field that is computed from other fields must come after them.
public struct FieldTable<Row: Sendable>: Sendable, ExpressibleByArrayLiteral {
  /// The fields, in the order of reading.
  public let fields: [RecordField<Row>]

  /// Makes a table of these fields.
  public init(_ fields: [RecordField<Row>]) { self.fields = fields }
  /// Makes a table from a literal.
  public init(arrayLiteral fields: RecordField<Row>...) { self.init(fields) }

  /// The same table without the fields with these names.
  public func without(_ names: Set<String>) -> FieldTable { FieldTable(fields.filter { !names.contains($0.name) }) }

  /// A row as if a source gave these fields; by default all of them.
  public func said(_ row: Row, only names: Set<String>? = nil) -> SaidRow<Row> {
    let carries = fields.map { names?.contains($0.name) ?? true }
    let said = zip(fields, carries).map { SourceField($0.name, $1 ? $0.value(of: row) : .null) }
    return SaidRow(row: row, fields: said, carries: carries)
  }

  /// The fields for which the source has a value.
  public func fields(of said: SaidRow<Row>) -> [RecordField<Row>] {
    zip(fields, said.fields).compactMap { $1.value != .null ? $0 : nil }
  }

  /// The stored row with the source's values in the fields that the source gives.
  public func merged(_ said: SaidRow<Row>, into stored: Row) -> Row {
    var row = stored
    for (field, isSaid) in zip(fields, said.carries) where isSaid { field.copy(from: said.row, to: &row) }
    return row
  }

  /// The stored values of the fields that the source gives, in the source's form; verification compares them with `said.fields`. Null for
  /// the other fields.
  @inlinable
  public func shape(of stored: Row, as said: SaidRow<Row>) -> [SourceField] {
    var shape: [SourceField] = []
    shape.reserveCapacity(fields.count)
    // A row that was read with another table has another number of fields. The shapes then differ, and verification fails.
    for (field, (isSaid, written)) in zip(fields, zip(said.carries, said.fields)) {
      let parts = field.parts
      shape.append(SourceField(parts.name, isSaid ? parts.get(stored, written.value) : .null))
    }
    return shape
  }

  /// A row as an object of the source. A name with a point becomes an object in the object. Null values are left out.
  ///
  /// - Parameter absent: by name, values for fields that are null in the row. Default: none.
  public func object(of row: Row, absent: [String: JSONValue] = [:]) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    for field in fields {
      var value = field.value(of: row)
      if value == .null { value = absent[field.name] ?? .null }
      guard value != .null else { continue }
      if field.name.utf8.contains(UInt8(ascii: ".")) {
        members.put(value, at: field.name.split(separator: ".").map(String.init)[...])
      } else {
        members[field.name] = value
      }
    }
    return members
  }
}

extension [String: JSONValue] {
  /// Sets a member of a nested object, and makes the missing objects.
  public mutating func put(_ value: JSONValue, at path: ArraySlice<String>) {
    guard let name = path.first else { return }
    guard path.count > 1 else {
      self[name] = value
      return
    }
    var inner: [String: JSONValue] = [:]
    if case .object(let members)? = self[name] { inner = members }
    inner.put(value, at: path.dropFirst())
    self[name] = .object(inner)
  }
}
