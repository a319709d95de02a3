import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer

/// A folder with a database of the SDK and a store that it is imported into.
typealias LegacyWorld = ImportWorld<InferenceStore>

extension LegacyWorld {
  convenience init() throws {
    try self.init(
      "runanywhere.db", importer: LegacyWorld.importer(World.secretKey), library: { InferenceStore($0, secretKey: World.secretKey) })
  }

  /// The SDK's import, with a key for secrets or without.
  static func importer(_ secretKey: SecretKey?) -> (LibraryImport) throws -> ImportReport {
    { wanted in
      try InferenceStore.importLibrary(
        from: wanted.source, into: wanted.store, format: wanted.format, secretKey: secretKey, options: wanted.options,
        storeOptions: wanted.storeOptions)
    }
  }

  /// Runs statements on the source.
  func database(_ statements: [String]) throws {
    try RawDatabase.with(source, creating: true) { try $0.execute(statements.joined(separator: ";\n")) }
  }

  func configuration(_ id: String = InferenceConfiguration.defaultID) throws -> InferenceConfiguration? {
    try withLibrary { try $0.store.read { try InferenceStore.configuration(id, in: $0) } }
  }

  func all<Record: StoredRecord>(_ type: Record.Type) throws -> [Record] {
    try withLibrary { inference in try inference.store.read { try $0.all(type, "ORDER BY rowid") } }
  }

  /// `id revision/acknowledged` of every row of a table.
  func revisions(_ table: String, key: String = "id") throws -> [String] {
    try lines("SELECT \(raw: key) || ' ' || revision || '/' || acknowledged_revision FROM \(raw: table) ORDER BY \(raw: key)")
  }

  /// What becomes of each event.
  func telemetry() throws -> [String] {
    try lines(
      """
      SELECT id || iif(revision <= acknowledged_revision, ' was sent', iif(revision <= set_aside_revision, ' set aside', ' waits'))
      FROM telemetry ORDER BY id
      """)
  }

  /// The files of the folder, but for the source and its log, that have this text somewhere.
  func files(with text: String) throws -> [String] {
    try Traces.files(of: text, in: folder.url).filter { !["runanywhere.db", "runanywhere.db-wal", "runanywhere.db-shm"].contains($0) }
  }
}

/// The SDK's two databases, in SQL.
enum SDKDatabase {
  private static let blob =
    "id TEXT PRIMARY KEY, data TEXT NOT NULL, updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, sync_pending INTEGER DEFAULT 1"

  static let first =
    ["configuration", "telemetry", "model_metadata", "generation_history", "user_preferences"].map { "CREATE TABLE \($0) (\(blob))" }
    .joined(separator: ";\n") + """
      ;
      CREATE TABLE generation_sessions (id TEXT PRIMARY KEY, model_id TEXT, session_type TEXT, data TEXT NOT NULL, created_at REAL,
        updated_at REAL, sync_pending INTEGER DEFAULT 1);
      CREATE TABLE generations (id TEXT PRIMARY KEY, session_id TEXT, sequence_number INTEGER, data TEXT NOT NULL, created_at REAL,
        updated_at REAL, sync_pending INTEGER DEFAULT 1, FOREIGN KEY (session_id) REFERENCES generation_sessions (id))
      """

