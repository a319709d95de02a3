import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import InferenceStore

/// Rows of one table that are sent, for what must hold for each.
struct SentRows: Sendable, CustomTestStringConvertible {
  var table: String
  var kind: SyncedKind
  var path: String
  private var save: @Sendable (String, InferenceStore) throws -> Void

  var testDescription: String { table }

  static let telemetry = SentRows(table: TelemetryEvent.table, kind: .telemetry, path: "telemetry") { id, inference in
    try inference.store.write { try $0.insert(TelemetryEvent(id: id, type: .error, name: "load", occurredAt: Sample.date)) }
  }
  static let models = SentRows(table: ModelMetadata.table, kind: .models, path: "models") { id, inference in
    try inference.save(ModelMetadata(id: id, name: id, framework: .mlx, createdAt: Sample.date))
  }
  static let preferences = SentRows(table: UserPreference.table, kind: .preferences, path: "preferences") { id, inference in
    try inference.setPreference("1", named: id)
  }
  static let some = [telemetry, models, preferences]

  private init(
    table: String, kind: SyncedKind, path: String, save: @escaping @Sendable (String, InferenceStore) throws -> Void
  ) {
    self.table = table
    self.kind = kind
    self.path = path
    self.save = save
  }

  func add(_ numbers: ClosedRange<Int>, to world: World) throws {
    for number in numbers { try save(Self.id(number), world.inference) }
  }

  static func id(_ number: Int) -> String { "row-\(number < 10 ? "0" : "")\(number)" }

  func pending(in world: World) throws -> Int { try world.inference.syncStatus().pending[table] ?? 0 }

  func setAside(in world: World) throws -> [String] {
    try world.inference.syncStatus().setAside.filter { $0.kind == table }.map(\.id)
  }

  /// Everything is agreed to, and `count` rows wait.
  func world(_ count: Int) throws -> World {
    let world = try World.temporary()
    let analytics = InferenceConfiguration.Analytics(isEnabled: true, level: .basic, telemetryConsent: .granted)
    try world.inference.save(InferenceConfiguration(analytics: analytics, createdAt: Sample.date))
    if count > 0 { try add(1...count, to: world) }
    return world
  }

  /// Sends these and nothing else, in batches of four, and pulls nothing.
  func service(
    _ world: World, _ server: LoopbackServer, batch: Int? = 4, timeoutSeconds: Double = 5, clock: any Clock<Duration> = ContinuousClock()
  ) -> DataSyncService {
    var options = SyncOptions(deviceID: "device")
    options.batchSize = batch
    options.jitter = { 1 }
    options.kinds = [kind]
    (options.configurationPath, options.catalogPath) = (nil, nil)
    let client = URLSessionClient(server.address, timeoutSeconds: timeoutSeconds) { "sk-1" }
    return DataSyncService(world.inference, client: client, options: options, clock: clock)
  }

  /// The ids that came, in order, however often.
  func ids(at api: TablesAPI) -> [String] { api.came(to: path).compactMap { $0.string("id") } }
}

/// What a server answers instead, request by request; nil is what it answers anyway.
final class Script: @unchecked Sendable {
  // Guarded by `lock`.
  private var answers: [LoopbackServer.Answer?]
  private let lock = NSLock()

  init(_ answers: [LoopbackServer.Answer?]) { self.answers = answers }

  func next() -> LoopbackServer.Answer? { lock.withLock { answers.isEmpty ? nil : answers.removeFirst() } }
}
