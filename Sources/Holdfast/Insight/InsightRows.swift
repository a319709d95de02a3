import Foundation
internal import GRDB

// The rows of the kit's table `holdfast_insight`.
extension Database {
  func insightText(_ kind: String, day: String, name: String) throws -> String? {
    let sql = "SELECT value FROM holdfast_insight WHERE kind = :kind AND day = :day AND name = :name"
    return try String.fetchOne(self, sql: sql, arguments: ["kind": kind, "day": day, "name": name])
  }

  func putInsight(_ kind: String, _ day: String, _ name: String, _ value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys]
    let text = String(decoding: try encoder.encode(value), as: UTF8.self)
    try execute(
      sql: """
        INSERT INTO holdfast_insight (kind, day, name, value) VALUES (:kind, :day, :name, :value)
        ON CONFLICT (kind, day, name) DO UPDATE SET value = excluded.value
        """, arguments: ["kind": kind, "day": day, "name": name, "value": text])
  }
}

extension Date {
  /// The day in UTC, as `2026-01-31`; nil for a time that is no date.
  var insightDay: String? {
    DateCodec.milliseconds(self).map { String(DateCodec.iso8601($0, fraction: false).prefix(10)) }
  }
}
