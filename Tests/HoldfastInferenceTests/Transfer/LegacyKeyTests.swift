import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Keys of an API in the SDK's databases") struct LegacyKeyTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld
  private let key = "sk-live/0123456789-abcdefghij"
  /// As JSONEncoder writes it.
  private var json: String {
    #"{"id":"default","routingPolicy":"deviceOnly","apiKey":"sk-live\/0123456789-abcdefghij","updatedAt":776092800.25}"#
  }
  private let parts = ["0123456789-abcdefghij"]

  init() throws { world = try LegacyWorld() }

  @Test("a key is sealed, and stands nowhere else: not in the copy, a report, the ledger or a log", arguments: [true, false])
  func sealed(isFirst: Bool) throws {
    try world.database(
      isFirst ? [SDK.first, SDK.row("configuration", "default", json)] : [SDK.second, SDK.configuration(key: "'\(key)'")])
    let report = try world.report()
    #expect(report.picture == "configuration 1: 1 imported\nsecrets 1: 1 imported")
    #expect(report.backupOmits == "secrets")
    #expect(report.text.hasSuffix("the source is kept as \(world.source.path).backup, without secrets"))
    #expect(try world.withStore { try $0.apiKey() } == key)
    #expect(try world.configuration()?.apiKeyReference == "api-key/default")
    #expect(try world.revisions("configuration").first?.hasPrefix("default ") == true)
    for part in parts { #expect(try world.files(with: part) == []) }
    #expect(try world.importing() == "configuration 1: 1 skipped\nsecrets 1: 1 skipped\nskipped 2: in the store already")
    #expect(try world.folder.contents().filter { $0.contains("backup") } == ["runanywhere.db.backup"])
  }

  @Test("without a key for secrets all else is imported and the secret is reported; with one it comes in later", arguments: [true, false])
  func skipped(isFirst: Bool) throws {
    try world.database(
      isFirst ? [SDK.first, SDK.row("configuration", "default", json)] : [SDK.second, SDK.configuration(key: "'\(key)'")])
    #expect(
      try world.importing(secretKey: nil) == """
        configuration 1: 1 imported
        secrets 1: 1 skipped
        skipped 1: no key for secrets
        """)
    #expect(try world.configuration()?.apiKeyReference == nil)
    for part in parts { #expect(try world.files(with: part) == []) }
    #expect(
      try world.importing() == """
        configuration 1: 1 skipped
        secrets 1: 1 imported
        skipped 1: in the store already
        """)
    #expect(try world.withStore { try $0.apiKey() } == key)
  }

  @Test("the copy is equal in all else, without the pages that an earlier key stands in, and is not taken for the source")
  func copy() throws {
    try world.database(
      [SDK.first, "CREATE TABLE log (x)", "CREATE TRIGGER t AFTER UPDATE ON configuration BEGIN INSERT INTO log VALUES (new.data); END"]
        + (0..<200).map { SDK.row("telemetry", "e\($0)", #"{"id":"e\#($0)","eventType":"custom","timestamp":\#($0),"updatedAt":1}"#) }
        + [
          SDK.row("configuration", "old", #"{"id":"old","apiKey":"sk-earlier-0123456789","updatedAt":1}"#),
          "DELETE FROM configuration WHERE id = 'old'", "DELETE FROM telemetry WHERE rowid % 3 = 0",
          SDK.row("configuration", "default", json), "PRAGMA user_version = 7",
        ])
    let report = try world.report()
    let copy = URL(fileURLWithPath: try #require(report.backup))
    #expect(try world.files(with: "sk-earlier") == [] && world.files(with: parts[0]) == [])
    func rows(_ url: URL) throws -> [[String]] {
      try RawDatabase.with(url) { database in
        try database.rows("SELECT rowid, * FROM telemetry ORDER BY rowid")
          + database.rows("SELECT name, sql FROM sqlite_schema ORDER BY name")
          + database.rows("PRAGMA user_version") + database.rows("SELECT * FROM log")
      }
    }
    #expect(try rows(copy) == rows(world.source))
    #expect(
      try RawDatabase.with(copy) { try $0.rows("SELECT data FROM configuration") } == [
        [#"{"id":"default","routingPolicy":"deviceOnly","apiKey":"(secret)","updatedAt":776092800.25}"#]
      ])
    let error = try world.withStore { inference in
      #expect(throws: StoreError.self) { try inference.store.restoreBackup(ofSource: world.source) }
    }
    #expect(error?.code == .verificationFailed)
    #expect(error?.message == "\(copy.path) is not what was imported: it was kept without secrets")
  }

  @Test("the copy itself can be imported: it has no key")
  func copyOfCopy() throws {
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    let copy = URL(fileURLWithPath: try #require(try world.report().backup))
    let other = try LegacyWorld()
    let report = try InferenceStore.importLibrary(from: copy, into: other.store, storeOptions: other.options)
    #expect(report.picture == "configuration 1: 1 imported" && report.backupOmits == "what was deleted")
    #expect(try other.configuration()?.apiKeyReference == nil)
  }

  @Test(
    "a configuration that cannot be read is in quarantine without its key",
    arguments: [
      #"{"id":"default","apiKey":"sk-live\/0123456789-abcdefghij","rout"#, #"{"id":"default","apiKey":"sk-live\/0123456789-abcdefghij"#,
      #"garbage "apiKey" : "sk-live\/0123456789-abcdefghij" garbage"#, #"{"id":1,"apiKey":"sk-live\/0123456789-abcdefghij"}"#,
      #"{"apiKey":{"a":"sk-live\/0123456789-abcdefghij"}"#, #"{"api_key":"sk-live\/0123456789-abcdefghij""#,
    ])
  func quarantined(data: String) throws {
    try world.database([SDK.first, "INSERT INTO configuration VALUES ('default', '\(data)', NULL, 1)"])
    let report = try world.report()
    #expect(report.counts["configuration"]?.quarantined == 1 && report.counts["secrets"]?.skipped == 1)
    #expect(report.skipped == ["its configuration is quarantined": 1])
    for part in parts { #expect(try world.files(with: part) == [] && !String(describing: report).contains(part)) }
  }

  @Test("bytes that are no text are blanked, too, and the same text in a row that should have none is told")
  func elsewhere() throws {
    try world.database([
      SDK.second, SDK.configuration(key: "'\(key)'"),
      "INSERT INTO configuration VALUES ('broken', NULL, CAST(x'FF' || CAST('\(key)' AS BLOB) AS TEXT), 1, 1, 'x', 'none', 'never', 'never', 0)",
      """
      INSERT INTO telemetry VALUES ('e', 'error', 'n', CAST('{"url":"?key=\(key)"}' AS BLOB), NULL, NULL, NULL, '1', \(SDK.date), \(SDK.date), 0)
      """,
    ])
    #expect(
      try world.importing() == """
        configuration 2: 1 imported, 1 quarantined
        secrets 1: 1 imported
        telemetry 1: 1 imported
        noted 1: imported without consent to send it; it is never sent
        configuration[rowid 2].base_url: a secret stood in it, and is left out
        configuration[rowid 2]: created_at should be a date, found "never"
        telemetry[rowid 1].properties: a secret stood in it, and is left out
        """)
    #expect(try world.all(TelemetryEvent.self).map(\.properties.text) == [#"{"url":"?key=(secret)"}"#])
    for part in parts { #expect(try world.files(with: part) == []) }
  }

  @Test("a key in the first shape's settings is sealed; one that is no text is left out and told")
  func settings() throws {
    try world.database([
      SDK.first,
      SDK.row("configuration", "a", #"{"id":"a","settings":{"apiKey":"\#(key)","topK":"3"},"updatedAt":1}"#),
      SDK.row("configuration", "b", #"{"id":"b","topK":3,"apiKey":["\#(key)"],"updatedAt":1}"#),
      SDK.row("configuration", "c", #"{"id":"c","topK":3,"apiKey":null,"updatedAt":1}"#),
    ])
    #expect(
      try world.importing() == """
        configuration 3: 3 imported
        secrets 1: 1 imported
        configuration[rowid 2].data: a secret stood in it, and is left out
        """)
    #expect(try world.withStore { [try $0.apiKey(for: "a"), try $0.apiKey(for: "b")] } == [key, nil])
    for part in parts { #expect(try world.files(with: part) == []) }
  }

  @Test("a key whose name or text is escaped is one, and the same text in another row, however it is written")
  func escaped() throws {
    try world.database([
      SDK.first, SDK.row("configuration", "default", json.replacingOccurrences(of: "apiKey", with: #"api\u004bey"#)),
      SDK.row("telemetry", "e", #"{"id":"e","eventType":"error","properties":{"url":"?\#(key)"},"timestamp":1,"updatedAt":1}"#),
      SDK.row(
        "telemetry", "f", #"{"id":"f","eventType":"error","properties":{"url":"?sk-live\/\#(parts[0])"},"timestamp":1,"updatedAt":1}"#),
    ])
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        secrets 1: 1 imported
        telemetry 2: 2 imported
        noted 2: imported without consent to send it; it is never sent
        telemetry[rowid 1].data: a secret stood in it, and is left out
        telemetry[rowid 2].data: a secret stood in it, and is left out
        """)
    #expect(try world.withStore { try $0.apiKey() } == key)
    for part in parts { #expect(try world.files(with: part) == []) }
  }

  @Test("where a key's bytes are no text, the configuration comes in without it, and that is told")
  func brokenKey() throws {
    let bytes = Data(#"{"apiKey":""#.utf8) + Data([0xFF]) + Data(#"0123456789-abcdefghij","topK":3}"#.utf8)
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try world.database([SDK.first, "INSERT INTO configuration VALUES ('default', CAST(x'\(hex)' AS TEXT), 1754400000, 0)"])
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        configuration[rowid 1].data: a secret stood in it, and is left out
        """)
    #expect(try world.configuration()?.generation.topK == 3)
    for part in parts { #expect(try world.files(with: part) == []) }
  }

  @Test("a copy that cannot be made without the key is not made, which the report says")
  func noRowIDs() throws {
    try world.database([
      "CREATE TABLE configuration (id TEXT PRIMARY KEY, data TEXT, updated_at, sync_pending) WITHOUT ROWID",
      SDK.row("configuration", "default", json),
    ])
    let report = try world.report()
    #expect(report.backup == nil && report.counts["configuration"]?.imported == 1)
    #expect(report.notes?["no copy of the source is kept: it has secrets in configuration, which has no row ids"] == 1)
  }

  @Test("nor is one of a row that has values of other kinds than its columns, as after damage of the schema")
  func otherKinds() throws {
    try world.database([
      "CREATE TABLE configuration (id TEXT PRIMARY KEY, data TEXT, updated_at DOUBLE, sync_pending)",
      SDK.row("configuration", "default", json), "PRAGMA writable_schema = ON",
      "UPDATE sqlite_schema SET sql = replace(sql, 'DOUBLE', 'TEXT') WHERE name = 'configuration'",
    ])
    let report = try world.report()
    #expect(report.backup == nil && report.counts["configuration"]?.imported == 1)
    let reason = "it has secrets in configuration, of which a row has values of other kinds than its columns"
    #expect(report.notes?["no copy of the source is kept: \(reason)"] == 1)
    #expect(try world.withStore { try $0.apiKey() } == key)
  }

  @Test("a key for secrets that is none is its own error, and nothing is imported")
  func wrongKey() throws {
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    #expect(try world.failure(secretKey: SecretKey { Data([1]) }).code == .wrongKey)
  }

  @Test("what rows stand only in the log is imported, and the copy needs none")
  func log() throws {
    try world.database([SDK.first])
    try RawDatabase.with(world.source) { database in
      try database.execute("PRAGMA journal_mode = WAL")
      try database.execute(SDK.row("configuration", "default", json))
      #expect(try world.report().picture == "configuration 1: 1 imported\nsecrets 1: 1 imported")
    }
    #expect(try world.folder.contents().filter { $0.contains("backup") } == ["runanywhere.db.backup"])
    for part in parts { #expect(try world.files(with: part) == []) }
  }

  @Test("the legacy database is imported when the store is opened for the first time, and only read where that fails")
  func opening() throws {
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    func open(_ secretKey: SecretKey?) throws -> InferenceStore {
      try InferenceStore.open(at: world.store, legacy: world.source, secretKey: secretKey, options: world.options)
    }
    let failed = try open(SecretKey { Data([1]) })
    #expect(failed.importFailure?.code == .wrongKey && failed.importReport == nil)
    #expect(failed.access == .readOnly(reason: "the key for secrets has 1 bytes instead of 32"))
    #expect(try failed.configuration()?.routing.policy == .deviceOnly)
    let first = try open(World.secretKey)
    #expect(first.importReport?.picture == "configuration 1: 1 imported\nsecrets 1: 1 imported" && first.access == .readWrite)
    #expect(try first.apiKey() == key)
    try first.store.close()
    let second = try open(World.secretKey)
    #expect(second.importReport == nil && second.importFailure == nil)
  }

  @Test(
    "where the SDK made its database and never wrote to it, or could not migrate it, the store is made and can be written to",
    arguments: ["", "CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)", "CREATE TABLE a (b); DROP TABLE a"])
  func nothingWritten(sql: String) throws {
    if sql.isEmpty { try Data().write(to: world.source) } else { try world.database([sql]) }
    let inference = try InferenceStore.open(at: world.store, legacy: world.source, options: world.options)
    #expect(inference.access == .readWrite && inference.importReport == nil && inference.importFailure?.code == .invalidSource)
    try inference.save(InferenceConfiguration(createdAt: Sample.date))
    try inference.store.close()
  }
}
