public import Foundation
public import Holdfast

/// One record of a source during reading: the members of a JSON object, or the columns of a row, by name.
///
/// Reading a member takes it out. Members that were not read are reported as unknown fields. `problem` is the first error of the record as a
/// whole, which sends it into quarantine. A wrong value in a field that the record does not need is left out and reported.
///
/// ```swift
/// var members = try SourceMembers(&element, "a book")
/// let said = members.read(fields, into: blank)
/// guard try members.finish(kind: "books", path: path, original: .value(start), at: start.offset, visit) else { return }
/// ```
public struct SourceMembers: Sendable {
  struct Member {
    /// The member's name in the form in which names are compared.
    let key: String
    let name: String
    var value: JSONValue
    /// Where the member stands: the offset of its value in a document, or the number of its column in a row; below 0 the complement of
    /// its place in `made`; `ownText`. A number and not the bytes themselves, because every member of every record has one.
    let origin: Int
    /// Whether the value is that of the column, unchanged.
    var isColumn = false
    var isTaken = false
  }

  private enum Source {
    case values
    case document(JSONDocument)
    case row(SQLiteRow)
  }

  struct DamagedField {
    let name: String
    let reason: String
    let original: SourceBytes
  }

  /// The value for bytes of a database that JSON cannot hold. No field accepts this list.
  public static let unreadable = JSONValue.array([.array([])])

  /// The first error of the record as a whole; nil when the record can be imported.
  public internal(set) var problem: String?
  /// The error that makes the document end in this record; nil when the record is complete.
  public private(set) var damage: JSONScanError?
  var damaged: [DamagedField] = []
  var members: [Member] = []
  private let source: Source
  /// The bytes of members that do not stand in `source`.
  private var made: [SourceBytes] = []
  /// The origin of a member that stands nowhere: its bytes are its value's text.
  static let ownText = Int.max
  /// The indexes of members, used when there are more than `fewMembers`: a source may have any number of them.
  private var places: [String: Int] = [:]
  /// Up to this number, members are found faster one by one.
  private static let fewMembers = 64
  private var lists: [String: JSONScanner] = [:]
  var objects: Set<String> = []
  /// Members that should be objects and are not. The fields in them count as not given.
  var broken: Set<String> = []
  /// Whether names are compared without case and underscores.
  private let isPlain: Bool
  /// Whether a value of a wrong kind in any field sends the record into quarantine.
  private let isStrict: Bool

  // MARK: Making

  /// Reads the object at the scanner, and moves the scanner past it.
  ///
  /// - Parameters:
  ///   - what: the name of the record in the error, when the value is not an object: `a book`.
  ///   - lists: members with records of their own. Each is required and must be a list.
  ///   - apart: other members that are read later with `list(_:)`. They may be missing, and may be of any kind.
  ///   - isPlain: whether names are compared without case and underscores. Default false.
  ///   - isDamaged: whether the document is damaged. Then a record whose lists come before the damage ends there, and `damage` is set.
  ///   - isStrict: whether a value of a wrong kind in any field sends the record into quarantine. Default false.
  /// - Throws: `JSONScanError` when the document itself is damaged here.
  public init(
    _ scanner: inout JSONScanner, _ what: String, lists listNames: [String] = [], apart: [String] = [], isPlain: Bool = false,
    isDamaged: Bool = false, isStrict: Bool = false
  ) throws {
    (self.isPlain, self.isStrict, source) = (isPlain, isStrict, .document(scanner.document))
    guard try scanner.peek() == .object else {
      try scanner.skip()
      fail("\(what) should be an object")
      return
    }
    members.reserveCapacity(16)
    do {
      try scanner.object { key, value in
        let name = key.string
        let isList = listNames.contains(name)
        if isList || apart.contains(name) {
          guard lists[name] == nil else { return failRepeated(name) }
          guard try !isList || value.peek() == .array else { return fail("\(name) should be a list") }
          lists[name] = value
        } else {
          let start = value.offset
          add(self.key(name), name, try tree(name, &value), at: start)
        }
      }
    } catch let error as JSONScanError where isDamaged && !lists.isEmpty {
      damage = error
    }
    for name in listNames where lists[name] == nil { fail("\(name) is missing") }
  }

  /// Reads a value. A key that an object in it has twice is an error of this record only.
  private mutating func tree(_ name: String, _ value: inout JSONScanner) throws -> JSONValue {
    let start = value
    do {
      return try value.value()
    } catch {
      value = start
      // Throws again when the document itself is damaged.
      _ = try value.skip()
      fail("\(name) cannot be read: \(error.expected)")
      return .null
    }
  }

