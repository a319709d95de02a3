import Foundation
import Holdfast
import HoldfastTransfer

/// The SDK's second database, in a file of the same name: one column for each field, times as GRDB writes them.
///
/// Foreign keys have two spellings. The app replaced a configuration's parts by defaults when it read them; the import takes
/// the rows, and the private defaults for missing values. The consent uses other words: none, anonymous, detailed. The mark of
/// sending is not trusted. Not imported are ids and times of a configuration's parts, of usage and of preferences, and the
/// creation time of a session's row.
struct GRDBScan: InferenceScan {
  static let formatName = "inference-grdb"
  static let kinds = [
    "configuration", "secrets", "routing_policies", "analytics_config", "storage_config", "model_metadata", "model_usage_stats",
    "generation_sessions", "generations", "telemetry", "user_preferences",
  ].map { (name: $0, table: $0) }

  /// The columns that may hold ids as 16 bytes, in both spellings.
  private static let ids: Set<String> = [
    "id", "configuration_id", "configurationid", "generation_sessions_id", "generation_sessionsid", "model_metadata_id",
    "model_metadataid",
  ]

  private let database: InferenceDatabase
  private var tables: SourceTables { database.tables }
  private var configurations = Parents<ExactText, InferenceConfiguration>("configuration")
  /// With the ids of their models.
  private var sessions = Parents<UUID, String>("session")
  private var generationCounts: [UUID: Int] = [:]

  init(_ database: InferenceDatabase) { self.database = database }

  static func version(of source: SQLiteSource) -> Int { 1 }

  static func keys(in source: SQLiteSource) throws -> APIKeyRecord.Found {
    var found = APIKeyRecord.Found.nothing
    try source.rows(of: "configuration") { row in
      for column in APIKeyRecord.columns(of: row) {
        found = max(found, SourceMembers(row).text(column) == nil ? .unreadable : .keys)
      }
    }
    return found
  }

  mutating func run(_ reader: Reader, _ visit: InferenceDatabase.Visit) throws {
    try tables.rows(of: "configuration") { try configuration($0, reader, visit) }
    try tables.rows(of: "routing_policies") { row in
      try part(row, ConfigurationParts.routingTable, reader, visit) { id, owner, place in
        RoutingRow(Routing(privacyMode: owner?.routing.privacyMode ?? .strict), of: id, at: Int64(place))
      }
    }
    try tables.rows(of: "analytics_config") { row in
      try part(row, ConfigurationParts.analyticsTable, reader, visit) { id, _, _ in AnalyticsRow(.init(), of: id) }
    }
    try tables.rows(of: "storage_config") { row in
      try part(row, ConfigurationParts.storageTable, reader, visit) { id, _, _ in StorageRow(.init(), of: id) }
    }
    try tables.rows(of: "model_metadata") { row in
      _ = try take(row, ModelFields.table(ModelFields.columns), .blank, json: ["capabilities", "requirements"], visit) { members in
        if (members.text("local_path") ?? "").isEmpty, [.bool(true), .integer(1)].contains(members.value("is_downloaded")) {
          members.leave("is_downloaded", "it is marked as downloaded, and no path names its file")
        }
      }
    }
    try tables.rows(of: "model_usage_stats") { row in
      _ = try take(row, ModelFields.usageTable, ModelUsage(modelID: "", day: ""), visit) { members in
        for name in ["id", "created_at"] { members.remove(name) }
        Self.multiply(&members)
      }
    }
    try tables.source.rows(of: "generations", only: ["generation_sessionsid", "generation_sessions_id"]) { row in
      let id = Self.members(row).text("generation_sessions_id").flatMap(IDCodec.parse)
      if let id { generationCounts[id, default: 0] += 1 }
    }
    try tables.rows(of: "generation_sessions") { try session($0, visit) }
    try tables.rows(of: "generations") { try generation($0, reader, visit) }
    let events = try TelemetryFields.table(TelemetryFields.columns, in: reader)
    try tables.rows(of: "telemetry") { row in
      _ = try take(row, events, .blank, json: ["properties", "device_info"], visit)
    }
    try tables.rows(of: "user_preferences") { row in
      _ = try take(row, TelemetryFields.preferenceTable(TelemetryFields.preferenceColumns), .blank, visit) { $0.remove("id") }
    }
  }

  private mutating func configuration(_ row: SQLiteRow, _ reader: Reader, _ visit: InferenceDatabase.Visit) throws {
    let value = APIKeyRecord.columns(of: row).first.map { SourceMembers.value(row, $0) }
    let key: String? = if case .string(let text)? = value { text } else { nil }
    let clean = APIKeyRecord.masked(row)
    let id = Self.members(row).text("id")
    let table = try ConfigurationFields.table(ConfigurationFields.columns, of: id, in: reader)
    let stored = try take(clean, table, database.blank(of: id, hasKey: key != nil), visit) { members in
      members.remove("api_key")
      if key == nil, value != nil {
        members.tell("api_key", "api_key should be a text; it is left out", .bytes([]))
      }
    }
    if let id { configurations.add(ExactText(id), stored) }
    try APIKeyRecord.visit(key, of: stored?.id, database.sealing, in: row, visit)
  }

