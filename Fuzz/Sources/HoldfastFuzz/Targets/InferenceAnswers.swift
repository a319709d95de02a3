import Foundation
import Holdfast

/// The answers of a remote API to a push or a pull: random bytes, and JSON with wrong content.
struct InferenceAnswers: FuzzTarget {
  let name = "inference-answers"
  let file = "answer.json"
  var faults: [Fault] { [.takesUnnamed, .takesRefused] }

  private static let keys = [
    "accepted", "rejected", "errors", "id", "message", "syncedIds", "success", "conflicts", "field", "localValue", "serverValue",
    "resolution", "data", "version", "lastModified", "routing", "analytics", "generation", "storage", "policy", "cloudEnabled",
    "privacyMode", "telemetryConsent", "enabled", "level", "allowUserOverride", "createdAt", "updatedAt", "models", "totalCount", "page",
    "name", "framework", "tags", "localPath", "usageCount", "thinkingOpenTag", "thinkingCloseTag", "lastUpdated", "",
  ]
  /// The ids of rows in the store. The last two are the same text with different bytes.
  static let ids = ["row-1", "row-2", "caf\u{E9}", "cafe\u{301}"]
  /// The ids of sessions and generations. Requests have them in capitals.
  static let uuids = ["0190c5a0-0000-7000-8000-00000000000a", "0190c5a0-0000-7000-8000-00000000000b"]

  func bench(_ name: String, fault: Fault?) throws -> any FuzzBench { try AnswersBench(self, fault: fault) }

  func source(_ random: inout SeededRandom) throws -> FuzzSource {
    if random.chance(1, of: 200) { return FuzzSource(earlier: nil, bytes: Self.large(&random), counts: nil) }
    if random.chance(1, of: 50) {
      let bytes = (0..<Int.random(in: 0...200, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      return FuzzSource(earlier: nil, bytes: bytes, counts: nil)
    }
    var made = FuzzSource.document(&random, keys: Self.keys, made: Self.answer) { _ in nil }
    made.earlier = nil
    return made
  }

  /// A long or a deep answer, or both.
  private static func large(_ random: inout SeededRandom) -> [UInt8] {
    let long = random.pick([20_000, 100_000], otherwise: 20_000)
    let text =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: #"{"syncedIds":["# + String(repeating: #""row-9","#, count: long) + #""row-1"]}"#
      case 1: String(repeating: "[", count: long)
      case 2: #"{"accepted":"# + String(repeating: "[", count: 500) + String(repeating: "]", count: 500) + "}"
      case 3: #"{"models":["# + String(repeating: "{},", count: long) + "{}]}"
      default: #"{"accepted":["# + String(repeating: #"{"id":1},"#, count: long) + "1" + String(repeating: "0", count: 5_000) + "]}"
      }
    return Array(text.utf8)
  }

  private static func answer(_ random: inout SeededRandom) -> Node {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      .object([
        ("accepted", number(&random)), ("rejected", number(&random)), ("errors", .array(random.chance(1, of: 2) ? [] : errors(&random))),
      ])
    case 1: .object([("accepted", .array(some(&random))), ("rejected", .array(some(&random))), ("errors", .array(errors(&random)))])
    case 2: .object([("syncedIds", .array(some(&random))), ("success", .raw(random.pick(["true", "false"], otherwise: "true")))])
    case 3: .object([("success", .raw("true")), ("syncedAt", .raw("0.0")), ("conflicts", .array([conflict(&random), conflict(&random)]))])
    case 4: configuration(&random)
    default: catalog(&random)
    }
  }

  private static func number(_ random: inout SeededRandom) -> Node { .raw(random.pick(["0", "1", "2", "3", "4"], otherwise: "0")) }

  private static func some(_ random: inout SeededRandom) -> [Node] {
    (ids + uuids + uuids.map { $0.uppercased() } + ["row-9"]).filter { _ in random.chance(1, of: 2) }.map(Node.string)
  }

  private static func errors(_ random: inout SeededRandom) -> [Node] {
    some(&random).map { .object([("id", $0), ("message", .string(random.pick(["bad", ""], otherwise: "")))]) }
  }

  private static func conflict(_ random: inout SeededRandom) -> Node {
    .object([
      ("field", .string(random.pick(["routing.policy", "generation.defaults.maxTokens", "apiKey"], otherwise: ""))),
      ("localValue", .raw("1")), ("serverValue", .string("2")),
      ("resolution", .string(random.pick(["useLocal", "useServer", "merge", "x"], otherwise: ""))),
    ])
  }

  private static func date(_ random: inout SeededRandom) -> Node {
    .raw(random.pick(["776092800.123", "0", "800000000", "-1e10", "1e300", "9e9", "253402300800"], otherwise: "0"))
  }

  private static func flag(_ random: inout SeededRandom) -> Node { .raw(random.pick(["true", "false"], otherwise: "true")) }

  private static func configuration(_ random: inout SeededRandom) -> Node {
    let routing: Node = .object([
      ("policy", .string(random.pick(["deviceOnly", "preferCloud", "x"], otherwise: ""))), ("cloudEnabled", flag(&random)),
      ("privacyMode", .string(random.pick(["strict", "standard"], otherwise: ""))), ("customRules", .string("AA==")),
      ("maxLatencyThreshold", .raw("1.5")),
    ])
    let analytics: Node = .object([
      ("enabled", flag(&random)), ("level", .string(random.pick(["none", "verbose"], otherwise: ""))),
      ("telemetryConsent", .string(random.pick(["granted", "denied"], otherwise: ""))), ("includeDeviceInfo", flag(&random)),
      ("batchSize", .raw("7")), ("submissionInterval", .raw("1e3")),
    ])
    let data: Node = .object([
      ("routing", routing), ("analytics", analytics),
      ("generation", .object([("defaults", .object([("maxTokens", .raw("9")), ("temperature", .raw("0.25"))]))])),
      ("storage", .object([("directoryName", .string("../elsewhere")), ("maxCacheSize", .raw("5"))])),
      ("allowUserOverride", flag(&random)), ("updatedAt", date(&random)),
    ])
    let base64 = Data(data.bytes).base64EncodedString()
    return .object([
      ("id", .string(random.pick(["default", "default", "other"], otherwise: "default"))),
      ("data", random.chance(1, of: 3) ? .string(base64) : data), ("version", .string("1.0")), ("lastModified", date(&random)),
    ])
  }

  private static func catalog(_ random: inout SeededRandom) -> Node {
    let models = (ids + ["row-9"]).filter { _ in random.chance(2, of: 3) }.map { id -> Node in
      .object([
        ("id", .string(id)), ("name", .string("of the server")), ("framework", .string("MLX")), ("tags", .array([.string("a")])),
        ("localPath", .string("/theirs")), ("usageCount", .raw("99")), ("contextLength", .raw("4096")),
        ("thinkingOpenTag", .string("<t>")), ("thinkingCloseTag", .string("</t>")), ("createdAt", date(&random)),
        ("updatedAt", date(&random)),
      ])
    }
    return .object([("models", .array(models)), ("totalCount", number(&random)), ("page", .raw("1")), ("lastUpdated", date(&random))])
  }
}