  /// Takes the columns of a row. Their names are compared without case and underscores.
  ///
  /// - Parameters:
  ///   - json: the columns that hold JSON, in lower case.
  ///   - ids: the columns that hold UUIDs as 16 bytes, in lower case: a field reads them as `ValueForm.id`. Default: none.
  ///   - isStrict: whether a value of a wrong kind in any field sends the record into quarantine. Default false.
  public init(_ row: SQLiteRow, json: Set<String> = [], ids: Set<String> = [], isStrict: Bool = false) {
    (isPlain, self.isStrict, source) = (true, isStrict, .row(row))
    members.reserveCapacity(row.columns.count + 2)
    for (index, column) in row.columns.enumerated() {
      var value = Self.value(row, column)
      // Text that is not JSON stays as it is, and so is of a wrong kind.
      if !json.isEmpty, case .string(let text) = value, json.contains(column.asciiLowercased) { value = JSONValue(json: text) ?? value }
      if case .blob = row.values[index], ids.contains(column.asciiLowercased) { value = Self.id(row, column) ?? value }
      let plain = row.shape.plainColumns[index]
      // Of two columns with spellings of one name, the first counts and the other is reported.
      add(place(plain) == nil ? plain : "_\(column)", column, value, at: index)
      members[members.count - 1].isColumn = true
    }
  }

  /// Takes the members of an object.
  ///
  /// - Parameters:
  ///   - nested: objects whose members become fields of their own, outer objects first: see `open(_:)`.
  ///   - isStrict: whether a value of a wrong kind in any field sends the record into quarantine. Default false.
  public init(_ object: [String: JSONValue], nested: [String] = [], isStrict: Bool = false) {
    (isPlain, self.isStrict, source) = (false, isStrict, .values)
    for (name, value) in object { set(name, value) }
    for name in nested { open(name) }
  }

  /// Adds a member. When there is a member with its name already, the record gets a problem.
  public mutating func add(_ name: String, _ value: JSONValue, _ original: SourceBytes) {
    add(key(name), name, value, at: keep(original))
  }

  mutating func add(_ key: String, _ name: String, _ value: JSONValue, at origin: Int) {
    if place(key) != nil { failRepeated(name) }
    append(Member(key: key, name: name, value: value, origin: origin))
  }

  mutating func keep(_ original: SourceBytes) -> Int {
    made.append(original)
    return ~(made.count - 1)
  }

  func original(of member: Member) -> SourceBytes {
    guard member.origin >= 0 else { return made[~member.origin] }
    switch source {
    case .document(let document) where member.origin != Self.ownText: return .value(JSONScanner(document, at: member.origin))
    case .row(let row) where member.origin != Self.ownText: return .made { row.json(row.columns[member.origin]) }
    default: return .made { member.value.canonicalText() }
    }
  }

  mutating func append(_ member: Member) {
    members.append(member)
    if members.count > Self.fewMembers {
      if places.isEmpty { for (place, member) in members.enumerated() where !member.isTaken { places[member.key] = place } }
      places[member.key] = members.count - 1
    }
  }

  func key(_ name: String) -> String { isPlain ? Self.plain(name) : name }

  func place(_ key: String) -> Int? {
    guard places.isEmpty else { return places[key].flatMap { members[$0].isTaken ? nil : $0 } }
    for index in members.indices where members[index].key == key && !members[index].isTaken { return index }
    return nil
  }

  // MARK: What stands there

  /// A list of records, or another member that is read later; nil when the record lacks it.
  public func list(_ name: String) -> JSONScanner? { lists[name] }

  /// The value of a member; null when the record lacks it.
  public func value(_ name: String) -> JSONValue { place(key(name)).map { members[$0].value } ?? .null }

  /// The text of a member; nil for any other value.
  public func text(_ name: String) -> String? { if case .string(let text) = value(name) { text } else { nil } }

  /// A member's bytes in the source; nil when the record lacks it.
  public func original(_ name: String) -> SourceBytes? { place(key(name)).map { original(of: members[$0]) } }

  /// Whether a member is not null, or is an object that was opened.
  public func has(_ name: String) -> Bool { value(name) != .null || objects.contains(key(name)) }

  // MARK: Reading

  /// A required id. When it is missing or invalid, the record gets a problem.
  public mutating func id(_ name: String) -> Written<UUID>? {
    guard let member = take(key(name)), member.value != .null else {
      fail("\(name) is missing")
      return nil
    }
    if case .string(let text) = member.value, let id = Written(id: text) { return id }
    fail(wrong(member, "a UUID"))
    return nil
  }

