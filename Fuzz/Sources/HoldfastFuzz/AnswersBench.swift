import Foundation
import Holdfast
import HoldfastInference

/// A store whose rows all wait to be sent, and a server that gives the same bytes as its answer to every request of a case, or to the
/// requests of one path.
///
/// The rules for any bytes: A row counts as sent only if the answer accepts it, by its id or with a count. Rows that are sent keep their
/// content. A refusal, and an answer that is not JSON, change nothing. Consent and privacy settings stay equal or become stricter.
/// Everything can be read afterwards. The same answers change nothing the second time.
final class AnswersBench: FuzzBench {
  private let target: InferenceAnswers
  private let inference: InferenceStore
  private let fault: Fault?
  private let pristine: Int64

  private static let sent = ["telemetry", "model_metadata", "configuration", "generation_sessions", "generations", "user_preferences"]
  /// The tables whose content no answer may change.
  private static let own = ["telemetry", "generation_sessions", "generations", "user_preferences", "secrets"]
  /// The tables that a pull may change.
  private static let pulled = ["configuration", "routing_policies", "analytics_config", "storage_config", "model_metadata"]
  /// The requests of which a case may choose one.
  private static let requests =
    ["GET /v1/configuration", "GET /v1/models"]
    + ["telemetry", "configuration", "models", "history", "preferences"].map { "POST /v1/sync/\($0)" }
  /// The ids of the rows that wait. Rows of a pull have other ids.
  private static let known = Set((InferenceAnswers.ids + InferenceAnswers.uuids + ["default"]).map(AnswersClient.hex))
  private static let counters: Set = ["revision", "acknowledged_revision", "set_aside_revision"]
  private static let all = own + pulled + ["sync_state", "sync_tries", "sync_cursors", "sync_conflicts"]

  init(_ target: InferenceAnswers, fault: Fault?) throws {
    self.target = target
    self.fault = fault
    inference = try InferenceStore.inMemory()
    try Self.fill(inference)
    pristine = try Contents(of: inference.store, Self.all).hash(of: inference.store)
  }

  func isEmpty() throws -> Bool {
    try Contents(of: inference.store, Self.all).hash(of: inference.store) == pristine && inference.store.integrityCheck().isHealthy
  }

  func run(_ seed: UInt64, _ number: Int) throws -> String {
    do {
      var (source, random) = try target.source(seed, number)
      let status =
        random.chance(5, of: 6) ? 200 : random.pick([201, 204, 302, 400, 401, 404, 413, 422, 429, 500, 503, 0, -1], otherwise: 400)
      let request = random.chance(1, of: 3) ? nil : Self.requests.randomElement(using: &random)
      defer { try? clear() }
      return try check(AnswersClient(status: status, body: Data(source.bytes), to: request, fault: fault), &random)
    } catch let error as Finding {
      throw error
    } catch {
      throw Finding(message: "an error outside the sync: \(error)")
    }
  }

  private func check(_ client: AnswersClient, _ random: inout SeededRandom) throws -> String {
    let (own, pulled) = (try content(Self.own), try content(Self.pulled))
    let before = try inference.store.read { try InferenceStore.configurations(in: $0) }
    let outcome = try sync(client)
    guard try content(Self.own) == own else { throw Finding(message: "an answer changed the content of rows that are sent") }
    let accepted = client.accepted()
    for table in Self.sent {
      let key = table == "user_preferences" ? "name" : "id"
      let taken = try inference.store.read { reader in
        try reader.values("SELECT \(raw: key) FROM \(raw: table) WHERE acknowledged_revision > 0") { try $0.text() }
      }
      for id in taken where Self.known.contains(AnswersClient.hex(id)) && !accepted.contains("\(table) \(AnswersClient.hex(id))") {
        throw Finding(message: "\(table) \(id) counts as sent, but no answer accepted it")
      }
      guard try inference.store.read({ try $0.count("SELECT count(*) FROM \(raw: table) WHERE set_aside_revision > 0") }) == 0 else {
        throw Finding(message: "a single answer set a row of \(table) aside")
      }
    }
    if !client.isUnderstood, try content(Self.pulled) != pulled { throw Finding(message: "an answer that is refused changed the store") }
    try checkPrivacy(before, try inference.store.read { try InferenceStore.configurations(in: $0) })
    _ = try inference.store.read { try InferenceStore.models(in: $0) }
    let once = try content(Self.pulled)
    _ = try sync(client)
    guard try content(Self.pulled) == once else { throw Finding(message: "the same answers changed the store the second time") }
    if random.chance(1, of: 32) {
      let integrity = try inference.store.integrityCheck(quick: true)
      guard integrity.isHealthy else { throw Finding(message: "the integrity check failed: \(integrity.findings.map(\.message))") }
    }
    return outcome
  }

