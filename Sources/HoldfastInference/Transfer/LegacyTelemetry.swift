import Foundation
import Holdfast
import HoldfastTransfer

/// Events and preferences, in both databases.
enum TelemetryFields {
  static let json: [LegacyField<TelemetryEvent>] = [
    LegacyField.text("id", \.id).required,
    LegacyField.text("eventType", \.type.rawValue).required,
    properties("properties"),
    .date("timestamp", \.recordedAt, .since2001),
    .date("updatedAt", \.updatedAt, .since2001),
  ]

  static let columns: [LegacyField<TelemetryEvent>] = [
    LegacyField.text("id", \.id).required,
    LegacyField.text("event_type", \.type.rawValue).required,
    .textOrNil("event_name", \.name),
    properties("properties"),
    .textOrNil("user_id", \.userID),
    .textOrNil("session_id", \.sessionID),
    .objectOrNil("device_info", \.deviceInfo),
    .textOrNil("sdk_version", \.sdkVersion),
    .date("timestamp", \.occurredAt, .sqlText),
    .date("created_at", \.storedAt, .sqlText),
  ]

  /// What the SDK says of sending is not believed: it marked events without sending them.
  /// What may be sent is decided by the consent of the configuration that is in the store by now.
  static func table(_ fields: [LegacyField<TelemetryEvent>], in reader: Reader) throws -> LegacyTable<TelemetryEvent> {
    let consent = try InferenceStore.configuration(in: reader)?.analytics.telemetryConsent ?? .denied
    return LegacyTable(
      kind: TelemetryEvent.table, fields: fields, idColumn: "id", key: { $0.id },
      updatedAt: { $0.updatedAt }, mayWait: { mayWait($0, consent) },
      find: { try $1.first(TelemetryEvent.self, "WHERE id = \($0.id)") }, put: { try $1.upsert($0) })
  }

  /// Whether an event that comes in may be sent, as far as the consent goes.
  private static func mayWait(_ event: TelemetryEvent, _ consent: TelemetryConsent) -> Bool {
    switch consent {
    case .granted: return true
    case .limited:
      guard event.type == .error || event.type == .performance else { return false }
      // It is kept whole, and would be sent whole under a later consent.
      guard event.userID == nil, event.sessionID == nil, event.deviceInfo == nil else { return false }
      let names = [String: JSONValue](json: event.properties.text)?.keys.map(SecretProperties.plain) ?? []
      return !names.contains { name in TelemetryFilter.personalWords.contains(where: name.contains) }
    default: return false
    }
  }

  private static func properties(_ name: String) -> LegacyField<TelemetryEvent> {
    LegacyField(name, "an object of texts", .keeps, \.properties) { properties in
      [String: JSONValue](json: properties.text).map(JSONValue.object) ?? .null
    } read: { value in
      guard case .object(let members) = value, members.values.allSatisfy({ if case .string = $0 { true } else { false } }) else {
        return nil
      }
      return Written(value: StoredJSON(text: value.canonicalText()), text: value)
    }
  }

  /// The value is the record's JSON, word for word, whatever it says.
  static let preferences: [LegacyField<UserPreference>] = [
    LegacyField.text("name", \.name).required,
    json("value").required,
    .date("updatedAt", \.madeAt, .since2001),
  ]

  static let preferenceColumns: [LegacyField<UserPreference>] = [
    LegacyField.text("preference_key", \.name).required,
    json("preference_value").required,
    .date("created_at", \.createdAt, .sqlText),
    .date("updated_at", \.updatedAt, .sqlText),
  ]

  /// Its text, without the mark that says which encoding it is in: SQLite knows no JSON with one.
  private static func json(_ name: String) -> LegacyField<UserPreference> {
    LegacyField(name, "a text", .keeps, \.value, get: JSONValue.string) { value in
      guard case .string(let text) = value else { return nil }
      let plain = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
      return Written(value: plain, text: .string(plain))
    }
  }

  static func preferenceTable(_ fields: [LegacyField<UserPreference>]) -> LegacyTable<UserPreference> {
    LegacyTable(
      kind: UserPreference.table, fields: fields, idColumn: "name", key: { $0.name },
      updatedAt: { $0.updatedAt }, find: { try $1.first(UserPreference.self, "WHERE name = \($0.name)") },
      put: { preference, tx in
        try tx.upsert(preference)
        // A newer edition may have been made anew.
        try tx.execute("UPDATE user_preferences SET created_at = \(preference.createdAt) WHERE name = \(preference.name)")
      })
  }
}

extension TelemetryEvent {
  /// The first database has one time for both.
  fileprivate var recordedAt: Date {
    get { occurredAt }
    set { (occurredAt, createdAt) = (newValue, newValue) }
  }

  fileprivate var storedAt: Date {
    get { createdAt }
    set { (createdAt, updatedAt) = (newValue, newValue) }
  }
}

extension UserPreference {
  fileprivate var madeAt: Date {
    get { updatedAt }
    set { (createdAt, updatedAt) = (newValue, newValue) }
  }
}
