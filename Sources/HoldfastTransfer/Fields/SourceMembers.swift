public import Foundation
public import Holdfast

/// One record of a source while it is read: the members of a JSON object, or the columns of a row, by name.
///
/// Reading a member takes it out. Members that nobody read are reported as unknown fields. The first thing that is wrong with the record as a whole
/// is its `problem`, and sends it into quarantine; a field that the record can do without is left out where it is wrong, and told.
///
/// ```swift
/// var members = try SourceMembers(&element, "a book")
/// let said = members.read(fields, into: blank)
/// guard try members.finish(kind: "books", path: path, original: .value(start), at: start.offset, visit) else { return }
/// ```
public struct SourceMembers {
  private struct Member {
    /// `name` as it is compared.
    let key: String
    let name: String
    var value: JSONValue
    let original: SourceBytes
    var isTaken = false
  }

  private struct DamagedField {
    let name: String
    let reason: String
    let original: SourceBytes
  }

  /// Stands for bytes of a database that are no value of JSON: no field takes such a list.
  public static let unreadable = JSONValue.array([.array([])])

  /// What is wrong with the record as a whole: the first thing; nil when it can be imported.
  public private(set) var problem: String?
  /// What makes the document end in this record; nil where the record is whole.
  public private(set) var damage: JSONScanError?
  private var damaged: [DamagedField] = []
  private var members: [Member] = []
  /// Where members stand, once there are more than `fewMembers`: a source may have any number of them.
  private var places: [String: Int] = [:]
  /// So many are found faster one by one.
  private static let fewMembers = 64
  private var lists: [String: JSONScanner] = [:]
  /// Objects that the record has.
  private var objects: Set<String> = []
  /// What should be objects, and is not: nothing is said of what should stand in them.
  private var broken: Set<String> = []
  /// Whether names are compared without the letters' case and underscores.
  private let isPlain: Bool
  /// Whether a value of a wrong kind sends the record into quarantine, whatever field it is in.
  private let isStrict: Bool

  // MARK: Making

