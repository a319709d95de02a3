import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

/// A folder with a database of the SDK and a store that it is imported into; clock and ids are fixed.
final class LegacyWorld {
  let folder: TemporaryFolder
  let clock = TestClock()
  let source: URL
  private let newID = NewID.counting()
  var store: URL { folder.file("store.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    source = folder.file("runanywhere.db")
  }

  var options: StoreOptions {
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.now = { [clock] in clock.now }
    options.newID = newID
    return options
  }

  /// Runs statements on the source.
  func database(_ statements: [String]) throws {
    try RawDatabase.with(source, creating: true) { try $0.execute(statements.joined(separator: ";\n")) }
  }

  /// Imports the source, and checks what must hold after every import: the source is the same, the store is healthy.
  func report(format: String? = nil, secretKey: SecretKey? = World.secretKey, dryRun: Bool = false) throws -> ImportReport {
    let content = try Data(contentsOf: source)
    var options = ImportOptions()
    options.dryRun = dryRun
    let report = try InferenceStore.importLibrary(
      from: source, into: store, format: format, secretKey: secretKey, options: options, storeOptions: self.options)
    #expect(try Data(contentsOf: source) == content)
    #expect(report.verified && report.counts.values.allSatisfy { $0.addsUp })
    if !dryRun { #expect(try withStore { try $0.store.integrityCheck().findings.map(\.message) } == []) }
    return report
  }

  /// The whole report as a picture.
  func importing(secretKey: SecretKey? = World.secretKey) throws -> String { try report(secretKey: secretKey).picture }

  /// The error of an import that must fail and leave nothing behind.
  func failure(format: String? = nil, secretKey: SecretKey? = World.secretKey) throws -> StoreError {
    let before = try folder.contents()
    let error = #expect(throws: StoreError.self) { _ = try report(format: format, secretKey: secretKey) }
    #expect(try folder.contents() == before)
    return try #require(error)
  }

  func withStore<T>(secretKey: SecretKey? = World.secretKey, _ body: (InferenceStore) throws -> T) throws -> T {
    let inference = try InferenceStore.open(at: store, secretKey: secretKey, options: options)
    let result = try body(inference)
    try inference.store.close()
    return result
  }

  func configuration(_ id: String = InferenceConfiguration.defaultID) throws -> InferenceConfiguration? {
    try withStore { try $0.configuration(id) }
  }

  func all<Record: StoredRecord>(_ type: Record.Type) throws -> [Record] {
    try withStore { inference in try inference.store.read { try $0.all(type, "ORDER BY rowid") } }
  }

  /// What a statement gives, a line a row.
  func lines(_ sql: BoundSQL) throws -> [String] {
    try withStore { inference in try inference.store.read { try $0.values(sql) { try $0.text() } } }
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

  /// The bytes that the quarantine keeps, as text.
  func quarantine() throws -> [String] { try lines("SELECT CAST(original AS TEXT) FROM holdfast_quarantine ORDER BY id") }

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

  /// With these properties.
  static func event(_ id: String, _ properties: String) -> String {
    row("telemetry", id, #"{"id":"\#(id)","eventType":"error","properties":{\#(properties)},"timestamp":1,"updatedAt":1}"#)
  }

  static func session(_ number: Int, _ json: String = "", pending: String = "0", updated: String = "1754400061.5") -> String {
    let data =
      #"{"id":"\#(id(number))","modelId":"llama","sessionType":"chat","startTime":776092800.125,"generationCount":1,"#
      + #""totalInputTokens":60,"totalOutputTokens":30,"averageTimeToFirstToken":0.09,"averageTokensPerSecond":49,"totalDuration":0.6125\#(json)}"#
    return "INSERT INTO generation_sessions VALUES ('\(id(number))', 'llama', 'chat', '\(data)', 1754400000.125, \(updated), \(pending))"
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

  /// Behind this a script may write what the second database's checks refuse.
  static let unchecked = "PRAGMA ignore_check_constraints = 1"

  /// The second one's statements, with checks and keys as the app had them.
  static let second = (try? String(contentsOf: secondFile, encoding: .utf8)) ?? "the fixture is not there"
  private static let secondFile = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent(
      "Fixtures/sdk-second.sql")

  static let date = "'2025-08-05 13:20:00.125'"

  static func configuration(key: String = "NULL", consent: String = "none", mode: String = "standard", pending: Int = 0) -> String {
    """
    INSERT INTO configuration VALUES ('default', \(key), 'https://models.example', 3, 2048, '\(mode)', '\(consent)', \(date),
      '2025-08-05 13:21:00.250', \(pending))
    """
  }
}
