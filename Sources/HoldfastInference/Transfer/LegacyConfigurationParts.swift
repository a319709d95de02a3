import Foundation
import Holdfast
import HoldfastTransfer

// The parts of a configuration in the second database. The app replaced them by defaults when it read them; the import takes the rows,
// and the private defaults for missing values. Their own ids and times are not imported: a part belongs to its configuration.

enum ConfigurationParts {
  static let routings: FieldTable<RoutingRow> = [
    .required("policy_type", \.routing.policy, .word),
    .optional("on_device_threshold", \.routing.onDeviceThreshold, .double),
    .optional("max_cloud_cost_per_request", \.routing.maxCloudCostPerRequest, .double),
    .optional("prefer_on_device", \.routing.prefersOnDevice, .bool),
  ]

  static let analytics: FieldTable<AnalyticsRow> = [
    .kept("analytics_level", \.analytics.level, .word),
    .optional("metrics_enabled", \.analytics.areMetricsEnabled, .bool),
    .optional("error_reporting_enabled", \.analytics.isErrorReportingEnabled, .bool),
    .optional("performance_tracking_enabled", \.analytics.isPerformanceTrackingEnabled, .bool),
  ]

  static let storage: FieldTable<StorageRow> = [
    .kept("max_cache_size_mb", \.storage.maxCacheSizeBytes, megabytes),
    .kept("auto_cleanup_enabled", \.storage.isAutoCleanupEnabled, .bool),
    .optional("cleanup_threshold_percentage", \.storage.cleanupThresholdPercent, .int),
    .optional("model_retention_days", \.storage.modelRetentionDays, .int),
  ]

  /// A megabyte has 1,048,576 bytes in the SDK.
  private static let megabytes = ValueForm<Int64>("a number of megabytes") { bytes in
    bytes % 1_048_576 == 0 ? .integer(bytes / 1_048_576) : .double(Double(bytes) / 1_048_576)
  } read: { json in
    guard let number = json.wholeNumber else { return nil }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: 1_048_576)
    return overflow ? nil : Written(value: bytes, text: .integer(number))
  }

  private static func table<Row: StoredRecord>(
    _ fields: FieldTable<Row>, _ configurationID: any KeyPath<Row, String> & Sendable,
    number: (@Sendable (Row) -> Int64)? = nil
  ) -> LegacyTable<Row> {
    LegacyTable(
      kind: RecordKind(
        Row.table, table: Row.table, fields,
        key: { row in row[keyPath: configurationID] + (number.map { "/\($0(row))" } ?? "") },
        parent: { .init(kind: ConfigurationRow.table, key: $0[keyPath: configurationID]) }, place: number.map { .number($0) },
        find: { said, reader in
          let condition: BoundSQL = "WHERE configuration_id = \(said.row[keyPath: configurationID])"
          guard let number = number?(said.row) else { return try reader.first(Row.self, condition) }
          return try reader.first(Row.self, "\(sql: condition) AND position = \(number)")
        }, save: { try $2.upsert($0) }))
  }

  static let routingTable = table(routings, \.configurationID) { $0.position }
  static let analyticsTable = table(analytics, \.configurationID)
  static let storageTable = table(storage, \.configurationID)
}
