import Foundation
import Holdfast
import HoldfastTransfer

/// One record of the app's own files while it is read: its values, found by plain names. What is read is taken out, so what is left
/// in the end is not known.
struct WorkoutSource {
  /// A field that the record comes without.
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
  /// What the record says, in the order of its table.
  private(set) var fields: [SourceField] = []
  /// Bit n: the source says the nth field of the table, absent values included.
  private(set) var carries: UInt64 = 0
  /// The list of what is in it.
  private(set) var list: JSONScanner?
  /// What makes the document end in this record, as far as it is read; nil where the record is whole.
  private(set) var damage: JSONScanError?

  private var members: [String: Member] = [:]
  /// Objects that are of another kind.
  private var broken: Set<Substring> = []

  /// Objects whose members are fields of their own.
  private static let objects: Set = ["suggest", "actual"]

  mutating func fail(_ reason: String) { problem = problem ?? reason }

  // MARK: Of a document

  /// Reads the object at the scanner, which ends behind it.
  ///
  /// - Parameters:
  ///   - what: for people, when it is no object.
  ///   - list: the member that is a list of records of their own; nil: there is none.
  ///   - isDamaged: whether the document is: then a record ends with the damage that stands in its list or behind it.
  /// - Throws: `JSONScanError` when the document itself is damaged here.
  init(_ scanner: inout JSONScanner, _ what: String, list listName: String?, isDamaged: Bool = false) throws {
    guard try scanner.peek() == .object else {
      try scanner.skip()
      fail("\(what) should be an object")
      return
    }
    var reader = JSONFields(keys: [])
    do {
      try scanner.object { key, value in
        let name = key.string
        if name == listName {
          guard list == nil else { return fail("\(name) stands twice") }
          guard try value.peek() == .array else { return fail("\(name) should be a list") }
          list = value
        } else {
          let start = value
          add(name, try reader.tree(name, &value), .value(start))
        }
      }
    } catch let error as JSONScanError where isDamaged && list != nil {
      damage = error
    }
    if let problem = reader.problem { fail(problem) }
    if problem == nil, let listName, list == nil { fail("\(listName) is missing") }
  }

  /// Sets a member that the form says in another way.
  mutating func set(_ name: String, _ value: JSONValue) {
    members[WorkoutField<WorkoutRow>.plain(name)] = Member(name: name, value: value, original: .bytes([]))
  }

  private mutating func add(_ name: String, _ value: JSONValue, _ original: SourceBytes) {
    let plain = WorkoutField<WorkoutRow>.plain(name)
    guard Self.objects.contains(plain) else { return insert(plain, Member(name: name, value: value, original: original)) }
    switch value {
    case .object(let parts):
      for (key, part) in parts.sorted(by: { $0.key < $1.key }) {
        let member = Member(name: "\(name).\(key)", value: part, original: .made { part.canonicalText() })
        insert("\(plain).\(WorkoutField<WorkoutRow>.plain(key))", member)
      }
    case .null: break
    default:
      broken.insert(plain[...])
      damaged.append(DamagedField(name: name, reason: "\(name) should be an object", original: original))
    }
  }

  private mutating func insert(_ plain: String, _ member: Member) {
    if members.updateValue(member, forKey: plain) != nil { fail("\(member.name) stands twice") }
  }

  // MARK: Of a database

  /// Columns that hold JSON.
  private static let json: Set = ["suggest", "actual", "pinnednotes", "notes", "bodypart"]
  /// In the flat form, what the columns are in the others.
  private static let flat: [String: String] = Dictionary(
    uniqueKeysWithValues: ["Weight", "Reps", "RepRange", "Duration", "Rpe", "RestTime"].map {
      ("suggest\($0.lowercased())", "suggest.\($0.lowercased())")
    }
      + ["Weight", "Reps", "Duration", "Rpe"].map { ("actual\($0.lowercased())", "actual.\($0.lowercased())") }
      + [("actualresttime", "actual.actualresttime")])
  private static let bodyPart = ["bodypartmain": "main", "bodypartdetailed": "detailed", "bodypartscientific": "scientific"]

  init(_ row: SQLiteRow) {
    var part: [String: JSONValue] = [:]
    for column in row.columns {
      let plain = column.lowercased()
      let value = Self.value(row, column)
      if let key = Self.bodyPart[plain] {
        part[key] = key == "main" ? value : Self.parsed(value)
      } else if Self.json.contains(plain) {
        add(column, Self.parsed(value), row.original(column))
      } else if let name = Self.flat[plain] {
        insert(name, Member(name: column, value: value, original: row.original(column)))
      } else {
        add(column, value, row.original(column))
      }
    }
    guard part.values.contains(where: { $0 != .null }) else { return }
    let whole = JSONValue.object(part)
    insert("bodypart", Member(name: "bodyPart", value: whole, original: .made { whole.canonicalText() }))
  }

