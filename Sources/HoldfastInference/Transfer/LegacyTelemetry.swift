import Foundation
import Holdfast
import HoldfastTransfer

/// Events and preferences, in both databases.
enum TelemetryFields {
  static let json: FieldTable<TelemetryEvent> = [
    .required("id", \.id, .text),
    .required("eventType", \.type, .word),
    .kept("properties", \.properties, .textMap),
    .required("timestamp", \.recordedAt, .since2001),
    .required("updatedAt", \.updatedAt, .since2001),
  ]

  static let columns: FieldTable<TelemetryEvent> = [
    .required("id", \.id, .text),
    .required("event_type", \.type, .word),
    .optional("event_name", \.name, .text),
    .kept("properties", \.properties, .textMap),
    .optional("user_id", \.userID, .text),
    .optional("session_id", \.sessionID, .text),
    .optional("device_info", \.deviceInfo, .object),
    .optional("sdk_version", \.sdkVersion, .text),
    .required("timestamp", \.occurredAt, .sqlText),
    .required("created_at", \.storedAt, .sqlText),
  ]

  /// The SDK's marks of sending are not trusted: it marked events without sending them. The consent of the store's
  /// configuration decides which events may be sent.
  static func table(_ fields: FieldTable<TelemetryEvent>, in reader: Reader) throws -> LegacyTable<TelemetryEvent> {
    let consent = try InferenceStore.consent(in: reader)
    func kind(isNeverSent: Bool) -> RecordKind<TelemetryEvent> {
      .sent(
        TelemetryEvent.table, fields, key: { $0.id }, updatedAt: { $0.updatedAt }, isNeverSent: isNeverSent,
        find: { try $1.first(TelemetryEvent.self, "WHERE id = \($0.row.id)") }, put: { try $1.upsert($0) })
    }
    let neverSent = kind(isNeverSent: true)
    return LegacyTable(kind: kind(isNeverSent: false), unsent: { mayWait($0, consent) ? nil : neverSent })
  }

  /// Whether the consent allows sending an imported event.
  private static func mayWait(_ event: TelemetryEvent, _ consent: TelemetryConsent) -> Bool {
    switch consent {
    case .granted: return true
    case .limited:
      guard event.type == .error || event.type == .performance else { return false }
      // The event is stored with all its properties, which a later consent would send.
      guard event.userID == nil, event.sessionID == nil, event.deviceInfo == nil else { return false }
      let names = [String: JSONValue](json: event.properties.text)?.keys.map(SecretProperties.plain) ?? []
      return !names.contains { name in TelemetryFilter.personalWords.contains(where: name.contains) }
    default: return false
    }
  }

  /// The value is the record's JSON, word for word, of any kind.
  static let preferences: FieldTable<UserPreference> = [
    .required("name", \.name, .text),
    .required("value", \.value, jsonText),
    .required("updatedAt", \.madeAt, .since2001),
  ]

  static let preferenceColumns: FieldTable<UserPreference> = [
    .required("preference_key", \.name, .text),
    .required("preference_value", \.value, jsonText),
    .required("created_at", \.createdAt, .sqlText),
    .required("updated_at", \.updatedAt, .sqlText),
  ]

  /// The text without a byte order mark, which SQLite does not accept in JSON.
  private static let jsonText = ValueForm<String>("a text", write: JSONValue.string) { json in
    guard case .string(let text) = json else { return nil }
    let plain = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
    return Written(value: plain, text: .string(plain))
  }

  static func preferenceTable(_ fields: FieldTable<UserPreference>) -> LegacyTable<UserPreference> {
    LegacyTable(
      kind: .sent(
        UserPreference.table, fields, idColumn: "name", key: { $0.name }, updatedAt: { $0.updatedAt },
        find: { try $1.first(UserPreference.self, "WHERE name = \($0.row.name)") },
        put: { preference, tx in
          try tx.upsert(preference)
          // A newer edition may have another creation time.
          try tx.execute("UPDATE user_preferences SET created_at = \(preference.createdAt) WHERE name = \(preference.name)")
        }))
  }
}

extension TelemetryEvent {
  static let blank = TelemetryEvent(id: "", type: .custom, occurredAt: .unset)

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
  static let blank = UserPreference(name: "", value: "", createdAt: .unset)

  fileprivate var madeAt: Date {
    get { updatedAt }
    set { (createdAt, updatedAt) = (newValue, newValue) }
  }
}