  /// Reads the object at the scanner, which ends behind it.
  ///
  /// - Parameters:
  ///   - what: for people, when it is no object: `a book`.
  ///   - lists: members that hold records of their own, each of which must be a list, and be there.
  ///   - apart: other members that are gone back to with `list(_:)`. They may be missing, and hold anything.
  ///   - isPlain: whether names are compared without the letters' case and underscores. Default false.
  ///   - isDamaged: whether the document is: then a record whose lists stand before the damage ends with it, and `damage` says so.
  ///   - isStrict: whether a value of a wrong kind sends the record into quarantine, whatever field it is in. Default false.
  /// - Throws: `JSONScanError` when the document itself is damaged here.
  public init(
    _ scanner: inout JSONScanner, _ what: String, lists listNames: [String] = [], apart: [String] = [], isPlain: Bool = false,
    isDamaged: Bool = false, isStrict: Bool = false
  ) throws {
    (self.isPlain, self.isStrict) = (isPlain, isStrict)
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
          guard lists[name] == nil else { return fail("\(name) stands twice") }
          guard try !isList || value.peek() == .array else { return fail("\(name) should be a list") }
          lists[name] = value
        } else {
          let start = value
          add(name, try tree(name, &value), .value(start))
        }
      }
    } catch let error as JSONScanError where isDamaged && !lists.isEmpty {
      damage = error
    }
    for name in listNames where lists[name] == nil { fail("\(name) is missing") }
  }

  /// A key that stands twice in a value is wrong in this record only.
  private mutating func tree(_ name: String, _ value: inout JSONScanner) throws -> JSONValue {
    let start = value
    do {
      return if try value.peek() == .string { .string(try value.string()) } else { try value.value() }
    } catch {
      value = start
      // Throws again when the document itself is damaged.
      _ = try value.skip()
      fail("\(name) cannot be read: \(error.expected)")
      return .null
    }
  }

  /// The columns of a row, whose names are compared without the letters' case and underscores.
  ///
  /// - Parameters:
  ///   - json: those that hold JSON, in small letters.
  ///   - isStrict: whether a value of a wrong kind sends the record into quarantine, whatever field it is in. Default false.
  public init(_ row: SQLiteRow, json: Set<String> = [], isStrict: Bool = false) {
    (isPlain, self.isStrict) = (true, isStrict)
    members.reserveCapacity(row.columns.count + 2)
    for (index, column) in row.columns.enumerated() {
      let value = Self.value(row, column)
      let plain = row.shape.plainColumns[index]
      // Of two columns that differ only in their spelling the first counts; the other one is told.
      add(
        place(plain) == nil ? plain : "_\(column)", column, json.contains(column.asciiLowercased) ? Self.parsed(value) : value,
        .made { row.json(column) })
    }
  }

  /// The members of an object.
  ///
  /// - Parameters:
  ///   - nested: objects whose members are fields of their own, outer ones first: see `open(_:)`.
  ///   - isStrict: whether a value of a wrong kind sends the record into quarantine, whatever field it is in. Default false.
  public init(_ object: [String: JSONValue], nested: [String] = [], isStrict: Bool = false) {
    (isPlain, self.isStrict) = (false, isStrict)
    for (name, value) in object { set(name, value) }
    for name in nested { open(name) }
  }

  /// A text of JSON as what it says; another value as it is: it is then of a wrong kind.
  private static func parsed(_ value: JSONValue) -> JSONValue {
    guard case .string(let text) = value else { return value }
    return JSONValue(json: text) ?? value
  }

  /// Adds a member. That one with its name is there already is a problem of the record.
  public mutating func add(_ name: String, _ value: JSONValue, _ original: SourceBytes) { add(key(name), name, value, original) }

  private mutating func add(_ key: String, _ name: String, _ value: JSONValue, _ original: SourceBytes) {
    if place(key) != nil { fail("\(name) stands twice") }
    append(Member(key: key, name: name, value: value, original: original))
  }

  private mutating func append(_ member: Member) {
    members.append(member)
    if members.count > Self.fewMembers {
      if places.isEmpty { for (place, member) in members.enumerated() where !member.isTaken { places[member.key] = place } }
      places[member.key] = members.count - 1
    }
  }

  private func key(_ name: String) -> String { isPlain ? Self.plain(name) : name }

  private func place(_ key: String) -> Int? {
    guard places.isEmpty else { return places[key].flatMap { members[$0].isTaken ? nil : $0 } }
    for index in members.indices where members[index].key == key && !members[index].isTaken { return index }
    return nil
  }

  // MARK: What stands there

  /// A list of records of their own, or another member that is gone back to; nil where the record has none.
  public func list(_ name: String) -> JSONScanner? { lists[name] }

  /// What a member says; null where the record does not have it.
  public func value(_ name: String) -> JSONValue { place(key(name)).map { members[$0].value } ?? .null }

  /// What a member says that is a text.
  public func text(_ name: String) -> String? { if case .string(let text) = value(name) { text } else { nil } }

  /// What a member stands as in the source; nil where the record does not have it.
  public func original(_ name: String) -> SourceBytes? { place(key(name)).map { members[$0].original } }

  /// Whether a member says something, or an object is there.
  public func has(_ name: String) -> Bool { value(name) != .null || objects.contains(key(name)) }

  // MARK: What the source says in another way

  /// The record cannot be imported, unless something else was wrong before.
  public mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// The record comes in without a field.
  public mutating func tell(_ name: String, _ reason: String, _ original: SourceBytes) {
    damaged.append(DamagedField(name: name, reason: reason, original: original))
  }

  /// Sets a member, in the place of one with its name.
  public mutating func set(_ name: String, _ value: JSONValue) {
    remove(name)
    append(Member(key: key(name), name: name, value: value, original: .made { value.canonicalText() }))
  }

  /// Takes a member out; null where the record does not have it.
  @discardableResult
  public mutating func remove(_ name: String) -> JSONValue { take(key(name))?.value ?? .null }

  private mutating func take(_ key: String) -> Member? {
    guard let place = place(key) else { return nil }
    members[place].isTaken = true
    return members[place]
  }

  /// Reads others in the place of a member: `location.type` and `location`.
  public mutating func split(_ name: String, into parts: [(name: String, value: JSONValue)]) {
    guard let member = take(key(name)) else { return }
    for part in parts { add(part.name, part.value, member.original) }
  }

  /// Lets a member be read as another one, in the place of what stands there.
  public mutating func move(_ name: String, to other: String) {
    remove(other)
    guard let member = take(key(name)) else { return }
    append(Member(key: key(other), name: member.name, value: member.value, original: member.original))
  }

  /// Reads another value in the place of one, and tells why.
  public mutating func replace(_ name: String, by value: JSONValue, _ reason: String) {
    guard let place = place(key(name)) else { return }
    tell(members[place].name, reason, members[place].original)
    members[place].value = value
  }

  /// Leaves a member out and tells why, unless it holds nothing.
  public mutating func leave(_ name: String, _ reason: String) {
    guard let member = take(key(name)), member.value != .null else { return }
    tell(member.name, reason, member.original)
  }

  /// Leaves a member out and tells why, where the form does not read it: a strict record comes in without it.
  ///
  /// - Parameter original: default: as the member stands in the source.
  public mutating func leave<Value>(_ name: String, unless form: ValueForm<Value>, _ original: SourceBytes? = nil) {
    guard let place = place(key(name)), members[place].value != .null, form.read(members[place].value) == nil else { return }
    members[place].isTaken = true
    tell(members[place].name, wrong(members[place], form.what), original ?? members[place].original)
  }

  /// Makes the members of an object fields of their own: `routing.policy`. What is no object is told, and nothing is said of its members.
  public mutating func open(_ name: String) {
    guard let member = take(key(name)), member.value != .null else { return }
    guard case .object(let parts) = member.value else {
      broken.insert(member.key)
      return refuse(member, "\(member.name) should be an object")
    }
    objects.insert(member.key)
    for (part, value) in parts.sorted(by: { $0.key < $1.key }) {
      add("\(member.name).\(part)", value, .made { member.original.text(of: part) ?? value.canonicalText() })
    }
  }

  /// Says that there is an object where the record has any of these members.
  public mutating func require(_ object: String, ifAny names: [String]) {
    if names.contains(where: { value($0) != .null }) { objects.insert(key(object)) }
  }

  /// What says again which record this one is in. Where it says otherwise the place counts, and the member is told.
  ///
  /// - Parameter id: nil when that cannot be read: then nothing is told.
  public mutating func check(_ name: String, is id: UUID?, _ what: String) {
    guard let member = take(key(name)), let id, member.value != .null else { return }
    if case .string(let text) = member.value, IDCodec.parse(text) == id { return }
    tell(member.name, "\(member.name) is not that of its \(what)", member.original)
  }

  // MARK: Reading

  /// An id, without which the record cannot be.
  public mutating func id(_ name: String) -> Written<UUID>? {
    guard let member = take(key(name)), member.value != .null else {
      fail("\(name) is missing")
      return nil
    }
    if case .string(let text) = member.value, let id = Written(id: text) { return id }
    fail(wrong(member, "an id"))
    return nil
  }

  /// Reads every field of the table.
  ///
  /// - Parameter blank: what a new row has where the source says nothing.
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

  /// What the source says of a field; nil where it says nothing that can be read.
  @inlinable
  mutating func take<Row>(_ field: RecordField<Row>.Parts, _ row: inout Row) -> JSONValue? {
    let place = takePlace(field.name, field.plainName)
    let value = place.map { self.value(at: $0) } ?? .null
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

  @usableFromInline
  func value(at place: Int) -> JSONValue { members[place].value }

  /// Whether a field must be there: always, or in a record that has an object.
  @usableFromInline
  func isNeeded(_ isRequired: Bool, in object: String?) -> Bool { object.map { objects.contains(key($0)) } ?? isRequired }

  /// Whether the record says something of a field for which it has nothing. One that it needs is a problem.
  @usableFromInline
  mutating func mayLack(_ name: String, isNeeded: Bool, isThere: Bool) -> Bool {
    if isNeeded {
      fail("\(name) is missing")
      return false
    }
    if !broken.isEmpty, !isThere, let point = name.lastIndex(of: "."), broken.contains(key(String(name[..<point]))) { return false }
    return true
  }

  @usableFromInline
  mutating func refuse(at place: Int, _ what: String, isNeeded: Bool) {
    refuse(members[place], wrong(members[place], what), isNeeded: isNeeded)
  }

  private mutating func refuse(_ member: Member, _ reason: String, isNeeded: Bool = false) {
    if isStrict || isNeeded { fail(reason) } else { tell(member.name, reason, member.original) }
  }

  private func wrong(_ member: Member, _ what: String) -> String {
    let found = member.value == Self.unreadable ? "bytes that are no text" : String(member.value.canonicalText().prefix(60))
    return "\(member.name) should be \(what), found \(found)"
  }

  /// Ends the record: tells of it as damaged when it has a problem, or else of each field that it comes without; members that nobody read are
  /// such fields, unless they hold nothing.
  ///
  /// - Returns: whether the record can be imported.
  public mutating func finish<Content>(
    kind: String, path: SourcePath, original: SourceBytes, at position: Int, _ visit: (Scanned<Content>, Int) throws -> Void
  ) throws -> Bool {
    if let problem {
      try visit(.damaged(kind: kind, path: path, reason: problem, original: original), position)
      return false
    }
    for field in damaged {
      try visit(.damagedField(kind: kind, field: field.name, path: path, reason: field.reason, original: field.original), position)
    }
    guard members.contains(where: { !$0.isTaken }) else { return true }
    for member in members.filter({ !$0.isTaken && $0.value != .null }).sorted(by: { $0.key < $1.key }) {
      try visit(
        .damagedField(kind: kind, field: member.name, path: path, reason: "this field is not known", original: member.original), position)
    }
    return true
  }
}
