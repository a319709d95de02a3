import Foundation
import Holdfast
import HoldfastTransfer

// The parts of a configuration in the second database, which the app itself read back as its defaults: here they are what their rows say.
// What no row says is the private default. Their own ids and times have no place: a part is that of its configuration.

enum ConfigurationParts {
  static let routings: [LegacyField<RoutingRow>] = [
    LegacyField.text("policy_type", \.routing.policy.rawValue).required,
    .doubleOrNil("on_device_threshold", \.routing.onDeviceThreshold),
    .doubleOrNil("max_cloud_cost_per_request", \.routing.maxCloudCostPerRequest),
    .boolOrNil("prefer_on_device", \.routing.prefersOnDevice),
  ]

  static let analytics: [LegacyField<AnalyticsRow>] = [
    .text("analytics_level", \.analytics.level.rawValue),
    .boolOrNil("metrics_enabled", \.analytics.areMetricsEnabled),
    .boolOrNil("error_reporting_enabled", \.analytics.isErrorReportingEnabled),
    .boolOrNil("performance_tracking_enabled", \.analytics.isPerformanceTrackingEnabled),
  ]

  static let storage: [LegacyField<StorageRow>] = [
    megabytes("max_cache_size_mb"),
    .bool("auto_cleanup_enabled", \.storage.isAutoCleanupEnabled),
    .intOrNil("cleanup_threshold_percentage", \.storage.cleanupThresholdPercent),
    .intOrNil("model_retention_days", \.storage.modelRetentionDays),
  ]

  /// Of 1,048,576 bytes, as the SDK counts.
  private static func megabytes(_ name: String) -> LegacyField<StorageRow> {
    LegacyField(name, "a number of megabytes", .keeps, \.storage.maxCacheSizeBytes) { bytes in
      bytes % 1_048_576 == 0 ? .integer(bytes / 1_048_576) : .double(Double(bytes) / 1_048_576)
    } read: { value in
      guard let number = LegacyValue.int64(value) else { return nil }
      let (bytes, overflow) = number.value.multipliedReportingOverflow(by: 1_048_576)
      return overflow ? nil : Written(value: bytes, text: number.text)
    }
  }

  private static func table<Row: StoredRecord>(
    _ fields: [LegacyField<Row>], _ configurationID: any KeyPath<Row, String> & Sendable,
    place: @escaping @Sendable (Row) -> Int64? = { _ in nil }
  ) -> LegacyTable<Row> {
    LegacyTable(
      kind: Row.table, fields: fields, idColumn: nil,
      key: { $0[keyPath: configurationID] }, place: place,
      find: { row, reader in
        let condition: BoundSQL = "WHERE configuration_id = \(row[keyPath: configurationID])"
        guard let place = place(row) else { return try reader.first(Row.self, condition) }
        return try reader.first(Row.self, "\(sql: condition) AND position = \(place)")
      }, put: { try $1.upsert($0) })
  }

  static let routingTable = table(routings, \.configurationID) { $0.position }
  static let analyticsTable = table(analytics, \.configurationID)
  static let storageTable = table(storage, \.configurationID)
}
