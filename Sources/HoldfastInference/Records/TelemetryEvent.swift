public import Foundation
public import Holdfast

/// An event, recorded to be sent.
public struct TelemetryEvent: StoredRecord, Hashable, Identifiable {
  /// The table of these rows.
  public static let table = "telemetry"
  /// The columns, in the order in which `init(row:)` reads and `encode(into:)` writes them.
  public static let columns = [
    "id", "type", "name", "properties", "occurred_at", "user_id", "session_id", "device_info", "sdk_version", "created_at", "updated_at",
  ]

  /// Unique; any text but an empty one. The server identifies an event by it, so it is never changed, not even in case.
  public var id: String
  /// The type of the event.
  public var type: TelemetryEventType
  /// A more exact name; nil when the type is enough.
  public var name: String?
  /// Texts by name, as JSON.
  public var properties: StoredJSON<[String: String]>
  /// When the event happened, to the millisecond.
  public var occurredAt: Date
  /// Nil when the event names no user.
  public var userID: String?
  /// Nil when the event belongs to no session.
  public var sessionID: String?
  /// The device of the event; nil when not given.
  public var deviceInfo: [String: JSONValue]?
  /// Nil when not given.
  public var sdkVersion: String?
  /// When the event was recorded, to the millisecond.
  public var createdAt: Date
  /// To the millisecond.
  public var updatedAt: Date

  /// An event. Dates are rounded to the millisecond, so that a loaded value equals the saved one.
  public init(
    id: String, type: TelemetryEventType, name: String? = nil, properties: StoredJSON<[String: String]> = .empty, occurredAt: Date,
    userID: String? = nil, sessionID: String? = nil, deviceInfo: [String: JSONValue]? = nil, sdkVersion: String? = nil,
    createdAt: Date? = nil, updatedAt: Date? = nil
  ) {
    self.id = id
    self.type = type
    self.name = name
    self.properties = properties
    self.occurredAt = DateCodec.rounded(occurredAt)
    self.userID = userID
    self.sessionID = sessionID
    self.deviceInfo = deviceInfo
    self.sdkVersion = sdkVersion
    self.createdAt = DateCodec.rounded(createdAt ?? occurredAt)
    self.updatedAt = DateCodec.rounded(updatedAt ?? createdAt ?? occurredAt)
  }

  /// - Throws: `.decoding` for a value that is damaged.
  public init(row: inout StoredRow) throws {
    id = try row.text()
    type = TelemetryEventType(rawValue: try row.text())
    name = try row.textOrNil()
    properties = try row.json()
    occurredAt = try row.date()
    userID = try row.textOrNil()
    sessionID = try row.textOrNil()
    deviceInfo = try row.objectOrNil()
    sdkVersion = try row.textOrNil()
    createdAt = try row.date()
    updatedAt = try row.date()
  }

  /// - Throws: `.invalidValue` for a number that is not finite and a date that cannot be stored.
  public func encode(into values: inout Values) throws {
    try values.text(id)
    try values.text(type.rawValue)
    try values.text(name)
    try values.json(properties)
    try values.date(occurredAt)
    try values.text(userID)
    try values.text(sessionID)
    try values.object(deviceInfo)
    try values.text(sdkVersion)
    try values.date(createdAt)
    try values.date(updatedAt)
  }
}
