public import Foundation
public import Holdfast

// Changing members before they are read.

extension SourceMembers {
  /// Remembers a problem, so that the record cannot be imported, unless there is one already.
  public mutating func fail(_ reason: String) { problem = problem ?? reason }

  /// Remembers as the problem that the record has two members of this name: the source does not say which of the two counts.
  public mutating func failRepeated(_ name: String) {
    fail("\(name) appears twice in this record; keep one of the two in the source, and import it again")
  }

  /// Reports a field, without which the record is imported.
  public mutating func tell(_ name: String, _ reason: String, _ original: SourceBytes) {
    damaged.append(DamagedField(name: name, reason: reason, original: original))
  }

  /// Sets a member. Replaces a member with its name.
  public mutating func set(_ name: String, _ value: JSONValue) {
    remove(name)
    append(Member(key: key(name), name: name, value: value, origin: Self.ownText))
  }

  /// Takes a member out and returns its value; null when the record lacks it.
  @discardableResult
  public mutating func remove(_ name: String) -> JSONValue { take(key(name))?.value ?? .null }

  mutating func take(_ key: String) -> Member? {
    guard let place = place(key) else { return nil }
    members[place].isTaken = true
    return members[place]
  }

  /// Replaces a member by other members: `location.type` and `location`. Returns whether the record had the member, and `parts` made others.
  ///
  /// - Parameter parts: makes the others of the value, which it may take apart, and of its bytes; nil takes the member out.
  @discardableResult
  public mutating func split(
    _ name: String, into parts: (inout JSONValue, SourceBytes) -> [(name: String, value: JSONValue)]?
  ) -> Bool {
    guard let place = place(key(name)) else { return false }
    let original = original(of: members[place])
    // Moved out of the list, so that what `parts` changes is not copied.
    var value = JSONValue.null
    swap(&value, &members[place].value)
    members[place].isTaken = true
    guard let parts = parts(&value, original) else { return false }
    let origin = members[place].origin == Self.ownText ? keep(original) : members[place].origin
    for part in parts { add(key(part.name), part.name, part.value, at: origin) }
    return true
  }

  /// Renames a member. Replaces a member with the new name.
  public mutating func move(_ name: String, to other: String) {
    remove(other)
    guard let member = take(key(name)) else { return }
    append(Member(key: key(other), name: member.name, value: member.value, origin: member.origin, isColumn: member.isColumn))
  }

  /// Replaces a member's value, and reports why.
  public mutating func replace(_ name: String, by value: JSONValue, _ reason: String) {
    guard let place = place(key(name)) else { return }
    tell(members[place].name, reason, original(of: members[place]))
    (members[place].value, members[place].isColumn) = (value, false)
  }

  /// Leaves a member out and reports why, unless it is null.
  public mutating func leave(_ name: String, _ reason: String) {
    guard let member = take(key(name)), member.value != .null else { return }
    tell(member.name, reason, self.original(of: member))
  }

  /// Leaves a member out and reports why, when `form` cannot read its value. Even a strict record is imported without it.
  ///
  /// - Parameter original: the reported bytes. Default: the member's bytes in the source.
  public mutating func leave<Value>(_ name: String, unless form: ValueForm<Value>, _ original: SourceBytes? = nil) {
    guard let place = place(key(name)), members[place].value != .null, form.read(members[place].value) == nil else { return }
    members[place].isTaken = true
    tell(members[place].name, wrong(members[place], form.what), original ?? self.original(of: members[place]))
  }

  /// Makes an object's members fields of their own: `routing.policy`. Another value is reported, and its fields count as not given.
  public mutating func open(_ name: String) {
    guard let member = take(key(name)), member.value != .null else { return }
    guard case .object(let parts) = member.value else {
      broken.insert(member.key)
      return refuse(member, "\(member.name) should be an object")
    }
    objects.insert(member.key)
    var offsets: [String: Int] = [:]
    if case .value(var scanner) = original(of: member) { try? scanner.object { offsets[$0.string] = $1.offset } }
    for (part, value) in parts.sorted(by: { $0.key < $1.key }) {
      let name = "\(member.name).\(part)"
      add(key(name), name, value, at: offsets[part] ?? Self.ownText)
    }
  }

  /// Marks an object as present, when the record has any of these members.
  public mutating func require(_ object: String, ifAny names: [String]) {
    if names.contains(where: { value($0) != .null }) { objects.insert(key(object)) }
  }

  /// Checks a member that repeats the id of the record around this one. When it differs, it is reported, and the place counts.
  ///
  /// - Parameter id: the id of that record; nil when it cannot be read: then nothing is reported.
  public mutating func check(_ name: String, is id: UUID?, _ what: String) {
    guard let member = take(key(name)), let id, member.value != .null else { return }
    if case .string(let text) = member.value, IDCodec.parse(text) == id { return }
    tell(member.name, "\(member.name) differs from the id of its \(what)", self.original(of: member))
  }
}
