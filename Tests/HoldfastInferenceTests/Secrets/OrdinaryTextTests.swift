import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("What people wrote, and what only looks like a secret, comes in as it is") struct OrdinaryTextTests {
  private typealias SDK = SDKDatabase
  private let world: LegacyWorld
  private let secret = "sk-proj/0123456789-zyxwvutsrq"

  init() throws { world = try LegacyWorld() }

  private static func quoted(_ text: String) -> String { JSONValue.string(text).canonicalText() }

  @Test(
    "a text that does not begin as JSON is no JSON, and an address without a password has no secret",
    arguments: [
      #"json={"username": user, "password": password} and then a long story about it"#,
      #"Nana's "secret ingredient": love, or salt? Tell me a long story."#,
      #"What is the header "Authorization": for, and when is it sent?"#,
      #"Return {"name": string, "password": string}. Then write the whole form."#, #"{"name": string, "password": string, "more": text"#,
      #"the secretary's {"passwordless": "yes, it is passwordless"}"#, "[https://example.com](mailto:info@example.com)",
      "https://acme.com,info@acme.com", "请访问https://example.com，或发邮件到info@example.com", "ssh://git@github.com/o/r.git",
      "https://christoph-mueller@dev.azure.com/o/_git/app", "https://a.example/?q=password&page=2", "data:image/png;base64,iVBORw0KGgo=",
      "eyes", "Whisper-base", "https://a.example/b@c",
    ])
  func ordinary(text: String) throws {
    try world.database([SDK.first, SDK.event("a", #""prompt":\#(Self.quoted(text))"#), SDK.event("b", #""api_key":"\#(secret)""#)])
    let report = try world.report()
    #expect(report.problems.map(\.path) == ["telemetry[rowid 2]"])
    let stored = try world.all(TelemetryEvent.self).map(\.properties.text)
    #expect(stored == [JSONValue.object(["prompt": .string(text)]).canonicalText(), #"{"api_key":"(secret)"}"#])
    try world.expectNoTrace(of: secret, report)
  }

  @Test("beside a key its model, its day and its page are no secrets, and are looked for nowhere")
  func besides() throws {
    let model = "llama-3.2-1b-instruct"
    let words = [model, "2025-08-05 10:00:00.000", "https://keys.example/page"]
    try world.database([
      SDK.second, SDK.configuration(),
      "CREATE TABLE notes (id, body); INSERT INTO notes VALUES ('\(model)', 'of \(model)')",
      "INSERT INTO notes VALUES (2, '\(words[1])'), (3, '\(words[2])'), (4, 'as \(secret)')",
      """
      INSERT INTO notes VALUES (5, '{"apiKeys":[{"model":"\(model)","value":"\(secret)"}],"cookies":{"acceptedAt":"\(words[1])"}}'),
        (6, '{"authorization_page":"\(words[2])","client_secret":"\(model)"}')
      """,
    ])
    let report = try world.report()
    let copy = URL(fileURLWithPath: try #require(report.backup))
    #expect(
      try RawDatabase.with(copy) { try $0.rows("SELECT body FROM notes") }
        == [
          ["of \(model)"], [words[1]], [words[2]], ["as (secret)"], [#"{"apiKeys":"(secret)","cookies":"(secret)"}"#],
          [#"{"authorization_page":"(secret)","client_secret":"(secret)"}"#],
        ])
    try world.expectNoTrace(of: secret, report)
  }

  @Test(
    "a secret is found in base64 of each kind, and in the question of an address",
    arguments: ["lines", "bare", "url", "data", "twice", "query", "google"])
  func found(form: String) throws {
    let json = #"{"a":"???>>>","api_key":"\#(secret)"}"#
    let base64 = Data(json.utf8).base64EncodedString()
    let text =
      switch form {
      case "lines": "\(base64.prefix(20))\n\(base64.dropFirst(20))\n"
      case "bare": base64.replacingOccurrences(of: "=", with: "")
      case "url": base64.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      case "data": "data:application/json;base64,\(base64)"
      case "twice": Data(base64.utf8).base64EncodedString()
      case "query": "https://a.example/v1?model=x&api_key=\(secret)&n=1#top"
      default: "https://a.example/v1?key=\(secret)"
      }
    try world.database([SDK.first, SDK.event("a", #""body":\#(Self.quoted(text))"#)])
    let report = try world.report()
    #expect(report.problems.map(\.reason) == ["a secret stood in it, and is left out"])
    try world.expectNoTrace(of: secret, report)
    if form == "query" {
      let stored = try #require(try world.all(TelemetryEvent.self).first)
      #expect(stored.properties.text == #"{"body":"https://a.example/v1?model=x&api_key=(secret)&n=1#top"}"#)
    }
  }

  @Test("of damaged JSON a secret without its quotes goes to its end, and a text to the end of its line")
  func damaged() throws {
    try world.database([
      SDK.first, "CREATE TABLE notes (body)",
      "INSERT INTO notes VALUES ('{\"api_key\": \(secret), \"n\": 1, \"password\": word, \"rest'), ('{\"api_key\":\"\(secret)\nnext line\", ')",
    ])
    let report = try world.report()
    let copy = URL(fileURLWithPath: try #require(report.backup))
    #expect(
      try RawDatabase.with(copy) { try $0.rows("SELECT body FROM notes") } == [
        [#"{"api_key": "(secret)", "n": 1, "password": word, "rest"#], ["{\"api_key\":\"(secret)\nnext line\", "],
      ])
    try world.expectNoTrace(of: secret, report)
  }

  @Test("a preference that begins with the mark of its encoding comes in without it")
  func mark() throws {
    try world.database([SDK.first, SDK.row("user_preferences", "theme", "\u{FEFF}{\"a\":1}")])
    let report = try world.report()
    #expect(report.counts["user_preferences"]?.imported == 1)
    #expect(try world.all(UserPreference.self).map(\.value) == [#"{"a":1}"#])
  }

  @Test(
    "where SQLite alone cannot make a copy without secrets none is kept, which the report says, and all comes in",
    arguments: [
      "CREATE VIRTUAL TABLE words USING fts5(body)",
      "CREATE TABLE z (id TEXT PRIMARY KEY, api_key) WITHOUT ROWID; INSERT INTO z VALUES ('a', 'sk-0123456789-abcdef')",
    ])
  func noCopy(declaration: String) throws {
    try world.database([SDK.first, SDK.event("a", #""api_key":"\#(secret)""#), declaration])
    let report = try world.report()
    #expect(report.backup == nil && report.backupOmits == nil && report.counts["telemetry"]?.imported == 1)
    #expect(report.notes?.keys.contains { $0.hasPrefix("no copy of the source is kept: ") } == true)
    try world.expectNoTrace(of: secret, report)
  }

  @Test("a database with an index and a column of what SQLite finds in JSON comes in, and so does its copy")
  func expressions() throws {
    try world.database([
      SDK.first, "ALTER TABLE telemetry ADD COLUMN kind AS (json_extract(data, '$.eventType'))",
      "CREATE INDEX kinds ON telemetry (json_extract(data, '$.eventType'))",
      "INSERT INTO telemetry (id, data, updated_at, sync_pending) VALUES ('a', '{\"id\":\"a\",\"eventType\":\"error\",\"properties\":{\"api_key\":\"\(secret)\"},\"timestamp\":1,\"updatedAt\":1}', 1, 0)",
    ])
    let report = try world.report()
    #expect(report.counts["telemetry"]?.imported == 1 && report.backupOmits == "secrets")
    try world.expectNoTrace(of: secret, report)
  }
}