  /// A part of a configuration; the configuration must exist.
  private mutating func part<Row>(
    _ row: SQLiteRow, _ table: LegacyTable<Row>, _ reader: Reader, _ visit: InferenceDatabase.Visit,
    make: (String, InferenceConfiguration?, _ place: Int) -> Row
  ) throws {
    let id = Self.members(row).text("configuration_id")
    let key = id.map(ExactText.init)
    let owner = key.flatMap { configurations[$0] }
    let place = configurations.nextPlace(in: key)
    func visitNewer(_ scanned: Scanned<SaidContent>, _ position: Int) throws {
      guard table.kind.name == RoutingRow.table, case .record(let record) = scanned, let id,
        let reason = try FurtherRoutings.absence(of: id, owner.flatMap { DateCodec.milliseconds($0.updatedAt) }, in: reader),
        try record.content.readBack(in: reader) == nil
      else { return try visit(scanned, position) }
      try visit(.skipped(kind: record.kind, path: record.path, reason: reason), position)
    }
    _ = try take(row, table, make(id ?? "", owner, place), visitNewer) { members in
      for name in ["id", "configuration_id", "created_at"] { members.remove(name) }
      if id == nil { members.fail("configurationId is missing") }
      configurations.find(key, for: &members)
    }
  }

  private mutating func session(_ row: SQLiteRow, _ visit: InferenceDatabase.Visit) throws {
    let id = Self.members(row).text("id").flatMap(IDCodec.parse)
    var session = GenerationSession.blank
    session.generationCount = id.flatMap { generationCounts[$0] } ?? 0
    let stored = try take(
      row, HistoryFields.sessions(HistoryFields.sessionColumns), session, json: ["context_data"], visit
    ) { $0.remove("created_at") }
    if let id { sessions.add(id, stored?.modelID) }
  }

  private func generation(_ row: SQLiteRow, _ reader: Reader, _ visit: InferenceDatabase.Visit) throws {
    let session = Self.members(row).text("generation_sessions_id").flatMap(IDCodec.parse)
    let absence = try session.flatMap { try InferenceDatabase.absence(of: $0, sessions, in: reader) }
    let model = try session.flatMap { id in
      try sessions[id] ?? reader.value("SELECT model_id FROM generation_sessions WHERE id = \(id)") { row in try row.text() }
    }
    _ = try take(
      row, HistoryFields.generations(HistoryFields.generationColumns), .blank, json: ["request_data", "response_data"], visit
    ) { members in
      if let absence { members.fail(absence) }
      members.require(HistoryFields.measured, ifAny: HistoryFields.measures)
      if members.has(HistoryFields.measured), let model { members.set("model_metadata_id", .string(model)) }
      Self.checkTotal(&members)
    }
  }

  // MARK: Small pieces

  private static func members(_ row: SQLiteRow, json: Set<String> = []) -> SourceMembers { SourceMembers(row, json: json, ids: ids) }

  private func take<Row>(
    _ row: SQLiteRow, _ table: LegacyTable<Row>, _ blank: Row, json: Set<String> = [], _ visit: InferenceDatabase.Visit,
    prepare: (inout SourceMembers) -> Void = { _ in }
  ) throws -> Row? {
    var members = Self.members(row, json: json)
    prepare(&members)
    // Drops the mark of sending.
    members.remove("sync_pending")
    return try table.visit(&members, of: row, into: blank, visit)
  }

  /// Multiplies the day's mean by its count.
  private static func multiply(_ members: inout SourceMembers) {
    guard let mean = members.value("average_latency_ms").finiteNumber else {
      return members.leave("average_latency_ms", "average_latency_ms should be a number")
    }
    let count = members.value("generation_count").wholeNumber ?? 0
    guard mean == 0 || count > 0 else { return members.leave("average_latency_ms", "average_latency_ms needs a generation_count above 0") }
    members.remove("average_latency_ms")
    members.set("total_latency_ms", .double(mean * Double(count)))
  }

  /// The total must be the sum of the other two; any other number is reported.
  private static func checkTotal(_ members: inout SourceMembers) {
    let parts = ["prompt_tokens", "completion_tokens"].compactMap { members.value($0).wholeNumber }
    if parts.count == 2, members.value("total_tokens").wholeNumber == parts[0] &+ parts[1] {
      members.remove("total_tokens")
    } else {
      members.leave("total_tokens", "total_tokens is not the sum of prompt_tokens and completion_tokens")
    }
  }
}
