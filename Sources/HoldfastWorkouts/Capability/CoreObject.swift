import Foundation
import Holdfast

/// An object of the core's JSON: writing and reading follow the same list of its members.
protocol CoreObject: CoreValue {
  /// The object before its members are read.
  static var blank: Self { get }
  static var members: CoreMembers<Self> { get }
}

/// The members of an object, in the order in which they are written.
struct CoreMembers<Object>: Sendable {
  fileprivate let written: [CoreMember<Object>]
  /// Required members first.
  fileprivate let read: [CoreMember<Object>]
  fileprivate let keys: [StaticString]
  fileprivate let required: Int

  init(_ members: CoreMember<Object>...) {
    written = members
    read = members.filter(\.isRequired) + members.filter { !$0.isRequired }
    keys = read.map(\.key)
    required = members.count(where: \.isRequired)
  }
}

/// One key of an object, with its property.
struct CoreMember<Object>: Sendable {
  fileprivate let key: StaticString
  fileprivate let isRequired: Bool
  fileprivate let isWritten: @Sendable (Object) -> Bool
  fileprivate let write: @Sendable (Object, inout JSONText) -> Void
  fileprivate let read: @Sendable (inout Object, inout JSONScanner, inout CoreFields) throws -> Void

  /// A required member.
  init<Value: CoreValue & SendableMetatype>(_ key: StaticString, _ path: any WritableKeyPath<Object, Value> & Sendable) {
    self.key = key
    isRequired = true
    isWritten = { _ in true }
    write = { object, text in object[keyPath: path].write(into: &text) }
    read = { object, value, fields in
      if let value = try Value.read("\(key)", &value, &fields) { object[keyPath: path] = value }
    }
  }

  /// A member that the core does not know. It may be absent; then `unsaid` is true, and it is not written.
  init<Value: CoreValue & SendableMetatype>(
    _ key: StaticString, _ path: any WritableKeyPath<Object, Value> & Sendable, unless unsaid: any WritableKeyPath<Object, Bool> & Sendable
  ) {
    self.key = key
    isRequired = false
    isWritten = { !$0[keyPath: unsaid] }
    write = { object, text in object[keyPath: path].write(into: &text) }
    read = { object, value, fields in
      if let value = try Value.read("\(key)", &value, &fields) { object[keyPath: path] = value }
      object[keyPath: unsaid] = false
    }
  }

  /// A member that the core needs, but that is known from the nesting. It is ignored when read, and may be absent.
  init<Value: CoreValue & SendableMetatype>(_ key: StaticString, onlyWritten path: any KeyPath<Object, Value> & Sendable) {
    self.key = key
    isRequired = false
    isWritten = { _ in true }
    write = { object, text in object[keyPath: path].write(into: &text) }
    read = { _, value, _ in _ = try value.skip() }
  }
}

// A required member that is absent cannot count as null, which would delete the stored value. An unknown key would be lost. So
// both are refused.
extension CoreObject {
  func write(into text: inout JSONText) {
    text.object { text in
      for member in Self.members.written where member.isWritten(self) {
        text.key(member.key)
        member.write(self, &text)
      }
    }
  }

  /// - Throws: `.invalidSource`, which names the object by its path; `JSONScanError` for text that is not JSON or not an object.
  static func read(_ name: String, _ value: inout JSONScanner, _ outer: inout CoreFields) throws -> Self? {
    let (path, start, members) = (value.path, value.offset, members)
    var object = blank
    var fields = CoreFields(keys: members.keys)
    try value.object { key, value in
      guard let number = fields.number(of: key) else { return fields.fail("there is no such key as \(key.string.prefix(60))") }
      try members.read[number].read(&object, &value, &fields)
    }
    fields.requireFirst(members.required)
    guard let problem = fields.problem else { return object }
    var error = StoreError(.invalidSource, "the object at \(path) cannot be read: \(problem)")
    error.offset = start
    throw error
  }
}
