import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Secrets anywhere in the SDK's databases") struct LegacySecretTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld
  private let secret = "sk-proj/0123456789-zyxwvutsrq"

  init() throws { world = try LegacyWorld() }

  @Test(
    "a property with a secret name comes in without its value, and that is told; names that are about tokens keep theirs",
    arguments: [
      "openai_api_key", "api_token", "authToken", "access-token", "HF_TOKEN", "bearer", "password", "pwd", "secret", "client_secret",
      "privateKey", "Authorization",
    ])
  func telemetry(name: String) throws {
    try world.database([
      SDK.first, SDK.event("a", #""\#(name)":"\#(secret)","total_tokens":"1","max_tokens":"2","token_count":"3","tokens_per_second":"4""#),
      SDK.event("b", #""time_to_first_token":"9","api_key_count":"2","passwordRequired":"yes""#),
    ])
    let report = try world.report()
    #expect(
      report.picture == """
        telemetry 2: 2 imported
        noted 2: imported without consent to send it; it is never sent
        telemetry[rowid 1].data: a secret stood in it, and is left out
        """)
    #expect(
      try world.all(TelemetryEvent.self).map(\.properties.text)
        == [
          #"{"\#(name)":"(secret)","max_tokens":"2","token_count":"3","tokens_per_second":"4","total_tokens":"1"}"#,
          #"{"api_key_count":"2","passwordRequired":"yes","time_to_first_token":"9"}"#,
        ].map(Self.sorted))
    try world.expectNoTrace(of: secret, report)
  }

  private static func sorted(_ text: String) -> String {
    var scanner = JSONScanner(JSONDocument(Array(text.utf8)))
    return (try? scanner.value().canonicalText()) ?? ""
  }

  @Test("an app's own names are secret, too, also in a legacy database that comes in with the opening")
  func ownNames() throws {
    try world.database([SDK.first, SDK.event("a", #""patient number":"\#(secret)""#)])
    let inference = try InferenceStore.open(
      at: world.store, legacy: world.source, secretProperties: SecretProperties(adding: ["patientNumber"]), options: world.options)
    #expect(try inference.event("a")?.properties.text == #"{"patient number":"(secret)"}"#)
    try inference.store.close()
    try world.expectNoTrace(of: secret, try #require(inference.importReport))
  }

  @Test("in the second database secrets are left out of objects and lists in every column, and of tables that have no place here")
  func columns() throws {
    let (session, generation) = (SDK.id(1), SDK.id(2))
    try world.database([
      SDK.second,
      """
      INSERT INTO telemetry VALUES ('e', 'error', 'load', CAST('{"password":"\(secret)"}' AS BLOB), 'u', 's',
        CAST('{"os":"18","nets":[{"name":"a","credentials":{"user":"u","key":["\(secret)"]}}]}' AS BLOB), '0.15', \(SDK.date), \(SDK.date), 0)
      """,
      """
      INSERT INTO generation_sessions VALUES ('\(session)', 'llama', 'chat', 0, 0, 0, CAST('{"a":[[{"hf_token":"\(secret)"}]]}' AS BLOB),
        \(SDK.date), NULL, \(SDK.date), \(SDK.date), 0)
      """,
      """
      INSERT INTO generations VALUES ('\(generation)', '\(session)', 1, 1, 2, 3, 5, NULL, NULL, 0, 0, 'cloud', NULL, NULL,
        CAST('{"headers":{"Authorization":"Bearer \(secret)"},"max_tokens":5}' AS BLOB), NULL, NULL, 'with \(secret)', \(SDK.date), 0)
      """,
      "CREATE TABLE notes (api_token TEXT, body)", "INSERT INTO notes VALUES ('\(secret)', x'00' || CAST('\(secret)' AS BLOB))",
    ])
    let report = try world.report()
    #expect(
      report.picture == """
        generation_sessions 1: 1 imported
        generations 1: 1 imported
        telemetry 1: 1 imported
        notes 1: 1 skipped
        skipped 1: notes have no place in this store; they stay in the source
        noted 1: imported without consent to send it; it is never sent
        generation_sessions[rowid 1].context_data: a secret stood in it, and is left out
        generations[rowid 1].request_data: a secret stood in it, and is left out
        generations[rowid 1].error_message: a secret stood in it, and is left out
        telemetry[rowid 1].properties: a secret stood in it, and is left out
        telemetry[rowid 1].device_info: a secret stood in it, and is left out
        """)
    let found = try #require(try world.all(Generation.self).first)
    #expect(found.request == ["headers": .object(["Authorization": .string("(secret)")]), "max_tokens": .integer(5)])
    #expect(found.errorMessage == "with (secret)")
    let event = try #require(try world.all(TelemetryEvent.self).first)
    #expect(
      event.deviceInfo == [
        "os": .string("18"), "nets": .array([.object(["name": .string("a"), "credentials": .string("(secret)")])]),
      ])
    try world.expectNoTrace(of: secret, report)
    let copy = try RawDatabase.with(URL(fileURLWithPath: try #require(report.backup))) { try $0.rows("SELECT * FROM notes") }
    #expect(copy == [["(secret)", ""]])
  }

  @Test("what else is secret in a configuration is left out and told beside its own key, which is sealed; in base64, too")
  func configuration() throws {
    let rules = Data(#"{"order":["a"],"apiKey":"\#(secret)-2"}"#.utf8).base64EncodedString()
    let own = "sk-live/0123456789-abcdefghij"
    try world.database([
      SDK.first,
      SDK.row(
        "configuration", "default",
        #"{"id":"default","routing":{"customRules":"\#(rules)"},"apiKey":"\#(own)","openai_api_key":"\#(secret)","updatedAt":776092800.25}"#
      ),
    ])
    let report = try world.report()
    #expect(
      report.picture == """
        configuration 1: 1 imported
        secrets 1: 1 imported
        configuration[rowid 1].data: a secret stood in it, and is left out
        configuration[rowid 1].openai_api_key: this field is not known
        """)
    #expect(try world.withStore { try $0.apiKey() } == own)
    let kept = try #require(try world.configuration()?.routing.customRules)
    #expect(String(decoding: kept, as: UTF8.self) == #"{"order":["a"],"apiKey":"(secret)"}"#)
    for text in [secret, own] { try world.expectNoTrace(of: text, report) }
    #expect(try world.quarantine().contains(#""(secret)""#))
  }

  @Test("a preference whose name is secret keeps no value, in either database", arguments: [true, false])
  func preferences(isFirst: Bool) throws {
    try world.database(
      isFirst
        ? [
          SDK.first, SDK.row("user_preferences", "openai_api_key", #""\#(secret)""#),
          SDK.row("user_preferences", "max_tokens", "512", pending: "1"), SDK.row("user_preferences", "pin", "12345678"),
        ]
        : [
          SDK.second,
          "INSERT INTO user_preferences VALUES ('p', 'openai_api_key', CAST('\"\(secret)\"' AS BLOB), \(SDK.date), \(SDK.date))",
          "INSERT INTO user_preferences VALUES ('q', 'max_tokens', CAST('512' AS BLOB), \(SDK.date), \(SDK.date))",
          "INSERT INTO user_preferences VALUES ('r', 'pin', CAST('12345678' AS BLOB), \(SDK.date), \(SDK.date))",
        ])
    let report = try world.report()
    let column = isFirst ? "data" : "preference_value"
    #expect(
      report.picture == """
        user_preferences 3: 3 imported
        user_preferences[rowid 1].\(column): a secret stood in it, and is left out
        user_preferences[rowid 3].\(column): a secret stood in it, and is left out
        """)
    #expect(try world.all(UserPreference.self).map(\.value) == [#""(secret)""#, "512", #""(secret)""#])
    try world.expectNoTrace(of: secret, report)
    #expect(try world.files(with: "12345678") == [])
  }

  @Test("of a key and the same key cut off, in any order of rows, nothing stays", arguments: [true, false])
  func cut(wholeFirst: Bool) throws {
    let whole = "sk-live-0123456789-abcdefghij-ABCDEFGHIJ"
    let pieces = (16...38).map { String(whole.prefix($0)) }
    let rows = (wholeFirst ? [whole] + pieces : pieces + [whole]).enumerated().map { number, key in
      SDK.event("\(number)", #""api_key":"\#(key)""#)
    }
    try world.database([SDK.first] + rows + [SDK.event("all", #""url":"https://a.example/?k=\#(whole)&x=1""#)])
    let report = try world.report()
    #expect(try world.all(TelemetryEvent.self).last?.properties.text == #"{"url":"https://a.example/?k=(secret)&x=1"}"#)
    for piece in [whole, "ABCDEFGHIJ", "abcdefghij"] { try world.expectNoTrace(of: piece, report) }
  }

  @Test("a secret in base64 in another row is left out, wherever it begins there", arguments: 0..<3)
  func base64(offset: Int) throws {
    let text = Data((String(repeating: "-", count: offset) + secret + "?").utf8).base64EncodedString()
    try world.database([SDK.first, SDK.event("a", #""api_key":"\#(secret)""#), SDK.event("b", #""payload":"\#(text)""#)])
    let report = try world.report()
    #expect(report.problems.map(\.path) == ["telemetry[rowid 1]", "telemetry[rowid 2]"])
    try world.expectNoTrace(of: secret, report)
  }

  @Test("of several secrets in one object each is left out, and what stands between them stays, also where the object is cut off")
  func several() throws {
    let names = ["api_token", "a", "password", "pin", "b", "jwt"]
    let properties = names.map { #""\#($0)":"\#($0)-0123456789-abcdef""# }.joined(separator: ",")
    try world.database([
      SDK.first, SDK.event("e", properties), SDK.event("f", properties), "UPDATE telemetry SET data = substr(data, 1, 240) WHERE id = 'f'",
    ])
    let report = try world.report()
    #expect(report.counts["telemetry"]?.imported == 1 && report.counts["telemetry"]?.quarantined == 1)
    #expect(
      try world.all(TelemetryEvent.self).map(\.properties.text) == [
        #"{"a":"a-0123456789-abcdef","api_token":"(secret)","b":"b-0123456789-abcdef","jwt":"(secret)","password":"(secret)","pin":"(secret)"}"#
      ])
    for name in ["api_token", "password", "pin", "jwt"] { try world.expectNoTrace(of: "\(name)-0123456789-abcdef", report) }
  }

  @Test("many secrets that begin alike, and many members without one, are read in a moment", .timeLimit(.minutes(10)))
  func many() throws {
    let null = String(repeating: #""api_key":null,"#, count: 20_000)
    let keys = (0..<2_000).map { #"{"api_key":"sk-live-0123456789-\#($0)"}"# }.joined(separator: ",")
    try world.database([
      SDK.first, SDK.row("user_preferences", "a", "{\(null)"), SDK.row("user_preferences", "b", "[\(keys)]"),
      SDK.row("user_preferences", "c", String(repeating: "\"", count: 20_000)),
    ])
    let report = try world.report()
    #expect(report.counts["user_preferences"]?.imported == 1 && report.counts["user_preferences"]?.quarantined == 2)
    #expect(try world.files(with: "sk-live-0123456789-1999") == [])
  }

  @Test("an id that stands under a secret name stays an id everywhere else")
  func ids() throws {
    try world.database([SDK.first, SDK.session(1), SDK.generation(2, in: 1), SDK.event("a", #""session_token":"\#(SDK.id(1))""#)])
    #expect(
      try world.importing() == """
        generation_sessions 1: 1 imported
        generations 1: 1 imported
        telemetry 1: 1 imported
        noted 1: imported without consent to send it; it is never sent
        telemetry[rowid 1].data: a secret stood in it, and is left out
        """)
  }

  @Test("true, false, null and what is empty say nothing, and stay")
  func nothing() throws {
    try world.database([
      SDK.second,
      """
      INSERT INTO generation_sessions VALUES ('\(SDK.id(1))', 'llama', 'chat', 0, 0, 0,
        CAST('{"api_key":null,"cookies":{"on":true},"password":"","secret":false}' AS BLOB), \(SDK.date), NULL, \(SDK.date), \(SDK.date), 0)
      """,
    ])
    let report = try world.report()
    #expect(report.picture == "generation_sessions 1: 1 imported" && report.backupOmits == "what was deleted")
    #expect(try world.all(GenerationSession.self).first?.context?["cookies"] == .object(["on": .bool(true)]))
  }
}
