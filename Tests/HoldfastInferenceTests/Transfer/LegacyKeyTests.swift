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

  init() throws { world = try LegacyWorld() }

  /// One of the two databases, with the key.
  private func database(isFirst: Bool) throws {
    try world.database(
      isFirst ? [SDK.first, SDK.row("configuration", "default", json)] : [SDK.second, SDK.configuration(key: "'\(key)'")])
  }

  /// No file but the source has anything of the key.
  private func expectNoKey(_ location: SourceLocation = #_sourceLocation) throws {
    #expect(try world.files(with: "0123456789-abcdefghij") == [], sourceLocation: location)
  }

  private static let noCopy =
    "noted 1: no copy of the source is kept: it contains the API key; you may delete the source when you are sure of this import"

  @Test("a key is sealed, and stands nowhere else: no copy, no report, no ledger and no log has it", arguments: [true, false])
  func sealed(isFirst: Bool) async throws {
    try database(isFirst: isFirst)
    let report = try world.report()
    #expect(report.picture == "configuration 1: 1 imported\nsecrets 1: 1 imported\n\(Self.noCopy)")
    #expect(report.backup == nil)
    #expect(try await world.usingLibrary { try await $0.apiKey() } == key)
    #expect(try world.configuration()?.apiKeyReference == "api-key/default")
    #expect(try world.revisions("configuration").first?.hasPrefix("default ") == true)
    try expectNoKey()
    #expect(try world.importing() == "configuration 1: 1 skipped\nsecrets 1: 1 skipped\nskipped 2: in the store already\n\(Self.noCopy)")
    #expect(try world.folder.contents().filter { $0.contains("backup") } == [])
  }

  @Test("an awaited import does what a blocking one does, and ends when its task is cancelled")
  func awaited() async throws {
    try database(isFirst: true)
    try await world.checkAsync { wanted in
      try await InferenceStore.importLibrary(
        from: wanted.source, into: wanted.store, secretKey: World.secretKey, options: wanted.options, storeOptions: wanted.storeOptions)
    }
  }

  @Test("without a key for secrets all else is imported and the secret is reported; with one it comes in later", arguments: [true, false])
  func skipped(isFirst: Bool) async throws {
    try database(isFirst: isFirst)
    world.importer = LegacyWorld.importer(nil)
    #expect(
      try world.importing() == """
        configuration 1: 1 imported
        secrets 1: 1 skipped
        skipped 1: no key for secrets
        noted 1: no copy of the source is kept: it contains the API key, which was not imported: keep the source
        """)
    #expect(try world.configuration()?.apiKeyReference == nil)
    try expectNoKey()
    world.importer = LegacyWorld.importer(World.secretKey)
    #expect(
      try world.importing() == """
        configuration 1: 1 skipped
        secrets 1: 1 imported
        skipped 1: in the store already
        \(Self.noCopy)
        """)
    #expect(try await world.usingLibrary { try await $0.apiKey() } == key)
  }

  @Test("a source without a key is kept as a copy", arguments: [true, false])
  func copy(isFirst: Bool) throws {
    try world.database(
      isFirst
        ? [SDK.first, SDK.row("configuration", "default", json.replacingOccurrences(of: #"sk-live\/0123456789-abcdefghij"#, with: ""))]
        : [SDK.second, SDK.configuration(key: "NULL")])
    let report = try world.report()
    #expect(report.picture == "configuration 1: 1 imported" && report.backup == world.source.path + ".backup")
  }

  @Test(
    "a configuration that cannot be read is in quarantine without its key",
    arguments: [
      #"{"id":"default","apiKey":"sk-live\/0123456789-abcdefghij","rout"#, #"{"id":"default","apiKey":"sk-live\/0123456789-abcdefghij"#,
      #"garbage "apiKey" : "sk-live\/0123456789-abcdefghij" garbage"#, #"{"id":1,"apiKey":"sk-live\/0123456789-abcdefghij"}"#,
      #"{"apiKey":{"a":"sk-live\/0123456789-abcdefghij"}"#,
      #"{"id":"default","settings":"{\"apiKey\":\"sk-live/0123456789-abcdefghij\"}"}"#, #"{"api_key":"sk-live\/0123456789-abcdefghij""#,
    ])
  func quarantined(data: String) throws {
    try world.database([SDK.first, "INSERT INTO configuration VALUES ('default', '\(data)', NULL, 1)"])
    let report = try world.report()
    #expect(report.counts["configuration"]?.quarantined == 1 && report.backup == nil)
    try expectNoKey()
    #expect(!String(describing: report).contains("0123456789-abcdefghij"))
  }

  @Test("one in the second database, too, and of a configuration that is there twice")
  func quarantinedColumns() throws {
    try world.database([
      SDK.second, SDK.configuration(key: "'\(key)'"),
      "INSERT INTO configuration VALUES ('broken', '\(key)', 'x', 1, 1, 'x', 'none', 'never', 'never', 0)",
    ])
    #expect(
      try world.importing() == """
        configuration 2: 1 imported, 1 quarantined
        secrets 2: 1 imported, 1 skipped
        skipped 1: its configuration is quarantined
        \(Self.noCopy)
        configuration[rowid 2]: created_at should be a date, found "never"
        """)
    try expectNoKey()
  }

  @Test("a key in the first shape's settings is sealed; one that is no text is left out and told")
  func settings() async throws {
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
        noted 1: no copy of the source is kept: it may contain an API key that was not imported: keep the source
        configuration[rowid 2].apiKey: apiKey should be a text; it is left out
        """)
    #expect(try await world.usingLibrary { [try await $0.apiKey(for: "a"), try await $0.apiKey(for: "b")] } == [key, nil])
    try expectNoKey()
  }

  @Test("a key whose name or text is escaped is one")
  func escaped() async throws {
    try world.database([
      SDK.first, SDK.row("configuration", "default", json.replacingOccurrences(of: "apiKey", with: #"api\u004bey"#)),
    ])
    #expect(try world.importing() == "configuration 1: 1 imported\nsecrets 1: 1 imported\n\(Self.noCopy)")
    #expect(try await world.usingLibrary { try await $0.apiKey() } == key)
    try expectNoKey()
  }

  @Test("where the bytes of a configuration are no text, it is in quarantine without them, and no copy is kept")
  func brokenKey() throws {
    let bytes = Data(#"{"apiKey":""#.utf8) + Data([0xFF]) + Data(#"0123456789-abcdefghij","topK":3}"#.utf8)
    let hex = bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    try world.database([SDK.first, "INSERT INTO configuration VALUES ('default', CAST(x'\(hex)' AS TEXT), 1754400000, 0)"])
    #expect(
      try world.importing() == """
        configuration 1: 1 quarantined
        noted 1: no copy of the source is kept: it may contain an API key that was not imported: keep the source
        configuration[rowid 1]: data is not text in UTF-8; it may contain the API key, so only the source keeps it
        """)
    try expectNoKey()
  }

  @Test("a key for secrets that is none is its own error, and nothing is imported")
  func wrongKey() throws {
    try database(isFirst: true)
    world.importer = LegacyWorld.importer(SecretKey { Data([1]) })
    #expect(try world.failure().code == .wrongKey)
  }

  @Test("what rows stand only in the log is imported, and no copy is kept where a key stands in it")
  func log() throws {
    try world.database([SDK.first])
    try RawDatabase.with(world.source) { database in
      try database.execute("PRAGMA journal_mode = WAL")
      try database.execute(SDK.row("configuration", "default", json))
      #expect(try world.report().picture == "configuration 1: 1 imported\nsecrets 1: 1 imported\n\(Self.noCopy)")
    }
    #expect(try world.folder.contents().filter { $0.contains("backup") } == [])
    try expectNoKey()
  }

  @Test("the legacy database is imported when the store is opened for the first time, and only read where that fails")
  func opening() async throws {
    try database(isFirst: true)
    func open(_ secretKey: SecretKey?) throws -> InferenceStore {
      try InferenceStore.open(at: world.store, legacy: world.source, secretKey: secretKey, options: world.options)
    }
    let failed = try open(SecretKey { Data([1]) })
    #expect(failed.importFailure?.code == .wrongKey && failed.importReport == nil)
    #expect(failed.access == .readOnly(reason: "the key for secrets has 1 bytes instead of 32"))
    #expect(try await failed.configuration()?.routing.policy == .deviceOnly)
    let first = try open(World.secretKey)
    #expect(
      first.importReport?.picture == "configuration 1: 1 imported\nsecrets 1: 1 imported\n\(Self.noCopy)" && first.access == .readWrite)
    #expect(try await first.apiKey() == key)
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
    try inference.store.write { try InferenceStore.save(InferenceConfiguration(createdAt: Sample.date), in: $0) }
    try inference.store.close()
  }
}
