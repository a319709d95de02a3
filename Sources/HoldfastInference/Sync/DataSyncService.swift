import Foundation
import Holdfast

/// Sends pending rows to an SDK's remote API, and pulls the API's data: on a timer, when enough events wait, and on demand.
///
/// The consent is read again for each request. If nothing may be recorded, nothing is sent; with limited consent, only errors
/// and performance are sent, without anything that names a person. `Documentation/InferenceSync.md` also lists what may come
/// from a server. Pulling needs no consent: its requests contain nothing about the person.
///
/// A row counts as sent when the server has confirmed the revision that was sent. If an attempt ends earlier, the row still
/// waits, and a later attempt may send it again; the server knows it by its id. Attempts run one after the other. Two services
/// on one store, in one process or two, may send a row twice, but lose none.
public actor DataSyncService {
  /// The greatest number of rows in a request, whatever the configuration says.
  public static let greatestBatch = 1_000
  /// How often a row is refused before it is set aside.
  public static let mostTries = 5

  private let inference: InferenceStore
  private let client: any APIClient
  private let options: SyncOptions
  private let clock: any Clock<Duration>
  /// Makes the decisions; the service performs them.
  private var plan: SyncPlan
  private var attempt: Task<SyncPlan.Ending, any Error>?
  private var timer: Task<Void, Never>?
  /// Watches pending events. Nil after its read failed.
  private(set) var watch: Task<Void, Never>?

  /// A service that is idle until `start()` or `sync()` is called.
  ///
  /// - Parameter clock: measures the waits between attempts; the time of day comes from the store's own clock.
  public init(_ inference: InferenceStore, client: any APIClient, options: SyncOptions, clock: any Clock<Duration> = ContinuousClock()) {
    self.inference = inference
    self.client = client
    self.options = options
    self.clock = clock
    plan = SyncPlan(options)
  }

  /// Starts sending automatically: at once, at each interval, and when enough events wait. Does nothing when already started.
  ///
  /// A failure is in `InferenceStore.syncStatus()`, and the attempt is repeated at its `retryAt`.
  public func start() {
    guard timer == nil else { return }
    timer = Task { [weak self, clock] in
      while !Task.isCancelled {
        await self?.startWatch()
        // The task was cancelled, or the store is read-only.
        guard let seconds = try? await self?.attempt(.timer).nextSeconds else { return }
        try? await clock.sleep(for: .seconds(max(seconds, 0.1)))
      }
    }
  }

  /// After a failed read, the timer starts the watch again.
  private func startWatch() {
    guard watch == nil, !Task.isCancelled else { return }
    let waiting = inference.store.updates { try Waiting(in: $0) }
    watch = Task { [weak self] in
      do { for try await events in waiting { await self?.notice(events.count) } } catch {}
      if !Task.isCancelled { await self?.endWatch() }
    }
  }

  private func notice(_ events: Int) async {
    // If the batch size cannot be read, the next change tries again.
    let batchSize = try? await batchSize()
    for case .attempt(let occasion) in plan.handle(.waiting(events: events, batchSize: batchSize)) { _ = try? await attempt(occasion) }
  }

  private func endWatch() { watch = nil }

  /// Stops sending automatically. A running attempt is cancelled while it waits for the server.
  public func stop() {
    for task in [timer, watch] { task?.cancel() }
    (timer, watch) = (nil, nil)
    attempt?.cancel()
  }

  /// Pulls the server's data and sends all pending rows now, whatever `retryAt` says, after a running attempt.
  ///
  /// - Throws: `.readOnly`, without any request, when the store is read-only. Otherwise the reason why the attempt ended:
  ///   `.permissionDenied` when the server rejects the key, `.busy` when it asks to wait, `.inputOutput` when it fails, gives
  ///   no answer, lacks the path, or refuses everything; `CancellationError`; a `StoreError` that the key's closure threw. Rows
  ///   that the server accepted before are acknowledged. Except for a cancellation, the error is also the status's `lastError`.
  @discardableResult
  public func sync() async throws -> SyncReport { try await attempt(.demand).result.get() }

  /// Runs after any other attempt.
  ///
  /// - Throws: only `CancellationError` and `.readOnly`.
  private func attempt(_ occasion: SyncPlan.Occasion) async throws -> SyncPlan.Ending {
    try Self.checkWritable(inference.store)
    while let attempt { _ = try? await attempt.value }
    let task = Task {
      // Before the callers that wait for the end continue.
      defer { attempt = nil }
      return try await run(occasion)
    }
    attempt = task
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Throws `.readOnly` for a store that cannot record what the server accepts: its rows would be sent again and again.
  static func checkWritable(_ store: Store) throws {
    guard case .readOnly(let reason) = store.access else { return }
    throw StoreError(.readOnly, "the store cannot record what the server accepts: \(reason); nothing was sent")
  }

  private func run(_ occasion: SyncPlan.Occasion) async throws -> SyncPlan.Ending {
    var actions = plan.handle(.begun(occasion, await situation()))
    while !actions.isEmpty {
      let action = actions.removeFirst()
      if case .end(let ending) = action { return ending }
      do {
        if let event = try await perform(action) { actions += plan.handle(event) }
      } catch {
        // The app cancelled the attempt; the server did not fail.
        if Task.isCancelled || error is CancellationError { break }
        actions = plan.handle(.failed(error))
      }
    }
    throw CancellationError()
  }

  private func perform(_ action: SyncPlan.Action) async throws -> SyncPlan.Event? {
    let (store, secretProperties) = (inference.store, inference.secretProperties)
    switch action {
    case .get(let path):
      try Task.checkCancellation()
      return .answered(try await client.send(APIRequest("GET", path)))
    case .merge(.configuration(let said)):
      return .merged(.configurations, try await store.write { try SyncMerge.take(said, in: $0) } ? 1 : 0)
    case .merge(.models(let said)): return .merged(.models, try await store.write { try SyncMerge.take(said, in: $0) })
    case .open(let outbox):
      let opening = try await store.read { try outbox.opening(in: $0) }
      return .opened(outbox, opening, batchSize: opening == nil ? 1 : try await batchSize())
    case .read(let outbox, let stretch):
      try Task.checkCancellation()
      return .read(try await store.read { try outbox.rows(in: stretch, secretProperties, $0) })
    case .post(let outbox, let rows):
      let body = outbox.body(rows, options, at: now).canonicalText()
      return .answered(try await client.send(APIRequest("POST", outbox.path, body: Data(body.utf8))))
    case .write(let outbox, let verdict): try await store.write { try outbox.write(verdict, in: $0) }
    case .setCursor(let outbox, let place): try await store.write { try outbox.setCursor(place, in: $0) }
    case .noteSuccess: _ = try await store.write { try $0.execute("UPDATE sync_state SET last_error = NULL, retry_at = NULL") }
    case .noteFailure(let error, let pauseSeconds):
      // If this write fails, too, the thrown error gives the reason.
      try? await store.write { tx in
        let retryAt = tx.currentDate().addingTimeInterval(pauseSeconds)
        try tx.execute(
          """
          INSERT INTO sync_state (slot, last_error, retry_at) VALUES (1, \(error.message), \(retryAt))
          ON CONFLICT (slot) DO UPDATE SET last_error = excluded.last_error, retry_at = excluded.retry_at
          """)
      }
    case .attempt, .end: break
    }
    return nil
  }

  // MARK: Events for the plan

  /// Two equal counts with different newest rows are different events.
  private struct Waiting: Equatable {
    let count: Int
    let newest: Int

    init(in reader: Reader) throws {
      count = try InferenceStore.pendingEventCount(in: reader)
      newest = try reader.count("SELECT ifnull(max(rowid), 0) FROM telemetry")
    }
  }

  private func situation() async -> SyncPlan.Situation {
    var situation = SyncPlan.Situation(now: now)
    situation.analytics = try? await analytics()
    situation.pendingEvents = (try? await inference.pendingEventCount()) ?? 0
    situation.retryAt = (try? await inference.syncStatus())?.retryAt
    return situation
  }

  private var now: Date { DateCodec.rounded(inference.store.options.now()) }

  /// At least 1, because the value may come from a server.
  func batchSize() async throws -> Int {
    if let size = options.batchSize { return max(1, size) }
    return max(1, try await analytics()?.batchSize ?? 100)
  }

  /// Only this part: the rest of the configuration may be damaged.
  private func analytics() async throws -> InferenceConfiguration.Analytics? {
    try await inference.store.read { reader in
      try reader.first(AnalyticsRow.self, "WHERE configuration_id = \(InferenceConfiguration.defaultID)")?.analytics
    }
  }
}
