import Foundation
import Holdfast
import HoldfastInference
import HoldfastTransfer

/// The common part of the SDK's two databases, which have the same file name.
protocol InferenceTarget: ImportTarget {}

extension InferenceTarget {
  var file: String { "runanywhere.db" }
  var schemas: [StoreSchema] { [InferenceStore.schema] }
  var tables: [String] {
    [
      "configuration", "routing_policies", "analytics_config", "storage_config", "model_metadata", "model_usage_stats",
      "generation_sessions", "generations", "telemetry", "user_preferences", "secrets", "sync_tries", "sync_cursors", "sync_conflicts",
    ]
  }
  /// A damaged database has no single byte to name.
  var saysWhere: Bool { false }

  func format(of source: ImportSource) throws -> any ImportFormat {
    try InferenceStore.importer(for: source, secretKey: SecretKey { Data(repeating: 7, count: 32) })
  }

  func edit(_ store: Store, _ random: inout SeededRandom) throws {
    let inference = InferenceStore(store)
    for var configuration in try inference.store.read({ try InferenceStore.configurations(in: $0) }) {
      switch Int.random(in: 0..<5, using: &random) {
      case 0: _ = try inference.store.write { try InferenceStore.deleteConfiguration(configuration.id, in: $0) }
      case 1:
        configuration.analytics.telemetryConsent = .granted
        if random.chance(1, of: 2) { configuration.updatedAt = Date(timeIntervalSince1970: 0) }
        try inference.store.write { try InferenceStore.save(configuration, in: $0) }
      case 2:
        configuration.otherRoutings.append(configuration.routing)
        try inference.store.write { try InferenceStore.save(configuration, in: $0) }
      default: break
      }
    }
    try ModelEdits.edit(inference, &random)
    for var session in try inference.store.read({ try InferenceStore.sessions(in: $0) }).items {
      let generation = try inference.store.read { try InferenceStore.generations(of: session.id, in: $0) }.items.randomElement(
        using: &random)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: _ = try inference.store.write { try InferenceStore.deleteSession(session.id, in: $0) }
      case 1: _ = try inference.store.write { try InferenceStore.endSession(session.id, in: $0) }
      case 2:
        session.totalCost = 1
        try inference.store.write { try InferenceStore.save(session, in: $0) }
      case 3: if let generation { _ = try inference.store.write { try InferenceStore.deleteGeneration(generation.id, in: $0) } }
      case 4:
        guard var generation else { break }
        generation.errorCode = "edited"
        try inference.store.write { try InferenceStore.save(generation, in: $0) }
      default: break
      }
    }
    for event in try inference.store.read({ try InferenceStore.events(in: $0) }).items where random.chance(1, of: 4) {
      _ = try inference.store.write { try InferenceStore.deleteEvent(event.id, in: $0) }
    }
    for preference in try inference.store.read({ try InferenceStore.preferences(in: $0) }) {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: _ = try inference.store.write { try InferenceStore.deletePreference(named: preference.name, in: $0) }
      case 1:
        try inference.store.write {
          try InferenceStore.setPreference(
            "{\"edited\":true}", named: preference.name, secretProperties: inference.secretProperties, in: $0)
        }
      default: break
      }
    }
  }
}

/// The parts of the SDK's data in a case's database, which decide its tables. An import takes longer with more tables, and most mistakes
/// need only one or two of them.
struct InferencePart: OptionSet {
  let rawValue: Int
  static let configurations = InferencePart(rawValue: 1)
  static let models = InferencePart(rawValue: 2)
  static let history = InferencePart(rawValue: 4)
  static let events = InferencePart(rawValue: 8)
  static let preferences = InferencePart(rawValue: 16)

  /// All parts for one case in eight, otherwise one or two. Never preferences alone: their table does not identify the SDK's database.
  static func some(_ values: inout InferenceValues) -> InferencePart {
    if values.chance(1, of: 8) { return [.configurations, .models, .history, .events, .preferences] }
    let first = values.pick([InferencePart.configurations, .configurations, .models, .history, .history, .events])
    return values.chance(1, of: 2)
      ? first : [first, values.pick([.configurations, .models, .history, .events, .preferences, .preferences])]
  }
}

/// Values of the SDK's databases, as SQL literals.
struct InferenceValues {
  var random: SeededRandom
  /// The keys of all JSON records.
  private static let keys = [
    "id", "settings", "routing", "analytics", "generation", "storage", "apiKey", "policy", "cloudEnabled", "privacyMode", "customRules",
    "defaults", "tokenBudget", "thinkingPattern", "openingTag", "createdAt", "updatedAt", "syncPending", "modelId", "sessionId",
    "sequenceNumber", "timestamp", "performance", "executionTarget", "eventType", "properties", "name", "framework", "tags", "unknown", "",
  ]

  init(_ random: SeededRandom) { self.random = random }

  mutating func pick<T>(_ values: [T]) -> T { values[Int.random(in: values.indices, using: &random)] }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { random.chance(part, of: whole) }

  mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

  /// JSON as a text or a blob. One in four has wrong values, and one in twelve has damaged bytes.
  mutating func json(_ node: Node) -> String {
    var node = node
    var mutation = Mutation(random)
    if mutation.random.chance(1, of: 4) { mutation.values(of: &node, keys: Self.keys) }
    var bytes = node.bytes
    mutation.bytes(&bytes, every: 12)
    random = mutation.random
    return chance(1, of: 12) ? Sheet.blob(bytes) : "CAST(\(Sheet.blob(bytes)) AS TEXT)"
  }

  mutating func id() -> String { random.worldID() }

  mutating func model() -> String { pick(["llama-3.2-1b", "qwen/2.5", "夜", "a \"b\" \\", "phi"]) }

  mutating func word() -> String { pick(["Llama", "", "päivää 🦙", "a\u{0}b", "e\u{301}", "of tomorrow"]) }

  /// One of the SDK's words, or in one of ten cases an unknown word.
  mutating func known(_ words: String...) -> String { chance(1, of: 10) ? "of tomorrow" : pick(words) }

  mutating func number() -> String { pick(["0", "1", "60", "0.6125", "49.5", "-1", "1e3", "9007199254740993"]) }

  mutating func flag() -> String { pick(["true", "false"]) }

  mutating func pending() -> String { pick(["0", "0", "1", "1", "NULL"]) }

  /// A date as `JSONEncoder` writes it.
  mutating func date() -> Node { .raw(pick(["776092800.125", "776092800", "784035682.0005", "0", "-1e9", "252423993599.999"])) }
}