  private func checkPrivacy(_ before: [InferenceConfiguration], _ after: [InferenceConfiguration]) throws {
    for new in after {
      let old = before.first { $0.id == new.id } ?? InferenceConfiguration(id: new.id, createdAt: new.createdAt)
      guard new.analytics.telemetryConsent == old.analytics.telemetryConsent else { throw Finding(message: "a server changed consent") }
      let opens =
        new.routing.isCloudEnabled && !old.routing.isCloudEnabled || new.analytics.includesDeviceInfo && !old.analytics.includesDeviceInfo
        || new.routing.privacyMode != old.routing.privacyMode && new.routing.privacyMode != .strict
        || !old.routing.isCloudEnabled && new.routing.customRules != old.routing.customRules
      if opens { throw Finding(message: "a server loosened the privacy settings: \(new.routing)") }
      guard new.storage.directoryName == old.storage.directoryName, new.apiKeyReference == old.apiKeyReference else {
        throw Finding(message: "a server changed a setting that belongs to this device")
      }
    }
  }

  private func sync(_ client: AnswersClient) throws -> String {
    var options = SyncOptions(deviceID: "device")
    options.batchSize = 3
    let service = DataSyncService(inference, client: client, options: options)
    let done = DispatchSemaphore(value: 0)
    let outcome = Outcome()
    Task.detached {
      do {
        let report = try await service.sync()
        outcome.text = report.pulled.isEmpty ? report.acknowledged.isEmpty ? "nothing" : "sent" : "pulled"
      } catch let error as StoreError {
        outcome.text = error.code.rawValue
      } catch {
        outcome.finding = Finding(message: "sync failed with \(error)")
      }
      done.signal()
    }
    guard done.wait(timeout: .now() + 60) == .success else { throw Finding(message: "sync did not end within 60 seconds") }
    if let finding = outcome.finding { throw finding }
    return outcome.text
  }

  // Unchecked because the semaphore is between its writer and its reader.
  private final class Outcome: @unchecked Sendable {
    var text = ""
    var finding: Finding?
  }

  private func content(_ tables: [String]) throws -> Int64 {
    try Contents(of: inference.store, tables, without: Self.counters).hash(of: inference.store)
  }

  private func clear() throws {
    try inference.store.write { tx in for table in Self.all { try tx.execute("DELETE FROM \(raw: table)") } }
    try Self.fill(inference)
  }

  /// Inserts rows into every table. All of them wait to be sent.
  private static func fill(_ inference: InferenceStore) throws {
    let date = Date(timeIntervalSince1970: 1_754_400_000)
    try inference.store.write { tx in
      let analytics = InferenceConfiguration.Analytics(isEnabled: true, level: .verbose, telemetryConsent: .granted)
      try InferenceStore.save(InferenceConfiguration(analytics: analytics, createdAt: date), in: tx)
      for id in InferenceAnswers.ids {
        try tx.insert(TelemetryEvent(id: id, type: .custom, occurredAt: date))
        try tx.insert(ModelMetadata(id: id, name: id, framework: .mlx, createdAt: date))
        try tx.insert(UserPreference(name: id, value: "1", createdAt: date, updatedAt: date))
      }
      for text in InferenceAnswers.uuids {
        guard let id = IDCodec.parse(text) else { continue }
        try tx.insert(GenerationSession(id: id, modelID: "row-1", type: .chat, startedAt: date))
        try tx.insert(Generation(id: id, sessionID: id, sequenceNumber: 1, createdAt: date))
      }
    }
  }
}

/// Gives the case's answer to the chosen requests, and a success to all others. Uses Foundation's JSON to find the rows that it accepted.
private final class AnswersClient: APIClient, @unchecked Sendable {
  private let status: Int
  private let body: Data
  private let request: String?
  private let fault: Fault?
  private let root: [String: Any]?
  // Guarded by `lock`.
  private var acceptedRows: Set<String> = []
  private let lock = NSLock()

  /// - Parameter request: the requests that get the case's answer, by method and path; nil means all.
  init(status: Int, body: Data, to request: String?, fault: Fault?) {
    self.status = status
    self.body = body
    self.request = request
    self.fault = fault
    root = (try? JSONSerialization.jsonObject(with: body)) as? [String: Any]
  }

  /// Whether the answer may change more than which rows count as sent.
  var isUnderstood: Bool { status == 200 && root != nil }

