import Foundation
import Holdfast

// Rows as the SDK's own JSON has them, written by the tables of fields that its databases are read with: what one reads the other
// writes. What is nil is left out, and dates are seconds since 2001, both as `JSONEncoder` does it. Where the SDK's types have what a row
// may lack, 0 is sent, an empty text, or when the row was made: their decoder refuses a record without it.

enum SyncWire {
  /// Without the key of the API and the name it is sealed under: no field of this form is one.
  static func configuration(_ configuration: InferenceConfiguration) -> JSONValue {
    var members = object(configuration, ConfigurationFields.nested.filter { $0.name != "generation.thinkingPattern" })
    if let tags = configuration.generation.thinkingTags {
      let pattern = JSONValue.object(["openingTag": .string(tags.open), "closingTag": .string(tags.close)])
      members.put(pattern, at: ["generation", "thinkingPattern"])
    }
    members["syncPending"] = .bool(true)
    return .object(members)
  }

  /// Where its file is on this device is nobody else's business: the path is empty, as for a model without a file.
  static func model(_ model: ModelMetadata) -> JSONValue {
    var members = object(model, ModelFields.json.filter { !["localPath", "thinkingTags"].contains($0.name) }, nothing: nothingOfModel)
    members["downloadedAt"] = date(model.downloadedAt ?? model.createdAt)
    members["localPath"] = .string("")
    if let tags = model.thinkingTags {
      members["thinkingOpenTag"] = .string(tags.open)
      members["thinkingCloseTag"] = .string(tags.close)
    }
    members["syncPending"] = .bool(true)
    return .object(members)
  }

  /// As it is sent of a model of which it is not known.
  static let nothingOfModel: [String: JSONValue] = ["estimatedMemory": .integer(0), "contextLength": .integer(0)]

  /// Without the app's own context.
  static func session(_ session: GenerationSession) -> JSONValue {
    let nothing: [String: JSONValue] = ["averageTimeToFirstToken": .integer(0), "averageTokensPerSecond": .integer(0)]
    return .object(object(session, HistoryFields.jsonSessions, nothing: nothing))
  }

  /// Without what was asked and answered.
  static func generation(_ generation: Generation) -> JSONValue {
    let nothing: [String: JSONValue] = [
      "performance.timeToFirstToken": .integer(0), "performance.tokensPerSecond": .integer(0), "performance.routingReason": .string(""),
    ]
    return .object(object(generation, HistoryFields.jsonGenerations, nothing: generation.performance == nil ? [:] : nothing))
  }

  /// The value is the preference's JSON, word for word.
  static func preference(_ preference: UserPreference) -> JSONValue {
    .object([
      "id": .string(preference.name), "data": .string(preference.value), "updatedAt": date(preference.updatedAt),
      "syncPending": .bool(true),
    ])
  }

  static func date(_ date: Date) -> JSONValue {
    let form: LegacyDates = .since2001
    return form.value(date)
  }

  private static func object<Row: Sendable>(
    _ row: Row, _ fields: [LegacyField<Row>], nothing: [String: JSONValue] = [:]
  ) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    for field in fields {
      var value = field.get(row)
      if value == .null { value = nothing[field.name] ?? .null }
      if value != .null { members.put(value, at: field.name.split(separator: ".").map(String.init)[...]) }
    }
    return members
  }
}

extension [String: JSONValue] {
  /// Sets a member of an object within an object, and makes those that are not there.
  fileprivate mutating func put(_ value: JSONValue, at path: ArraySlice<String>) {
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
