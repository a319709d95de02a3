public import Holdfast

/// One field of a record as one form of a source has it: its name there, the property it goes into, the form of its value, and what it
/// means when the source does not have it.
///
/// ```swift
/// static let fields: FieldTable<Book> = [
///   .required("id", \.id, .id),
///   .optional("finished", \.finishedAt, .iso8601),
///   .kept("playCount", \.playCount, .int),
/// ]
/// ```
public struct RecordField<Row: Sendable>: Sendable {
  /// What a record says that does not have the field, or has null in it.
  public enum Absence: Sendable {
    /// It cannot be imported: it goes into quarantine.
    case fails
    /// It says nothing of the field: a stored row keeps what it has, and a new row has what the importer's blank row has.
    case keeps
    /// It says that there is none.
    case empties
    /// With null it says that there is none; without the field it says nothing of it.
    case keepsUnlessNull
  }

  /// What makes a field, shared by its copies: tables are walked through for each record.
  @usableFromInline
  final class Parts: Sendable {
    @usableFromInline let name: String
    /// The name as columns are compared.
    @usableFromInline let plainName: String
    @usableFromInline let absence: Absence
    /// The object without which the field need not be there: `required(in:)`.
    @usableFromInline let object: String?
    /// Whether a value of a wrong kind sends the record into quarantine; otherwise it costs the field alone.
    @usableFromInline let failsIfWrong: Bool
    @usableFromInline let what: String
    /// The stored value in the source's form; the second argument is what the source said.
    @usableFromInline let get: @Sendable (Row, JSONValue) -> JSONValue
    /// Puts what the source has into the row, and returns what `get` must give back; nil, with the row as it was, for a value of a wrong kind.
    @usableFromInline let take: @Sendable (JSONValue, inout Row) -> JSONValue?
    let copied: @Sendable (Row, inout Row) -> Void

    init(
      _ name: String, _ absence: Absence, _ object: String?, failsIfWrong: Bool, _ what: String,
      get: @escaping @Sendable (Row, JSONValue) -> JSONValue,
      take: @escaping @Sendable (JSONValue, inout Row) -> JSONValue?, copied: @escaping @Sendable (Row, inout Row) -> Void
    ) {
      (self.name, self.absence, self.object, self.failsIfWrong, self.what) = (name, absence, object, failsIfWrong, what)
      (self.get, self.take, self.copied) = (get, take, copied)
      plainName = SourceMembers.plain(name)
    }
  }

  @usableFromInline let parts: Parts

  /// As the source spells it. A point leads into an object: `routing.policy`.
  public var name: String { parts.name }
  /// What a record without it says.
  public var absence: Absence { parts.absence }

  /// - Parameters:
  ///   - name: as the source spells it; a point leads into an object.
  ///   - absence: what a record without it says.
  @inlinable
  public init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable, _ form: ValueForm<Value>, _ absence: Absence
  ) {
    self.init(
      name, form.what, absence, getAs: { form.write($0[keyPath: path], $1) },
      take: { json, row in
        guard let written = form.read(json) else { return nil }
        row[keyPath: path] = written.value
        return written.text
      }, copied: { $1[keyPath: path] = $0[keyPath: path] })
  }

  @usableFromInline
  init(
    _ name: String, _ what: String, _ absence: Absence, getAs get: @escaping @Sendable (Row, JSONValue) -> JSONValue,
    take: @escaping @Sendable (JSONValue, inout Row) -> JSONValue?, copied: @escaping @Sendable (Row, inout Row) -> Void
  ) {
    parts = Parts(name, absence, nil, failsIfWrong: absence == .fails, what, get: get, take: take, copied: copied)
  }

  /// A field that is no property of its own, such as one that is inferred from others where the source does not say it.
  ///
  /// - Parameters:
  ///   - what: for people: `true or false`.
  ///   - get: the stored value in the source's form.
  ///   - take: puts what the source has into the row, and returns what `get` must give back; nil, with the row as it was, for a value of a
  ///     wrong kind. It must take what `get` gives.
  public init(
    _ name: String, _ what: String, _ absence: Absence, get: @escaping @Sendable (Row) -> JSONValue,
    take: @escaping @Sendable (JSONValue, inout Row) -> JSONValue?
  ) {
    self.init(name, what, absence, getAs: { row, _ in get(row) }, take: take, copied: { _ = take(get($0), &$1) })
  }

  /// A field without which, or with null in it, a record goes into quarantine.
  @inlinable
  public static func required<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable, _ form: ValueForm<Value>
  ) -> RecordField {
    RecordField(name, path, form, .fails)
  }

  /// A field that may hold nothing: a record without it, or with null in it, says that there is none.
  @inlinable
  public static func optional<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value?> & Sendable, _ form: ValueForm<Value>, _ absence: Absence = .empties
  ) -> RecordField {
    RecordField(name, path, form.orNil, absence)
  }

  /// A field of which a record says nothing that does not have it, or has null in it: a stored row keeps what it has.
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
      get: parts.get, take: parts.take, copied: parts.copied)
  }

  /// What a row has, in the source's form.
  public func value(of row: Row) -> JSONValue { parts.get(row, .null) }

  /// Puts what the first row has into the second.
  public func copy(from row: Row, to other: inout Row) { parts.copied(row, &other) }

  /// The same field of a source that spells it in another way.
  public func named(_ name: String) -> RecordField { RecordField(self, name: name) }

  /// The same field, which must be there in a record that has this object, and only there.
  public func required(in object: String) -> RecordField {
    RecordField(self, object: object, failsIfWrong: true)
  }

  /// The same field, of which a value of a wrong kind sends the record into quarantine, or costs the field alone. By default only that of a
  /// field does that must be there. One that must be there, and need not be right, may also be null.
  public func ifWrong(fails: Bool) -> RecordField { RecordField(self, failsIfWrong: fails) }
}

