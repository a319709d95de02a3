import Foundation
import Holdfast

/// An object of the core's JSON.
protocol CoreTable: CoreWritten {
  /// The members, in the order in which they are written.
  static var members: [CoreMember<Self>] { get }
}

/// An object that the core sends, too: writing and reading follow the same list of its members.
protocol CoreObject: CoreTable, CoreValue {
  /// The object before its members are read.
  static var blank: Self { get }
}

/// One key of an object, with its property.
struct CoreMember<Object>: Sendable {
  fileprivate let key: String
  fileprivate let isWritten: @Sendable (Object) -> Bool
  fileprivate let write: @Sendable (Object, inout JSONText) -> Void
  fileprivate let read: @Sendable (inout Object, inout CoreFields) throws -> Void

  /// A required member.
  init<Value: CoreValue & SendableMetatype>(_ key: String, _ path: any WritableKeyPath<Object, Value> & Sendable) {
    self.key = key
    isWritten = { _ in true }
    write = { object, text in object[keyPath: path].write(into: &text) }
    read = { object, fields in
      let value: Value = try fields.needed(key)
      object[keyPath: path] = value
    }
  }

  /// A member that the core does not know. It may be absent; then `unsaid` stays true, and it is not written.
  init<Value: CoreValue & SendableMetatype>(
    _ key: String, _ path: any WritableKeyPath<Object, Value> & Sendable, unless unsaid: any WritableKeyPath<Object, Bool> & Sendable
  ) {
    self.key = key
    isWritten = { !$0[keyPath: unsaid] }
    write = { object, text in object[keyPath: path].write(into: &text) }
    read = { object, fields in
      guard fields.has(key) else { return }
      let value: Value = try fields.needed(key)
      object[keyPath: path] = value
      object[keyPath: unsaid] = false
    }
  }

  /// A member that the core needs, but that is known from the nesting. It is ignored when read, and may be absent.
  init<Value: CoreValue & SendableMetatype>(_ key: String, onlyWritten path: any KeyPath<Object, Value> & Sendable) {
    self.key = key
    isWritten = { _ in true }
    write = { object, text in object[keyPath: path].write(into: &text) }
    read = { _, fields in fields.ignore(key) }
  }
}

extension CoreTable {
  func write(into text: inout JSONText) {
    text.object { text in
      for member in Self.members where member.isWritten(self) {
        text.key(member.key)
        member.write(self, &text)
      }
    }
  }
}

// A required member that is absent cannot count as null, which would delete the stored value. An unknown key would be lost. So
// both are refused.
extension CoreObject {
  init(core scanner: inout JSONScanner) throws {
    var object = Self.blank
    var fields = try CoreFields(&scanner)
    for member in Self.members { try member.read(&object, &fields) }
    try fields.finish()
    self = object
  }
}
