public import Foundation
public import Holdfast

/// The numbers of telemetry events.
public struct TelemetryCounts: Sendable, Hashable, Codable {
  /// All events, including sent ones.
  public var total: Int
  /// Events that wait to be sent.
  public var pending: Int
  /// Events that do not wait: the server refused them again and again, or there was no consent to send them when they were imported.
  public var setAside: Int
  /// When the oldest waiting event happened; nil when none waits.
  public var oldestPendingAt: Date?

  /// Events that the server has.
  public var sent: Int { total - pending - setAside }

  /// Takes the given numbers; the others are zero.
  public init(total: Int = 0, pending: Int = 0, setAside: Int = 0, oldestPendingAt: Date? = nil) {
    self.total = total
    self.pending = pending
    self.setAside = setAside
    self.oldestPendingAt = oldestPendingAt
  }
}

extension InferenceStore {
  /// Records events, if a configuration's consent allows it, in one transaction. Returns how many were recorded.
  ///
  /// Nothing is recorded without a saved configuration, when its analytics are off or have the level none, and when the consent is denied
  /// or an unknown word. With `limited` consent only errors and performance are recorded, without user, session and device, and without
  /// properties whose names refer to one of them. Levels below `detailed` exclude events of performance, and levels below `verbose`
  /// exclude events of memory. `isErrorReportingEnabled` and `isPerformanceTrackingEnabled` exclude errors and performance when false;
  /// when the latter is true, performance is recorded at any level but none. Without `includesDeviceInfo` the device is left out, without
  /// `includesModelInfo` properties that refer to a model; with `areMetricsEnabled` false only errors and performance are recorded.
  ///
  /// Values with secret names become `(secret)`, in properties and at any depth of the device info; see `SecretProperties`. An
  /// event with a stored id is left out: it was recorded before.
  /// - Parameter configurationID: the configuration with the consent.
  /// - Throws: `.invalidValue` when an event's properties are not a JSON object of texts, or a date is outside the years 1 to
  ///   9999; `.constraint` for an empty id. Then no event is recorded.
  @discardableResult
  public func record(_ events: [TelemetryEvent], by configurationID: String = InferenceConfiguration.defaultID) async throws -> Int {
    try await store.write { [secretProperties] in try Self.record(events, by: configurationID, secretProperties: secretProperties, in: $0) }
  }

  /// One event; nil when there is none with this id.
  public func event(_ id: String) async throws -> TelemetryEvent? { try await store.read { try Self.event(id, in: $0) } }

