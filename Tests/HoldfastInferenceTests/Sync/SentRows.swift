import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

/// Rows of one table that are sent, for what must hold for each.
struct SentRows: Sendable, CustomTestStringConvertible {
  var table: String
  var kind: SyncedKind
  var path: String
  /// To a request at most.
  var mostInRequest = Int.max
  /// What the server knows a row by.
  var wireID: @Sendable (Int) -> String = SentRows.id(_:)
  var save: @Sendable (Int, Writer) throws -> Void

  var testDescription: String { table }

  static let telemetry = SentRows(table: TelemetryEvent.table, kind: .telemetry, path: "telemetry") { number, tx in
    try tx.insert(TelemetryEvent(id: id(number), type: .error, name: "load", occurredAt: Sample.date))
  }
  static let configurations = SentRows(
    table: ConfigurationRow.table, kind: .configuration, path: "configuration", mostInRequest: 1
  ) { number, tx in try InferenceStore.save(InferenceConfiguration(id: id(number), createdAt: Sample.date), in: tx) }
  static let models = SentRows(table: ModelMetadata.table, kind: .models, path: "models") { number, tx in
    try InferenceStore.save(ModelMetadata(id: id(number), name: id(number), framework: .mlx, createdAt: Sample.date), in: tx)
  }
  static let sessions = SentRows(
    table: GenerationSession.table, kind: .history, path: "history", wireID: SDKDatabase.id(_:)
  ) { number, tx in
    let session = GenerationSession(id: SDKDatabase.uuid(number), modelID: "m", type: .chat, startedAt: Sample.date)
    try InferenceStore.save(session, in: tx)
  }
  /// Of a session that the server has.
  static let generations = SentRows(
    table: Generation.table, kind: .history, path: "history", wireID: SDKDatabase.id(_:)
  ) { number, tx in
    try InferenceStore.save(Sample.session, in: tx)
    try tx.execute("UPDATE generation_sessions SET acknowledged_revision = revision")
    let id = SDKDatabase.uuid(number)
    try InferenceStore.save(Generation(id: id, sessionID: Sample.session.id, sequenceNumber: number, createdAt: Sample.date), in: tx)
  }
  static let preferences = SentRows(table: UserPreference.table, kind: .preferences, path: "preferences") { number, tx in
    try InferenceStore.setPreference("1", named: id(number), secretProperties: .standard, in: tx)
  }
  static let some = [telemetry, models, preferences]
  static let inBatches = [telemetry, models, sessions, generations, preferences]
  static let all = inBatches + [configurations]

  /// Each case with all of `rows` in the long run; else with events and one other table, in turn.
  static func inTurn<Case>(_ rows: [SentRows], _ cases: [Case]) -> [(SentRows, Case)] {
    let others = rows.filter { $0.kind != .telemetry }
    return cases.enumerated().flatMap { number, element -> [(SentRows, Case)] in
      (ProofRun.isLong ? rows : [.telemetry, others[number % others.count]]).map { ($0, element) }
    }
  }

  func add(_ numbers: ClosedRange<Int>, to world: World) async throws {
    try await world.store.write { tx in for number in numbers { try save(number, tx) } }
  }

  static func id(_ number: Int) -> String { "row-\(number < 10 ? "0" : "")\(number)" }

  func pending(in world: World) async throws -> Int { try await world.inference.syncStatus().pending[table] ?? 0 }

  func add(_ number: Int, to world: World) async throws { try await add(number...number, to: world) }

  func setAside(in world: World) async throws -> [String] {
    try await world.inference.syncStatus().setAside.filter { $0.kind == table }.map(\.id)
  }

  /// Everything is agreed to, and `count` rows wait.
  func world(_ count: Int, batchSize: Int = 100, intervalSeconds: Double = 300) async throws -> World {
    let world = try World.temporary()
    try await TelemetryTests.consent(world.inference) { ($0.batchSize, $0.submissionIntervalSeconds) = (batchSize, intervalSeconds) }
    if kind == .configuration {
      try await world.store.write { _ = try $0.execute("UPDATE configuration SET acknowledged_revision = revision") }
    }
    if count > 0 { try await add(1...count, to: world) }
    return world
  }

  /// Sends these and nothing else, in batches of four, and pulls nothing.
  func service(
    _ world: World, _ server: LoopbackServer, batch: Int? = 4, timeoutSeconds: Double = 5, clock: any Clock<Duration> = ContinuousClock(),
    _ change: (inout SyncOptions) -> Void = { _ in }
  ) -> DataSyncService {
    var options = SyncOptions(deviceID: "device")
    options.batchSize = batch
    options.jitter = { 1 }
    options.kinds = [kind]
    (options.configurationPath, options.catalogPath) = (nil, nil)
    change(&options)
    let client = URLSessionClient(server.address, timeoutSeconds: timeoutSeconds) { "sk-1" }
    return DataSyncService(world.inference, client: client, options: options, clock: clock)
  }

  /// The ids that came, in order, however often.
  func ids(at api: TablesAPI) -> [String] { api.came(to: path).compactMap { $0.string("id") } }
}

extension World {
  /// Returns when no event waits.
  func untilSent() async throws {
    for try await count in inference.pendingEventCountUpdates() where count == 0 { return }
  }
}

/// What a server answers instead, request by request; nil is what it answers anyway.
final class Script: @unchecked Sendable {
  // Guarded by `lock`.
  private var answers: [LoopbackServer.Answer?]
  private let lock = NSLock()

  init(_ answers: [LoopbackServer.Answer?]) { self.answers = answers }

  func next() -> LoopbackServer.Answer? { lock.withLock { answers.isEmpty ? nil : answers.removeFirst() } }
}
