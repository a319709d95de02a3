import Foundation
import Holdfast

/// Sends what waits to an SDK's remote API, and pulls what the API has: on a timer, when enough has come together, and on demand.
///
/// Consent is asked for anew at each request: where nothing would be recorded nothing is sent, and with limited consent errors and
/// performance only, of nobody; see `Documentation/InferenceSync.md`, also for what may come from a server. What is pulled needs no
/// consent: nothing of the person is in the question.
///
/// A row counts as sent when the server has said so, at the revision that it was sent; whatever ends an attempt before that leaves it
/// waiting. An attempt may therefore send a row again that has arrived: the server knows it by its id. Attempts come one after the other.
/// Two services on one store, in one process or two, may send the same row at the same time, and lose none.
public actor DataSyncService {
  /// Rows to a request at most, whatever the configuration says.
  public static let greatestBatch = 1_000
  /// How often a row is refused before it is set aside.
  public static let mostTries = 5
  /// A day: no pause is longer, whatever a server asks for.
  static let greatestPauseSeconds = 86_400.0

  private let inference: InferenceStore
  private let client: any APIClient
  private let options: SyncOptions
  private let clock: any Clock<Duration>
  /// Decides; the service performs.
  private var plan: SyncPlan
  private var attempt: Task<SyncPlan.Ending, any Error>?
  private var timer: Task<Void, Never>?
  /// Watches pending events. Nil after its read failed.
  private(set) var watch: Task<Void, Never>?

  /// It does nothing until it is started, or asked to.
  ///
  /// - Parameter clock: what it waits by between two attempts; what time it is the store's own clock says.
  public init(_ inference: InferenceStore, client: any APIClient, options: SyncOptions, clock: any Clock<Duration> = ContinuousClock()) {
    self.inference = inference
    self.client = client
    self.options = options
    self.clock = clock
    plan = SyncPlan(options)
  }

  /// Sends from now on by itself: at once, at each interval, and when enough events wait. Does nothing when it does so already.
  ///
  /// What fails is in `InferenceStore.syncStatus()`, and tried again when its `retryAt` has come.
  public func start() {
    guard timer == nil else { return }
    timer = Task { [weak self, clock] in
      while !Task.isCancelled {
        await self?.startWatch()
        // Cancelled, or the store may only be read.
        guard let seconds = try? await self?.attempt(.timer).nextSeconds else { return }
        try? await clock.sleep(for: .seconds(max(seconds, 0.1)))
      }
    }
  }

  /// After a read that failed the timer watches again.
  private func startWatch() {
    guard watch == nil, !Task.isCancelled else { return }
    let waiting = inference.store.updates(of: [TelemetryEvent.table]) { try Waiting(in: $0) }
    watch = Task { [weak self] in
      do { for try await events in waiting { await self?.notice(events.count) } } catch {}
      if !Task.isCancelled { await self?.endWatch() }
    }
  }

  private func notice(_ events: Int) async {
    // Where it cannot be told the next change asks again.
    let batchSize = try? await batchSize()
    for case .attempt(let occasion) in plan.handle(.waiting(events: events, batchSize: batchSize)) { _ = try? await attempt(occasion) }
  }

  private func endWatch() { watch = nil }

  /// Sends nothing by itself any more. An attempt that has begun is ended where it waits for the server.
  public func stop() {
    for task in [timer, watch] { task?.cancel() }
    (timer, watch) = (nil, nil)
    attempt?.cancel()
  }

  /// Pulls what the server has and sends now all that waits, whatever `retryAt` says, after an attempt that has begun.
  ///
  /// - Throws: `.readOnly`, with nothing asked or sent, where the store may only be read. Else why it ended: `.permissionDenied` when the
  ///   server does not accept the key, `.busy` when it asks to be left alone, `.inputOutput` when it fails, gives no answer, has no such
  ///   path, or refuses everything; `CancellationError`; as a `StoreError` what the key's source throws. What it took until then is
  ///   acknowledged, and but for a cancellation it is the status's `lastError`.
  @discardableResult
  public func sync() async throws -> SyncReport { try await attempt(.demand).result.get() }

  /// After any other.
  ///
  /// - Throws: `CancellationError`; `.readOnly`, and nothing else.
  private func attempt(_ occasion: SyncPlan.Occasion) async throws -> SyncPlan.Ending {
    if case .readOnly(let reason) = inference.store.access {
      // It would be sent again and again.
      throw StoreError(.readOnly, "what the server takes could not be noted: \(reason); nothing was sent")
    }
    while let attempt { _ = try? await attempt.value }
    let task = Task {
      // Before anybody who waits for the end goes on.
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

  private func run(_ occasion: SyncPlan.Occasion) async throws -> SyncPlan.Ending {
    var actions = plan.handle(.begun(occasion, await situation()))
    while !actions.isEmpty {
      let action = actions.removeFirst()
      if case .end(let ending) = action { return ending }
      do {
        if let event = try await perform(action) { actions += plan.handle(event) }
      } catch {
        // The app's own wish is no failure of the server.
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
      // Where even this cannot be written the error that is thrown says why.
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

  /// As many events as before are others, when they are newer.
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

  /// At least 1: a server may set it.
  func batchSize() async throws -> Int {
    if let size = options.batchSize { return max(1, size) }
    return max(1, try await analytics()?.batchSize ?? 100)
  }

  /// Alone: the rest of the configuration may be damaged.
  private func analytics() async throws -> InferenceConfiguration.Analytics? {
    try await inference.store.read { reader in
      try reader.first(AnalyticsRow.self, "WHERE configuration_id = \(InferenceConfiguration.defaultID)")?.analytics
    }
  }
}