  /// Reads every field of the table.
  ///
  /// - Parameter blank: the values of a new row for fields that the source does not give.
  @inlinable
  public mutating func read<Row>(_ table: FieldTable<Row>, into blank: Row) -> SaidRow<Row> {
    var (row, carries, said) = (blank, [Bool](), [SourceField]())
    carries.reserveCapacity(table.fields.count)
    said.reserveCapacity(table.fields.count)
    for field in table.fields {
      let text = take(field.parts, &row)
      carries.append(text != nil)
      said.append(SourceField(field.parts.name, text ?? .null))
    }
    return SaidRow(row: row, fields: said, carries: carries)
  }

  /// Reads a field into the row, and returns the source's value; nil when the source gives no value that can be read.
  @inlinable
  mutating func take<Row>(_ field: RecordField<Row>.Parts, _ row: inout Row) -> JSONValue? {
    let place = takePlace(field.name, field.plainName)
    let value = place.map { self.value(at: $0, as: field.column) } ?? .null
    if case .null = value {
      let isNeeded = isNeeded(field.absence == .fails, in: field.object)
      if isNeeded, let place, !field.failsIfWrong {
        refuse(at: place, field.what, isNeeded: false)
        return nil
      }
      guard mayLack(field.name, isNeeded: isNeeded, isThere: place != nil) else { return nil }
      switch field.absence {
      case .empties: return field.take(.null, &row)
      case .keepsUnlessNull where place != nil: return field.take(.null, &row)
      default: return nil
      }
    }
    if let text = field.take(value, &row) { return text }
    if let place { refuse(at: place, field.what, isNeeded: field.failsIfWrong) }
    return nil
  }

  @usableFromInline
  mutating func takePlace(_ name: String, _ plainName: String) -> Int? {
    guard let place = place(isPlain ? plainName : name) else { return nil }
    members[place].isTaken = true
    return place
  }

  /// The value of a member. Of a database's column only its field knows how bytes are meant.
  @usableFromInline
  func value(at place: Int, as column: ColumnForm) -> JSONValue {
    let member = members[place]
    guard column != .plain, member.isColumn, case .row(let row) = source else { return member.value }
    return Self.value(row, member.origin, as: column) ?? member.value
  }

  /// Whether a field is required: always, or in a record with an object.
  @usableFromInline
  func isNeeded(_ isRequired: Bool, in object: String?) -> Bool { object.map { objects.contains(key($0)) } ?? isRequired }

  /// Whether a missing or null field counts as given. When the field is required, the record gets a problem.
  @usableFromInline
  mutating func mayLack(_ name: String, isNeeded: Bool, isThere: Bool) -> Bool {
    if isNeeded {
      fail("\(name) is missing")
      return false
    }
    guard !broken.isEmpty, !isThere else { return true }
    return !name.indices.contains { name[$0] == "." && broken.contains(key(String(name[..<$0]))) }
  }

  @usableFromInline
  mutating func refuse(at place: Int, _ what: String, isNeeded: Bool) {
    refuse(members[place], wrong(members[place], what), isNeeded: isNeeded)
  }

  mutating func refuse(_ member: Member, _ reason: String, isNeeded: Bool = false) {
    if isStrict || isNeeded { fail(reason) } else { tell(member.name, reason, self.original(of: member)) }
  }

  func wrong(_ member: Member, _ what: String) -> String {
    let found = member.value == Self.unreadable ? "bytes that are not text" : String(member.value.canonicalText().prefix(60))
    return "\(member.name) should be \(what), found \(found)"
  }

  /// Ends the record. A record with a problem is passed on as damaged. Otherwise each field that was left out is passed on, together with
  /// the members that were not read, unless they are null.
  ///
  /// - Parameter key: the record's key, where it can be read, so that the children of a damaged record are kept with it. Default nil.
  /// - Returns: whether the record can be imported.
  public mutating func finish<Content>(
    kind: String, key: String? = nil, path: SourcePath, original: SourceBytes, at position: Int,
    _ visit: (Scanned<Content>, Int) throws -> Void
  ) throws -> Bool {
    if let problem {
      try visit(.damaged(kind: kind, key: key, path: path, reason: problem, original: original), position)
      return false
    }
    for field in damaged {
      try visit(.damagedField(kind: kind, field: field.name, path: path, reason: field.reason, original: field.original), position)
    }
    guard members.contains(where: { !$0.isTaken }) else { return true }
    for member in members.filter({ !$0.isTaken && $0.value != .null }).sorted(by: { $0.key < $1.key }) {
      try visit(
        .damagedField(
          kind: kind, field: member.name, path: path, reason: "this field is not known", original: self.original(of: member)), position)
    }
    return true
  }
}
