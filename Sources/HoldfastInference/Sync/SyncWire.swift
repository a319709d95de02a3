import Foundation
import Holdfast
import HoldfastTransfer

// Rows in the SDK's own JSON, mostly written by the tables of fields that also read the SDK's databases. Nil is left out, and dates
// are seconds since 2001, as in `JSONEncoder`. The SDK's decoder requires some values that a row may lack; then 0, an empty
// text or the row's creation time is sent.

enum SyncWire {
  /// An event with all its fields. The properties are the base64 of their JSON.
  static func event(_ event: TelemetryEvent) -> JSONValue {
    var members: [String: JSONValue] = [
      "id": .string(event.id), "type": .string(event.type.rawValue), "data": base64(event.properties.text),
      "timestamp": date(event.occurredAt), "createdAt": date(event.createdAt), "updatedAt": date(event.updatedAt),
    ]
    members["name"] = event.name.map(JSONValue.string)
    members["userId"] = event.userID.map(JSONValue.string)
    members["sessionId"] = event.sessionID.map(JSONValue.string)
    members["deviceInfo"] = event.deviceInfo.map(JSONValue.object)
    members["sdkVersion"] = event.sdkVersion.map(JSONValue.string)
    return .object(members)
  }

  static func envelope(_ configuration: InferenceConfiguration) -> JSONValue {
    .object([
      "id": .string(configuration.id),
      "data": base64(self.configuration(configuration).canonicalText()),
      "version": .string("1.0"), "lastModified": date(configuration.updatedAt),
    ])
  }

  /// Without the API's key and the name under which it is sealed: neither is a field of this form.
  static func configuration(_ configuration: InferenceConfiguration) -> JSONValue {
    var members = ConfigurationFields.nested.without(["generation.thinkingPattern"]).object(of: configuration)
    if let tags = configuration.generation.thinkingTags {
      let pattern = JSONValue.object(["openingTag": .string(tags.open), "closingTag": .string(tags.close)])
      members.put(pattern, at: ["generation", "thinkingPattern"])
    }
    members["syncPending"] = .bool(true)
    return .object(members)
  }

  /// The path of the file is private to this device: it is sent empty, as for a model without a file.
  static func model(_ model: ModelMetadata) -> JSONValue {
    var members = ModelFields.json.without(["localPath", "thinkingTags"]).object(of: model, absent: nothingOfModel)
    members["downloadedAt"] = date(model.downloadedAt ?? model.createdAt)
    members["localPath"] = .string("")
    if let tags = model.thinkingTags {
      members["thinkingOpenTag"] = .string(tags.open)
      members["thinkingCloseTag"] = .string(tags.close)
    }
    members["syncPending"] = .bool(true)
    return .object(members)
  }

  /// The values that are sent when a model's value is unknown.
  static let nothingOfModel: [String: JSONValue] = ["estimatedMemory": .integer(0), "contextLength": .integer(0)]

  /// Without the app's own context.
  static func session(_ session: GenerationSession) -> JSONValue {
    let nothing: [String: JSONValue] = ["averageTimeToFirstToken": .integer(0), "averageTokensPerSecond": .integer(0)]
    return .object(HistoryFields.jsonSessions.object(of: session, absent: nothing))
  }

  /// Without the request and the answer.
  static func generation(_ generation: Generation) -> JSONValue {
    let nothing: [String: JSONValue] = [
      "performance.timeToFirstToken": .integer(0), "performance.tokensPerSecond": .integer(0), "performance.routingReason": .string(""),
    ]
    return .object(HistoryFields.jsonGenerations.object(of: generation, absent: generation.performance == nil ? [:] : nothing))
  }

  /// The value is the preference's JSON, word for word.
  static func preference(_ preference: UserPreference) -> JSONValue {
    .object([
      "id": .string(preference.name), "data": .string(preference.value), "updatedAt": date(preference.updatedAt),
      "syncPending": .bool(true),
    ])
  }

  private static func base64(_ text: String) -> JSONValue { .string(Data(text.utf8).base64EncodedString()) }

  static func date(_ date: Date) -> JSONValue { ValueForm.since2001.text(of: date) }
}

extension Outbox {
  /// The body of a request.
  func body(_ rows: [Row], _ options: SyncOptions, at date: Date) -> JSONValue {
    let elements = JSONValue.array(rows.map(\.element))
    switch self {
    case .telemetry:
      // The API requires these members; for an anonymous request they are empty.
      let isAnonymous = rows.contains(where: \.isAnonymous)
      return .object([
        "events": elements, "deviceId": .string(isAnonymous ? "" : options.deviceID),
        "sessionId": .string(isAnonymous ? "" : options.sessionID), "timestamp": .double(date.timeIntervalSinceReferenceDate),
      ])
    case .configurations: return rows.first?.element ?? .null
    case .models: return .object(["models": elements])
    case .sessions: return .object(["sessions": elements, "generations": .array([])])
    case .generations: return .object(["sessions": .array([]), "generations": elements])
    case .preferences: return .object(["preferences": elements])
    }
  }
}