  /// What is no value of JSON becomes an object, which no field is.
  private static func value(_ row: SQLiteRow, _ column: String) -> JSONValue {
    switch row.value(column) {
    case .integer(let number): .integer(number)
    case .real(let number) where number.isFinite: .double(number)
    case .text(let text): .string(text)
    case .blob(let data) where !row.isBrokenText(column): String(data: data, encoding: .utf8).map(JSONValue.string) ?? .object([:])
    case nil, .null: .null
    default: .object([:])
    }
  }

  /// A text of JSON as what it says. Another value as it is: it is then of a wrong kind.
  private static func parsed(_ value: JSONValue) -> JSONValue {
    guard case .string(let text) = value else { return value }
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    guard let parsed = try? scanner.value(), (try? scanner.finish()) != nil else { return value }
    return parsed
  }

  // MARK: Reading

  /// An id, without which the record cannot be.
  mutating func id(_ name: String) -> Written<UUID>? {
    let member = members.removeValue(forKey: WorkoutField<WorkoutRow>.plain(name))
    guard let member, member.value != .null else {
      fail("\(name) is missing")
      return nil
    }
    guard case .string(let text) = member.value, let id = Written(id: text) else {
      fail("\(name) is not an id: \(member.value.canonicalText().prefix(60))")
      return nil
    }
    return id
  }

  /// What a member says; null where the record does not have it.
  func value(_ name: String) -> JSONValue { members[WorkoutField<WorkoutRow>.plain(name)]?.value ?? .null }

  /// Lets a member be read as another one, in the place of what stands there.
  mutating func move(_ name: String, to other: String) {
    members[WorkoutField<WorkoutRow>.plain(other)] = members.removeValue(forKey: WorkoutField<WorkoutRow>.plain(name))
  }

  /// Leaves a member out and tells why, unless it holds nothing.
  mutating func leave(_ name: String, _ reason: String) {
    guard let member = members.removeValue(forKey: WorkoutField<WorkoutRow>.plain(name)), member.value != .null else { return }
    damaged.append(DamagedField(name: member.name, reason: reason, original: member.original))
  }

  /// What says again which record this one is in. Where it says otherwise, the place counts.
  ///
  /// - Parameter id: nil when that cannot be read.
  mutating func check(_ name: String, is id: UUID?, _ what: String) {
    let member = members.removeValue(forKey: WorkoutField<WorkoutRow>.plain(name))
    guard let member, let id, member.value != .null else { return }
    if case .string(let text) = member.value, IDCodec.parse(text) == id { return }
    damaged.append(DamagedField(name: member.name, reason: "\(member.name) is not that of its \(what)", original: member.original))
  }

  /// The order of a list is the order: the app makes the numbers anew from it. What is no number is told.
  mutating func dropIndex(_ name: String) {
    guard let member = members.removeValue(forKey: WorkoutField<WorkoutRow>.plain(name)), member.value != .null else { return }
    guard member.value.wholeNumber == nil else { return }
    damaged.append(DamagedField(name: member.name, reason: "\(member.name) should be a whole number", original: member.original))
  }

  /// Reads every field of the table. One that the record can do without is left out where it is wrong, and told.
  mutating func read<Row>(_ table: [WorkoutField<Row>], into row: inout Row, _ shape: WorkoutShape) {
    for (number, field) in table.enumerated() {
      let name = shape.name(field)
      let member = members.removeValue(forKey: field.plainName)
      if member == nil {
        if field.isRequired { fail("\(name) is missing") }
        let isBroken = field.plainName.split(separator: ".").first.map(broken.contains) == true
        if field.isOurs || isBroken {
          fields.append(SourceField(name, .null))
          continue
        }
      }
      guard let said = field.take(member?.value ?? .null, &row, shape.dates) else {
        fields.append(SourceField(name, .null))
        guard let member else { continue }
        let reason = "\(name) should be \(field.what), found \(member.value.canonicalText().prefix(60))"
        if field.isRequired {
          fail(reason)
        } else {
          damaged.append(DamagedField(name: member.name, reason: reason, original: member.original))
        }
        continue
      }
      carries |= 1 << UInt64(number)
      fields.append(SourceField(name, said))
    }
  }

  /// What is left, unless it holds nothing.
  mutating func tellUnknown() {
    for (_, member) in members.sorted(by: { $0.key < $1.key }) where member.value != .null {
      damaged.append(DamagedField(name: member.name, reason: "this field is not known", original: member.original))
    }
    members = [:]
  }
}
