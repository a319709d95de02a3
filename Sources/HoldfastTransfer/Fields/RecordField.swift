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

  /// As the source spells it. A point leads into an object: `routing.policy`.
  public let name: String
  /// The name as columns are compared.
  let plainName: String
  /// What a record without it says.
  public let absence: Absence
  /// The object without which the field need not be there: `required(in:)`.
  let object: String?
  let what: String
  /// The stored value in the source's form; the second argument is what the source said.
  let get: @Sendable (Row, JSONValue) -> JSONValue
  /// Puts what the source has into the row, and returns what `get` must give back; nil, with the row as it was, for a value of a wrong kind.
  let take: @Sendable (JSONValue, inout Row) -> JSONValue?
  private let copied: @Sendable (Row, inout Row) -> Void

  /// - Parameters:
  ///   - name: as the source spells it; a point leads into an object.
  ///   - absence: what a record without it says.
  public init<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable, _ form: ValueForm<Value>, _ absence: Absence
  ) {
    self.name = name
    plainName = SourceMembers.plain(name)
    self.absence = absence
    object = nil
    what = form.what
    get = { form.write($0[keyPath: path], $1) }
    take = { json, row in
      guard let written = form.read(json) else { return nil }
      row[keyPath: path] = written.value
      return written.text
    }
    copied = { $1[keyPath: path] = $0[keyPath: path] }
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
    (self.name, plainName) = (name, SourceMembers.plain(name))
    (self.absence, self.what, self.take, object) = (absence, what, take, nil)
    self.get = { row, _ in get(row) }
    copied = { _ = take(get($0), &$1) }
  }

  /// A field without which, or with null in it, a record goes into quarantine.
  public static func required<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable, _ form: ValueForm<Value>
  ) -> RecordField {
    RecordField(name, path, form, .fails)
  }

  /// A field that may hold nothing: a record without it, or with null in it, says that there is none.
  public static func optional<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value?> & Sendable, _ form: ValueForm<Value>, _ absence: Absence = .empties
  ) -> RecordField {
    RecordField(name, path, form.orNil, absence)
  }

  /// A field of which a record says nothing that does not have it, or has null in it: a stored row keeps what it has.
  public static func kept<Value: Sendable>(
    _ name: String, _ path: any WritableKeyPath<Row, Value> & Sendable, _ form: ValueForm<Value>
  ) -> RecordField {
    RecordField(name, path, form, .keeps)
  }

  private init(_ field: RecordField, name: String? = nil, object: String? = nil) {
    self.name = name ?? field.name
    plainName = SourceMembers.plain(self.name)
    self.object = object ?? field.object
    (absence, what, get, take, copied) = (field.absence, field.what, field.get, field.take, field.copied)
  }

  /// What a row has, in the source's form.
  public func value(of row: Row) -> JSONValue { get(row, .null) }

  /// Puts what the first row has into the second.
  public func copy(from row: Row, to other: inout Row) { copied(row, &other) }

  /// The same field of a source that spells it in another way.
  public func named(_ name: String) -> RecordField { RecordField(self, name: name) }

  /// The same field, which must be there in a record that has this object, and only there.
  public func required(in object: String) -> RecordField { RecordField(self, object: object) }
}

/// What a source says of one record: a row, and which of the table's fields the source has said.
public struct SaidRow<Row: Sendable>: Sendable {
  /// With the importer's own values where the source says nothing.
  public var row: Row
  /// What the source says, in the order of the table; null where it says nothing, or that there is none.
  public let fields: [SourceField]
  /// For each field of the table, whether the source says it.
  let carries: [Bool]
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
  public func shape(of stored: Row, as said: SaidRow<Row>) -> [SourceField] {
    fields.enumerated().map { number, field in
      SourceField(field.name, said.carries[number] ? field.get(stored, said.fields[number].value) : .null)
    }
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