  /// A row of one of the five tables. `pending` is the column.
  static func row(_ table: String, _ id: String, _ json: String, updated: String = "1754400000.25", pending: String = "0") -> String {
    "INSERT INTO \(table) VALUES ('\(id)', '\(json.replacingOccurrences(of: "'", with: "''"))', \(updated), \(pending))"
  }

  static func event(_ id: String, _ type: String = "error", _ properties: String = "", pending: String = "0") -> String {
    row(
      "telemetry", id, #"{"id":"\#(id)","eventType":"\#(type)","properties":{\#(properties)},"timestamp":1,"updatedAt":1}"#,
      pending: pending)
  }

  static func session(_ number: Int, _ json: String = "") -> String {
    let data =
      #"{"id":"\#(id(number))","modelId":"llama","sessionType":"chat","startTime":776092800.125,"generationCount":1,"#
      + #""totalInputTokens":60,"totalOutputTokens":30,"averageTimeToFirstToken":0.09,"averageTokensPerSecond":49,"totalDuration":0.6125\#(json)}"#
    return "INSERT INTO generation_sessions VALUES ('\(id(number))', 'llama', 'chat', '\(data)', 1754400000.125, 1754400061.5, 0)"
  }

  static func generation(_ number: Int, in session: Int, table: String = "generations", _ json: String = measured) -> String {
    let data = #"{"id":"\#(id(number))","sessionId":"\#(id(session))","sequenceNumber":1,"timestamp":776092800.125\#(json)}"#
    return table == "generations"
      ? "INSERT INTO generations VALUES ('\(id(number))', '\(id(session))', 1, '\(data)', 1754400000.125, 1754400000.125, 0)"
      : row(table, id(number), data)
  }

  static let measured =
    #","performance":{"timeToFirstToken":0.09,"totalGenerationTime":0.6125,"inputTokens":60,"outputTokens":30,"tokensPerSecond":49,"#
    + #""modelId":"llama","executionTarget":"hybrid","routingFramework":"LlamaCpp","routingReason":"privacy"}"#

  static func id(_ number: Int) -> String {
    "E621E1F8-C36C-495A-93FC-" + String(repeating: "0", count: 12 - "\(number)".count) + "\(number)"
  }
  static func uuid(_ number: Int) -> UUID { UUID(uuidString: id(number)) ?? UUID() }

  /// A model of the second database. The values are in SQL, but for `id` and `format`.
  static func model(
    _ id: String, format: String = "mlx", version: String = "'1'", capabilities: String = "CAST('{}' AS BLOB)",
    requirements: String = "NULL", path: String = "NULL", isDownloaded: Int = 0
  ) -> String {
    """
    INSERT INTO model_metadata VALUES ('\(id)', 'M', '\(format)', 'MLX', 1, NULL, \(version), NULL, \(capabilities), \(requirements), NULL,
      \(path), \(isDownloaded), NULL, NULL, 0, 0, \(date), \(date), 0)
    """
  }

  /// A session of the second database, of which nothing is known.
  static func emptySession(_ number: Int, of model: String = "m") -> String {
    "INSERT INTO generation_sessions VALUES ('\(id(number))', '\(model)', 'batch', 0, 0, 0, NULL, \(date), NULL, \(date), \(date), 0)"
  }

  /// A generation of the second database, of session 1.
  static func plainGeneration(_ number: Int, at place: Int = 1, tokens: Int = 3, target: String = "cloud") -> String {
    """
    INSERT INTO generations VALUES ('\(id(number))', '\(id(1))', \(place), 1, 2, \(tokens), 5, NULL, NULL, 0, 0, '\(target)', NULL, NULL,
      NULL, NULL, NULL, NULL, \(date), 0)
    """
  }

  static func policy(_ id: String, _ type: String = "balanced", of configuration: String = "default") -> String {
    "INSERT INTO routing_policies VALUES ('\(id)', '\(configuration)', '\(type)', 0.5, NULL, 0, \(date))"
  }

  /// Behind this a script may write what the second database's checks refuse.
  static let unchecked = "PRAGMA ignore_check_constraints = 1"

  /// The second one's statements, with checks and keys as the app had them.
  static let second = (try? String(contentsOf: secondFile, encoding: .utf8)) ?? "the fixture is not there"
  private static let secondFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/sdk-second.sql")

  static let date = "'2025-08-05 13:20:00.125'"

  static func configuration(key: String = "NULL", consent: String = "none", mode: String = "standard", pending: Int = 0) -> String {
    """
    INSERT INTO configuration VALUES ('default', \(key), 'https://models.example', 3, 2048, '\(mode)', '\(consent)', \(date),
      '2025-08-05 13:21:00.250', \(pending))
    """
  }
}