/// What a source says of one record: a row, and which of the table's fields the source has said.
public struct SaidRow<Row: Sendable>: Sendable {
  /// With the importer's own values where the source says nothing.
  public var row: Row
  /// What the source says, in the order of the table; null where it says nothing, or that there is none.
  public let fields: [SourceField]
  /// For each field of the table, whether the source says it.
  @usableFromInline let carries: [Bool]

  @usableFromInline
  init(row: Row, fields: [SourceField], carries: [Bool]) { (self.row, self.fields, self.carries) = (row, fields, carries) }
}

/// The fields of one kind of record in one form of a source. Reading, merging, verification, export and a remote API's wire all loop over it.
///
/// A field that is computed from others stands behind them.
public struct FieldTable<Row: Sendable>: Sendable, ExpressibleByArrayLiteral {
  /// In the order in which they are read.
  public let fields: [RecordField<Row>]

  /// A table of these fields.
  public init(_ fields: [RecordField<Row>]) { self.fields = fields }
  /// A table that is written out.
  public init(arrayLiteral fields: RecordField<Row>...) { self.init(fields) }

  /// The same table without the fields of these names.
  public func without(_ names: Set<String>) -> FieldTable { FieldTable(fields.filter { !names.contains($0.name) }) }

  /// A row of which the source says these fields; by default all.
  public func said(_ row: Row, only names: Set<String>? = nil) -> SaidRow<Row> {
    let carries = fields.map { names?.contains($0.name) ?? true }
    let said = zip(fields, carries).map { SourceField($0.name, $1 ? $0.value(of: row) : .null) }
    return SaidRow(row: row, fields: said, carries: carries)
  }

  /// The fields for which the source has a value.
  public func fields(of said: SaidRow<Row>) -> [RecordField<Row>] {
    zip(fields, said.fields).compactMap { $1.value != .null ? $0 : nil }
  }

  /// The stored row with what the source says in the place of what it had.
  public func merged(_ said: SaidRow<Row>, into stored: Row) -> Row {
    var row = stored
    for (field, isSaid) in zip(fields, said.carries) where isSaid { field.copy(from: said.row, to: &row) }
    return row
  }

  /// What the store has for the fields that the source says, in the source's form: verification compares it with `said.fields`. Null for
  /// what the source does not say, whatever the store has for it.
  @inlinable
  public func shape(of stored: Row, as said: SaidRow<Row>) -> [SourceField] {
    var shape: [SourceField] = []
    shape.reserveCapacity(fields.count)
    // A row that another table said has another number of fields: the shapes then differ, and verification fails.
    for (field, (isSaid, written)) in zip(fields, zip(said.carries, said.fields)) {
      let parts = field.parts
      shape.append(SourceField(parts.name, isSaid ? parts.get(stored, written.value) : .null))
    }
    return shape
  }

  /// A row as an object of the source: names with a point become objects within it, and what is null is left out.
  ///
  /// - Parameter absent: by name, what stands where the row has nothing. Default: nothing.
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
  /// Sets a member of an object within an object, and makes those that are not there.
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