  /// The rows that were accepted, each as its table and the bytes of its id.
  func accepted() -> Set<String> { lock.withLock { acceptedRows } }

  static func hex(_ text: String) -> String { text.utf8.map { String($0, radix: 16) }.joined(separator: " ") }

  func send(_ request: APIRequest) async throws -> APIResponse {
    if fault == .takesRefused, request.path.hasPrefix("/v1/models") {
      return Self.well(#"{"models":[{"id":"planted","name":"x","framework":"MLX","updatedAt":0}],"totalCount":1}"#)
    }
    let isMeant = self.request.map("\(request.method) \(request.path)".hasPrefix) ?? true
    if request.method == "GET" { return isMeant ? APIResponse(status: status, body: body) : APIResponse(status: 404) }
    let sent = Self.rows(request)
    let taken = sent.filter { !isMeant || accepts($0.id, of: sent.map(\.id), $0.table) }
    lock.withLock { acceptedRows.formUnion(taken.map { "\($0.table) \(Self.hex($0.id))" }) }
    if fault == .takesUnnamed, request.path.hasSuffix("/telemetry") { return Self.well(#"{"accepted":\#(sent.count)}"#) }
    if isMeant { return APIResponse(status: status, body: body) }
    let ids = JSONValue.array(sent.map { .string($0.id) }).canonicalText()
    return Self.well(#"{"accepted":\#(ids),"syncedIds":\#(ids),"success":true}"#)
  }

  private static func well(_ body: String) -> APIResponse { APIResponse(status: 200, body: Data(body.utf8)) }

  private static func rows(_ request: APIRequest) -> [(table: String, id: String)] {
    let tables = ["events": "telemetry", "models": "model_metadata", "sessions": "generation_sessions", "preferences": "user_preferences"]
    let root = (try? JSONSerialization.jsonObject(with: request.body)) as? [String: Any] ?? [:]
    if request.path.hasSuffix("/configuration") { return (root["id"] as? String).map { [("configuration", $0)] } ?? [] }
    return root.flatMap { name, value in
      (value as? [[String: Any]] ?? []).compactMap { row in
        guard let id = row["id"] as? String else { return nil }
        let table = tables[name] ?? "generations"
        return (table, table.hasPrefix("generation") ? id.lowercased() : id)
      }
    }
  }

  private func accepts(_ id: String, of sent: [String], _ table: String) -> Bool {
    guard status == 200, let root, !Self.refuses(root) else { return false }
    switch table {
    case "configuration": return root["success"] as? Bool == true
    case "telemetry":
      if let ids = root["accepted"] as? [Any] { return Self.holds(ids, id) }
      // A number accepts all rows except those that the answer names as refused. It accepts none if the answer names a row that was not
      // sent.
      guard Self.saysWhich(root, sent) else { return false }
      let errors = (root["errors"] as? [Any] ?? []).compactMap { ($0 as? [String: Any])?["id"] }
      let refused = errors + (root["rejected"] as? [Any] ?? [])
      let others = sent.filter { !Self.holds(refused, $0) }
      return (root["accepted"] as? NSNumber)?.intValue == others.count && Self.holds(others, id)
    default:
      let ids = root["syncedIds"] as? [Any] ?? []
      return Self.holds(table.hasPrefix("generation") ? ids.map { ($0 as? String)?.lowercased() ?? "" } : ids, id)
    }
  }

  private static func refuses(_ root: [String: Any]) -> Bool {
    if let success = root["success"], success as? Bool != true { return true }
    return ["error", "failed", "failure"].contains((root["status"] as? String)?.lowercased())
  }

  /// Whether `rejected` and `errors` are a number or name only rows that were sent.
  private static func saysWhich(_ root: [String: Any], _ sent: [String]) -> Bool {
    func isSent(_ id: Any?) -> Bool { (id as? String).map { holds(sent, $0) } ?? false }
    let rejected: Any = root["rejected"] ?? NSNull()
    let errors: Any = root["errors"] ?? NSNull()
    let isRight = rejected is NSNull || rejected is NSNumber || (rejected as? [Any])?.allSatisfy { isSent($0) } == true
    return isRight && (errors is NSNull || (errors as? [Any])?.allSatisfy { isSent(($0 as? [String: Any])?["id"]) } == true)
  }

  /// Compares byte for byte.
  private static func holds(_ ids: [Any], _ id: String) -> Bool {
    ids.contains { ($0 as? String).map { $0.utf8.elementsEqual(id.utf8) } ?? false }
  }
}
