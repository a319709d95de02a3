import Foundation
import GRDB
import Holdfast
import HoldfastInference

/// A record as GRDB's own documentation writes it, for the table of telemetry; its JSON is text that is made already.
struct EventRecord: LibraryRecord {
  static let databaseTableName = "telemetry"
  var id: String
  var type: String
  var name: String?
  var properties: String
  var occurredAt: Date
  var userID: String?
  var sessionID: String?
  var deviceInfo: String?
  var sdkVersion: String?
  var createdAt: Date
  var updatedAt: Date

  enum CodingKeys: String, CodingKey {
    case id, type, name, properties
    case occurredAt = "occurred_at"
    case userID = "user_id"
    case sessionID = "session_id"
    case deviceInfo = "device_info"
    case sdkVersion = "sdk_version"
    case createdAt = "created_at"
    case updatedAt = "updated_at"
  }

  init(_ event: TelemetryEvent) {
    id = event.id
    type = event.type.rawValue
    name = event.name
    properties = event.properties.text
    occurredAt = event.occurredAt
    userID = event.userID
    sessionID = event.sessionID
    sdkVersion = event.sdkVersion
    createdAt = event.createdAt
    updatedAt = event.updatedAt
  }
}

/// A `DatabasePool` with Codable records.
final class InferenceGRDB: GRDBPool {
  func record(_ events: [EventRecord]) throws -> Found {
    try pool.write { db in for event in events { try event.insert(db) } }
    return Found([Double(events.count)])
  }
}
