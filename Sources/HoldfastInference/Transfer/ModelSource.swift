import Foundation
import Holdfast
import HoldfastTransfer

/// One model as its file describes it.
struct ModelSource {
  /// A value of the file with its field. A field that is missing or null leaves a stored value as it is.
  typealias Value = (field: RecordField<ModelMetadata>, value: JSONValue)

  private(set) var content: Content
  /// Has the values that are left out, and why; its problem is the reason why the model cannot be registered.
  var members = SourceMembers([:])
  /// The values, for the quarantine.
  let original: SourceBytes

  /// What the import needs to write the model and to compare it.
  struct Content: Sendable {
    /// The model's id in the registry, if no other model has it.
    let stem: String
    let fields: FieldTable<ModelMetadata>
    let said: SaidRow<ModelMetadata>
    /// Whether some of its files are missing.
    fileprivate(set) var isIncomplete = false
  }

  init(_ stem: String, _ values: [Value]) {
    for (field, value) in values { members.add(field.name, value, .made { value.canonicalText() }) }
    let texts = values.map { JSONValue.array([.string($0.field.name), $0.value]) }
    original = .made { JSONValue.array(texts).canonicalText() }
    let fields = FieldTable(values.map(\.field))
    let blank = ModelMetadata(id: stem, name: stem, framework: .unknown, createdAt: .unset)
    content = Content(stem: stem, fields: fields, said: members.read(fields, into: blank))
  }

  /// Reports parts that are not beside the others: the model is imported, and marked as missing.
  mutating func tellMissing(_ parts: [String], _ what: String) {
    guard !parts.isEmpty else { return }
    let shown = parts.prefix(10).joined(separator: ", ") + (parts.count > 10 ? ", …" : "")
    tellIncomplete("parts", "\(what): \(shown)")
  }

  mutating func tellIncomplete(_ name: String, _ reason: String) {
    members.tell(name, reason, .bytes([]))
    content.isIncomplete = true
  }
}

extension RecordField<ModelMetadata> {
  static func path(_ name: String) -> RecordField { .optional(name, \.localPath, .text, .keeps) }

  static var sizeBytes: RecordField { .optional("size of the file", \.sizeBytes, .int64, .keeps) }

  static func contextLength(_ name: String) -> RecordField {
    .optional(name, \.contextLength, ValueForm<Int>.int.only("a whole number of tokens") { $0 >= 0 }, .keeps)
  }

  /// A value without a property: it is in the capabilities under its name in the source, also when it is null.
  static func capability(_ name: String) -> RecordField {
    RecordField(name, "a value", .empties) {
      $0.capabilities[name] ?? .null
    } take: { value, model in
      model.capabilities[name] = value
      return value
    }
  }
}
