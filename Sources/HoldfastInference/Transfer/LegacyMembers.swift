import Foundation
import Holdfast
import HoldfastTransfer

/// One record of the SDK's databases while it is read. What is read is taken out, so what is left in the end is not known.
struct LegacyMembers {
  /// A field that the record comes without, or that came in as something else.
  struct DamagedField {
    var name: String
    var reason: String
    var original: SourceBytes
  }

  private struct Member {
    var name: String
    var value: JSONValue
    var original: SourceBytes
  }

  /// What is wrong with the record as a whole: the first thing; nil when it can be imported.
  private(set) var problem: String?
  private(set) var damaged: [DamagedField] = []
  private var members: [String: Member] = [:]
  private var objects: Set<String> = []
  /// Whether names are compared without the letters' case and underscores: a foreign key is spelled in two ways.
  private let isPlain: Bool

  /// The columns of a row.
  ///
  /// - Parameter json: those that hold JSON, in small letters.
  init(_ row: SQLiteRow, json: Set<String> = []) {
    isPlain = true
    for column in row.columns {
      let value = Self.value(row, column)
      let read = json.contains(column.asciiLowercased) ? Self.parsed(value) : value
      members[key(column)] = Member(name: column, value: read, original: row.original(column))
    }
  }

  /// The members of a JSON object.
  ///
  /// - Parameter nested: objects whose members are fields of their own, outer ones first.
  init(_ object: [String: JSONValue], nested: [String] = []) {
    isPlain = false
    for (name, value) in object { set(name, value) }
    for name in nested { open(name) }
  }

  mutating func fail(_ reason: String) { problem = problem ?? reason }

  mutating func tell(_ name: String, _ reason: String, _ original: SourceBytes) {
    damaged.append(DamagedField(name: name, reason: reason, original: original))
  }

  // MARK: What stands there

  private func key(_ name: String) -> String {
    guard isPlain else { return name }
    return String(decoding: name.utf8.lazy.filter { $0 != 0x5F }.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  /// What a member says; null where the record does not have it.
  func value(_ name: String) -> JSONValue { members[key(name)]?.value ?? .null }

  func text(_ name: String) -> String? { if case .string(let text) = value(name) { text } else { nil } }

  func has(_ name: String) -> Bool { value(name) != .null || objects.contains(name) }

  mutating func set(_ name: String, _ value: JSONValue) {
    members[key(name)] = Member(name: name, value: value, original: .made { value.canonicalText() })
  }

  /// Takes a member out; null where the record does not have it.
  @discardableResult
  mutating func remove(_ name: String) -> JSONValue { members.removeValue(forKey: key(name))?.value ?? .null }

  /// Reads another value in the place of one, and tells why.
  mutating func replace(_ name: String, by value: JSONValue, _ reason: String) {
    guard let member = members[key(name)] else { return }
    tell(member.name, reason, member.original)
    members[key(name)]?.value = value
  }

  /// Leaves a member out and tells why, unless it holds nothing.
  mutating func leave(_ name: String, _ reason: String) {
    guard let member = members.removeValue(forKey: key(name)), member.value != .null else { return }
    tell(member.name, reason, member.original)
  }

  /// Makes the members of an object fields of their own: `routing.policy`.
  mutating func open(_ name: String) {
    guard let member = members[name], member.value != .null else { return }
    members[name] = nil
    guard case .object(let parts) = member.value else { return tell(name, "\(name) should be an object", member.original) }
    objects.insert(name)
    for (part, value) in parts { set("\(name).\(part)", value) }
  }

  /// Says that there is an object where the record has any of these members.
  mutating func require(_ object: String, ifAny names: [String]) {
    if names.contains(where: { value($0) != .null }) { objects.insert(object) }
  }

  /// Makes two texts one value, for `LegacyField.thinkingTags`; nothing where there is none.
  mutating func pair(_ open: String, _ close: String, as name: String) {
    let (first, second) = (remove(open), remove(close))
    guard first != .null || second != .null else { return }
    set(name, .object(["open": first, "close": second]))
  }

  /// What is no value of JSON becomes what no field is.
  static func value(_ row: SQLiteRow, _ column: String) -> JSONValue {
    switch row.value(column) {
    case .integer(let number): .integer(number)
    case .real(let number) where number.isFinite: .double(number)
    case .text(let text): .string(text)
    case .blob(let data) where !row.isBrokenText(column):
      String(validating: data, as: UTF8.self).map(JSONValue.string) ?? LegacyValue.unreadable
    case nil, .null: .null
    default: LegacyValue.unreadable
    }
  }

  /// A text of JSON as what it says; another value as it is: it is then of a wrong kind.
  private static func parsed(_ value: JSONValue) -> JSONValue {
    guard case .string(let text) = value else { return value }
    return JSONValue(json: text) ?? value
  }

  // MARK: Reading

  /// Reads every field of the table. One that the record can do without is left out where it is wrong, and told.
  ///
  /// - Returns: what the record says, in the order of the table, and which fields those are.
  mutating func read<Row>(_ table: [LegacyField<Row>], into row: inout Row) -> (said: [SourceField], carries: UInt64) {
    var said: [SourceField] = []
    var carries: UInt64 = 0
    for (number, field) in table.enumerated() {
      let member = members.removeValue(forKey: key(field.name))
      guard let text = take(member, field, &row) else {
        said.append(SourceField(field.name, .null))
        continue
      }
      carries |= 1 << UInt64(number)
      said.append(SourceField(field.name, text))
    }
    return (said, carries)
  }

  private mutating func take<Row>(_ member: Member?, _ field: LegacyField<Row>, _ row: inout Row) -> JSONValue? {
    guard let member, member.value != .null else {
      let isRequired = field.object.map(objects.contains) ?? (field.absence == .fails)
      if isRequired { fail("\(field.name) is missing") }
      // A record without the object says that there is none, which a new row has not either.
      return isRequired || field.absence != .empties ? nil : field.take(.null, &row)
    }
    if let text = field.take(member.value, &row) { return text }
    let found = member.value == LegacyValue.unreadable ? "bytes that are no text" : String(member.value.canonicalText().prefix(60))
    let reason = "\(member.name) should be \(field.what), found \(found)"
    if field.absence == .fails || field.object != nil { fail(reason) } else { tell(member.name, reason, member.original) }
    return nil
  }

  /// What is left, unless it holds nothing.
  mutating func tellUnknown() {
    for (_, member) in members.sorted(by: { $0.key < $1.key }) where member.value != .null {
      tell(member.name, "this field is not known", member.original)
    }
    members = [:]
  }
}

extension JSONValue {
  /// What a text of JSON says. Nil when it is no JSON.
  init?(json text: String) {
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    guard let value = try? scanner.value(), (try? scanner.finish()) != nil else { return nil }
    self = value
  }
}
