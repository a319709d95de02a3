import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Secrets where nobody looks for them in the SDK's databases") struct HiddenSecretTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld
  private let secret = "sk-proj/0123456789-zyxwvutsrq"

  init() throws { world = try LegacyWorld() }

  @Test("a key that was deleted from its row is in no freed page of the copy, and one that stands only in the log in no log of it")
  func deleted() throws {
    let (freed, logged) = ("sk-freed-0123456789-abcdef", "sk-logged-0123456789-abcdef")
    let body = String(repeating: "x", count: 9_000)
    try world.database([
      "PRAGMA secure_delete = 0", SDK.first, SDK.event("a", #""api_key":"\#(freed)","body":"\#(body)""#), "DELETE FROM telemetry",
      SDK.event("b", ""),
    ])
    try RawDatabase.with(world.source) { database in
      try database.execute("PRAGMA secure_delete = 0; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0")
      try database.execute(SDK.event("c", #""api_key":"\#(logged)""#))
      try database.execute("DELETE FROM telemetry WHERE id = 'c'")
      for (key, file) in [(freed, "runanywhere.db"), (logged, "runanywhere.db-wal")] {
        #expect(try Traces.files(of: key, in: world.folder.url).contains(file), "the test deletes nothing")
      }
      let report = try world.report()
      #expect(report.counts["telemetry"]?.imported == 1 && report.backupOmits == "what was deleted")
      #expect(report.text.hasSuffix("the source is kept as \(world.source.path).backup, without what was deleted"))
      for key in [freed, logged] { try world.expectNoTrace(of: key, report) }
    }
  }

  @Test("a key behind much white space is sealed, and stands nowhere else")
  func farValue() throws {
    let json =
      #"{"id":"default","routing":{},"apiKey"\#(String(repeating: " \n", count: 5_000)):\#(String(repeating: " ", count: 300))"\#(secret)","createdAt":1,"updatedAt":2}"#
    try world.database([SDK.first, SDK.row("configuration", "default", json)])
    let report = try world.report()
    #expect(try world.withStore { try $0.apiKey() } == secret)
    try world.expectNoTrace(of: secret, report)
  }

  @Test(
    "in damaged JSON a name is found with whatever it is written",
    arguments: [
      "API Key", "$apiKey", "@api_key", "cfg:api_key", "api/key", "api_key (prod)", #"api\u005fkey"#, "schlüssel_api_key",
      String(repeating: "long_", count: 20) + "api_key",
    ])
  func damagedName(name: String) throws {
    let inner = JSONValue.string(#"{"\#(name)":"\#(secret)","x":"#).canonicalText()
    try world.database([
      SDK.first, SDK.row("telemetry", "a", #"{"\#(name)":"\#(secret)","x":"#),
      SDK.row("user_preferences", "theme", #"{"t":\#(inner)}"#),
    ])
    let report = try world.report()
    #expect(report.counts["telemetry"]?.quarantined == 1)
    try world.expectNoTrace(of: secret, report)
  }

  @Test(
    "with an index in an order of its app a database comes in, and the report says why there is no copy", arguments: ["telemetry", "notes"])
  func collation(table: String) throws {
    try world.database([
      SDK.first, "CREATE TABLE notes (id)", SDK.event("a", ""), "CREATE INDEX own ON \(table) (id COLLATE NOCASE)",
      "PRAGMA writable_schema = 1", "UPDATE sqlite_schema SET sql = replace(sql, 'NOCASE', 'own_order') WHERE name = 'own'",
    ])
    let report = try world.report()
    #expect(report.counts["telemetry"]?.imported == 1 && report.backup == nil)
    let reason = "no copy of the source is kept: it has an index in an order of its app, own_order"
    #expect(report.notes?.keys.contains(reason) == true, "\(report.text)")
  }

  @Test("ids that only Swift takes for one are two")
  func equalLetters() throws {
    let ids = ["caf\u{E9}", "cafe\u{301}"]
    try world.database([SDK.first] + ids.map { SDK.event($0, "") } + ids.map { SDK.row("user_preferences", $0, "1") })
    #expect(try world.importing().hasPrefix("telemetry 2: 2 imported\nuser_preferences 2: 2 imported"))
    #expect(try world.lines("SELECT hex(id) FROM telemetry ORDER BY rowid") == ["636166C3A9", "63616665CC81"])
  }

  @Test(
    "in columns that are base64 or UTF-16 of JSON secrets are left out, and all else is as it was",
    arguments: ["base64", "url", "bare", "le", "be", "mark"], ["", "?", "??"])
  func encoded(form: String, more: String) throws {
    func bytes(_ json: String) -> Data {
      let base64 = Data(json.utf8).base64EncodedString()
      // As in addresses.
      let url = base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      return switch form {
      case "base64": Data(base64.utf8)
      case "url": Data(url.utf8)
      case "bare": Data(url.replacingOccurrences(of: "=", with: "").utf8)
      case "le": json.data(using: .utf16LittleEndian) ?? Data()
      case "be": json.data(using: .utf16BigEndian) ?? Data()
      default: Data([0xFF, 0xFE]) + (json.data(using: .utf16LittleEndian) ?? Data())
      }
    }
    func hex(_ json: String) -> String { bytes(json).map { String(format: "%02x", $0) }.joined() }
    try world.database([
      SDK.first, "CREATE TABLE notes (body)", #"INSERT INTO notes VALUES (x'\#(hex(#"{"a":"ä???>>>\#(more)","api_key":"\#(secret)"}"#))')"#,
      "INSERT INTO notes VALUES (x'\(hex("only \(secret)"))')", SDK.event("a", #""b":"with \#(secret)""#),
    ])
    let report = try world.report()
    #expect(try world.all(TelemetryEvent.self).map(\.properties.text) == [#"{"b":"with (secret)"}"#])
    let copy = URL(fileURLWithPath: try #require(report.backup))
    let hexadecimal = try RawDatabase.with(copy) { try $0.rows("SELECT lower(hex(body)) FROM notes") }
    #expect(hexadecimal.first == [hex(#"{"a":"ä???>>>\#(more)","api_key":"(secret)"}"#)])
    let content = try Data(contentsOf: copy)
    for encoding in [String.Encoding.utf8, .utf16LittleEndian, .utf16BigEndian] {
      let trace = try #require(secret.data(using: encoding))
      #expect(content.range(of: trace) == nil)
    }
    try world.expectNoTrace(of: secret, report)
  }

  @Test(
    "JSON in a text is looked into behind white space, and where it is cut off, at any depth",
    arguments: [
      #"{"body":"{\"api_key\":\"KEY\",\"pro"}"#, #"{"body":"\n {\"api_key\":\"KEY\"}"}"#, #"{"body":"{\"api_key\":\"KEY"#,
      #"{"body":"{\"in\":\"[{\\\"api_key\\\":\\\"KEY\\\",\\\"x"#,
    ])
  func cutInside(json: String) throws {
    try world.database([
      SDK.first, "CREATE TABLE notes (body)", "INSERT INTO notes VALUES ('\(json.replacingOccurrences(of: "KEY", with: secret))')",
    ])
    let report = try world.report()
    try world.expectNoTrace(of: secret, report)
    let copy = URL(fileURLWithPath: try #require(report.backup))
    let rows = try RawDatabase.with(copy) { try $0.rows("SELECT body FROM notes") }
    #expect(rows == [[json.replacingOccurrences(of: "KEY", with: "(secret)")]])
  }

  @Test("the user and the password in an address are left out in every column, and so is the password wherever else it stands")
  func addresses() throws {
    try world.database([
      SDK.second,
      SDK.configuration().replacingOccurrences(of: "https://models.example", with: "https://me:\(Self.password)@models.example/v1"),
      "CREATE TABLE notes (body)", #"INSERT INTO notes VALUES ('{"u":"https:\/\/me:\#(Self.password)@b.example\/"}')"#,
      "INSERT INTO notes VALUES ('with \(Self.password)')", "INSERT INTO notes VALUES ('https://b.example/a@b mail me@b.example')",
    ])
    let report = try world.report()
    #expect(try world.configuration()?.baseURL == "https://(secret)@models.example/v1")
    #expect(report.problems.map(\.reason) == ["a secret stood in it, and is left out"])
    let copy = URL(fileURLWithPath: try #require(report.backup))
    let notes = try RawDatabase.with(copy) { try $0.rows("SELECT body FROM notes") }
    #expect(
      notes == [
        [#"{"u":"https://(secret)@b.example/"}"#], ["with (secret)"], ["https://b.example/a@b mail me@b.example"],
      ])
    try world.expectNoTrace(of: Self.password, report)
  }
  private static let password = "pw-0123456789-abcdefghij"

  @Test(
    "secrets in a column in which no value may stand twice are each left out, whatever the column does with such a value",
    arguments: ["", "ON CONFLICT REPLACE", "ON CONFLICT IGNORE", "ON CONFLICT ROLLBACK"])
  func unique(otherwise: String) throws {
    try world.database([
      SDK.first, "CREATE TABLE keys (api_key TEXT NOT NULL UNIQUE \(otherwise), name)",
      "INSERT INTO keys VALUES ('\(secret)-1', 'a'), ('\(secret)-2', 'b'), ('\(secret)-3', 'c')",
    ])
    let report = try world.report()
    let copy = URL(fileURLWithPath: try #require(report.backup))
    #expect(
      try RawDatabase.with(copy) { try $0.rows("SELECT api_key, name FROM keys ORDER BY name") } == [
        ["(secret)", "a"], ["(secret) 2", "b"], ["(secret) 3", "c"],
      ])
    try world.expectNoTrace(of: secret, report)
  }

  @Test("a secret that stands where no row is fails the copy with a clear error, and nothing is left behind")
  func unblanked() throws {
    for place in [
      "CREATE VIEW v AS SELECT '\(secret)' AS a", "CREATE TABLE notes (a DEFAULT '\(Data(secret.utf8).base64EncodedString())')",
    ] {
      let world = try LegacyWorld()
      try world.database([SDK.first, SDK.event("a", #""api_key":"\#(secret)""#), place])
      let error = try world.failure()
      #expect(error.code == .verificationFailed)
      #expect(error.message == "secrets of \(world.source.path) would stand in the file of its copy; nothing was imported")
      #expect(try world.folder.contents() == ["runanywhere.db"])
    }
  }

  @Test("one that a declaration spreads over several pages is found, too")
  func declared() throws {
    let (before, behind) = (String(repeating: "p", count: 7_748), String(repeating: "p", count: 12_252))
    for length in stride(from: 0, to: 4_096, by: 12) {
      let world = try LegacyWorld()
      let view = "CREATE VIEW v AS SELECT '\(before.dropLast(length))\(secret)\(behind)' AS a"
      let inJSON = secret.replacingOccurrences(of: "/", with: #"\/"#)
      try world.database([SDK.first, SDK.event("a", #""api_key":"\#(inJSON)""#), view])
      guard try Data(contentsOf: world.source).range(of: Data(secret.utf8)) == nil else { continue }
      let error = try world.failure()
      #expect(error.code == .verificationFailed)
      #expect(error.message.contains("would stand in sqlite_schema of its copy"), "\(error.message)")
      return
    }
    Issue.record("the test spreads nothing")
  }

  @Test("a secret that a row spreads over several pages is found, too: in whatever the blanks overlooked")
  func overlooked() throws {
    // Where a page of 4096 bytes ends in a row of this length.
    let (before, behind) = (String(repeating: "p", count: 7_748), String(repeating: "p", count: 12_252))
    try world.database([SDK.first, SDK.row("user_preferences", "a", #""\#(before)\#(secret)\#(behind)""#)])
    #expect(try Data(contentsOf: world.source).range(of: Data(secret.utf8)) == nil, "the test spreads nothing")
    let format = Overlooking(base: try InferenceStore.recognised(ImportSource(world.source)), texts: [Data(secret.utf8)])
    let store = try world.folder.store([InferenceStore.schema])
    let error = #expect(throws: StoreError.self) { try store.importing(format, from: ImportSource(world.source)) }
    #expect(error?.message.contains("would stand in user_preferences[rowid 1] of its copy") == true, "\(String(describing: error))")
    #expect(try world.folder.contents().filter { $0.contains("backup") || $0.contains("copying") } == [])
  }
}

/// A format whose blanks blank nothing.
private struct Overlooking: ImportFormat {
  typealias Content = Int
  let base: any ImportFormat
  let texts: [Data]

  var name: String { base.name }
  var version: Int { base.version }
  var kinds: [(name: String, table: String)] { base.kinds }
  var total: Int { 0 }
  var blanks: SQLiteBlanks? { SQLiteBlanks("secrets", texts: texts) { _ in [:] } }

  func scan(_ reader: Reader, _ visit: (Scanned<Int>, Int) throws -> Void) {}
  func write(_ record: SourceRecord<Int>, in transaction: Writer) {}
  func readBack(_ record: SourceRecord<Int>, in reader: Reader) -> StoredShape? { nil }
}