  /// A page of all events, the newest first, sent or not.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the newest.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list; `.decoding`.
  public func events(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<TelemetryEvent> {
    try await store.read { try Self.events(after: key, limit: limit, in: $0) }
  }

  /// A page of the events that wait to be sent, the oldest first. Parameters and errors are those of `events(after:limit:)`.
  public func pendingEvents(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<TelemetryEvent> {
    try await store.read { try Self.pendingEvents(after: key, limit: limit, in: $0) }
  }

  /// How many events wait to be sent.
  public func pendingEventCount() async throws -> Int { try await store.read { try Self.pendingEventCount(in: $0) } }

  /// The numbers of telemetry events. Counts all events.
  public func telemetryCounts() async throws -> TelemetryCounts { try await store.read { try Self.telemetryCounts(in: $0) } }

  /// Deletes an event, sent or not. Returns whether there was one.
  @discardableResult
  public func deleteEvent(_ id: String) async throws -> Bool { try await store.write { try Self.deleteEvent(id, in: $0) } }

  /// Deletes every unsent event, also those that were set aside: for a person who withdraws the consent. Returns how many were deleted.
  @discardableResult
  public func deletePendingTelemetry() async throws -> Int { try await store.write { try Self.deletePendingTelemetry(in: $0) } }

  /// How many events wait to be sent now, and after each change.
  public func pendingEventCountUpdates() -> Updates<Int> {
    store.updates { try Self.pendingEventCount(in: $0) }
  }

  /// Records events inside your transaction; as `record(_:by:)`.
  ///
  /// - Parameter secretProperties: the app's own, with which its store was opened.
  public static func record(
    _ events: [TelemetryEvent], by configurationID: String = InferenceConfiguration.defaultID,
    secretProperties: SecretProperties, in tx: Writer
  ) throws -> Int {
    guard var filter = try TelemetryFilter(secretProperties, of: configurationID, in: tx) else { return 0 }
    var recorded = 0
    var batch: [TelemetryEvent] = []
    for var event in events where try filter.admit(&event) {
      batch.append(event)
      guard batch.count == eventsInStatement else { continue }
      recorded += try insertNew(batch, in: tx)
      batch.removeAll(keepingCapacity: true)
    }
    return try recorded + insertNew(batch, in: tx)
  }

  /// Reads one event inside your transaction; as `event(_:)`.
  public static func event(_ id: String, in reader: Reader) throws -> TelemetryEvent? {
    try reader.first(TelemetryEvent.self, "WHERE id = \(id)")
  }

  /// Reads a page of all events inside your transaction; as `events(after:limit:)`.
  public static func events(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<TelemetryEvent> {
    try reader.page(TelemetryEvent.self, Listing(columns: byTime, isDescending: true), after: key, limit: limit)
  }

  /// Reads a page of pending events inside your transaction; as `pendingEvents(after:limit:)`.
  public static func pendingEvents(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<TelemetryEvent> {
    try reader.page(TelemetryEvent.self, Listing(condition: Outbox.isPending, columns: byTime), after: key, limit: limit)
  }

  /// Counts the pending events inside your transaction; as `pendingEventCount()`.
  public static func pendingEventCount(in reader: Reader) throws -> Int {
    try reader.count("SELECT count(*) FROM telemetry WHERE \(sql: Outbox.isPending)")
  }

  /// Counts the telemetry events inside your transaction; as `telemetryCounts()`.
  public static func telemetryCounts(in reader: Reader) throws -> TelemetryCounts {
    TelemetryCounts(
      total: try reader.count("SELECT count(*) FROM telemetry"), pending: try pendingEventCount(in: reader),
      setAside: try reader.count("SELECT count(*) FROM telemetry WHERE \(sql: Outbox.isSetAside)"),
      oldestPendingAt: try reader.value(
        "SELECT occurred_at FROM telemetry WHERE \(sql: Outbox.isPending) ORDER BY occurred_at, id LIMIT 1"
      ) { try $0.date() })
  }

  /// Deletes an event inside your transaction; as `deleteEvent(_:)`.
  public static func deleteEvent(_ id: String, in tx: Writer) throws -> Bool {
    try tx.execute("DELETE FROM telemetry WHERE id = \(id)") > 0
  }

  /// Deletes every unsent event inside your transaction; as `deletePendingTelemetry()`.
  public static func deletePendingTelemetry(in tx: Writer) throws -> Int {
    try tx.execute("DELETE FROM telemetry WHERE \(sql: Outbox.isPending)")
      + tx.execute("DELETE FROM telemetry WHERE \(sql: Outbox.isSetAside)")
  }

  private static let byTime: [(String, PageKey.Part)] = [("occurred_at", .number), ("id", .text)]

  /// The number of rows that the kit inserts with one statement.
  private static let eventsInStatement = 50

  /// Inserts events with new ids, and returns how many there were.
  private static func insertNew(_ events: [TelemetryEvent], in tx: Writer) throws -> Int {
    if events.count == eventsInStatement {
      do {
        try tx.insert(contentsOf: events)
        return events.count
      } catch let error as StoreError where error.code == .constraint {
        // An event is already stored or has no id, and one statement inserts all or none.
      }
    }
    var inserted = 0
    for event in events where try tx.count("SELECT count(*) FROM telemetry WHERE id = \(event.id)") == 0 {
      try tx.insert(event)
      inserted += 1
    }
    return inserted
  }
}
