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
  public static let mostTries = SyncKind.mostTries
  /// A day: no pause is longer, whatever a server asks for.
  static let greatestPauseSeconds = 86_400.0

  let inference: InferenceStore
  let client: any APIClient
  private let options: SyncOptions
  private let kinds: [SyncKind]
  private let clock: any Clock<Duration>
  private var attempt: Task<SyncReport, any Error>?
  private var timer: Task<Void, Never>?
  /// Of what waits; nil when it could not be read.
  private(set) var watch: Task<Void, Never>?
  private var failures = 0
  /// How many events the last attempt by itself has left.
  private var left = 0

  /// It does nothing until it is started, or asked to.
  ///
  /// - Parameter clock: what it waits by between two attempts; what time it is the store's own clock says.
  public init(_ inference: InferenceStore, client: any APIClient, options: SyncOptions, clock: any Clock<Duration> = ContinuousClock()) {
    self.inference = inference
    self.client = client
    self.options = options
    self.clock = clock
    kinds = SyncKind.all(options)
  }

  /// Sends from now on by itself: at once, at each interval, and when enough events wait. Does nothing when it does so already.
  ///
  /// What fails is in `InferenceStore.syncStatus()`, and tried again when its `retryAt` has come.
  public func start() {
    guard timer == nil else { return }
    timer = Task { [weak self, clock] in
      while !Task.isCancelled {
        await self?.startWatch()
        guard let interval = await self?.turn(pulling: true) else { return }
        try? await clock.sleep(for: .seconds(max(interval, 0.1)))
      }
    }
  }

  /// Sends when enough events wait, from now on. After a read that failed the next turn watches again.
  private func startWatch() {
    guard watch == nil, !Task.isCancelled else { return }
    let waiting = inference.store.updates(of: [TelemetryEvent.table]) { try Waiting(in: $0) }
    watch = Task { [weak self] in
      do {
        for try await events in waiting {
          guard let self else { return }
          // Where it cannot be told the next change asks again.
          if (try? await self.isEnough(events.count)) == true { _ = await self.turn(pulling: false) }
        }
      } catch {}
      if !Task.isCancelled { await self?.endWatch() }
    }
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
  public func sync() async throws -> SyncReport {
    do { return try await attempt(pulling: true, waits: false) } catch let failure as Failure { throw failure.error }
  }

  /// Why an attempt ended, and how long the next one by itself is to wait.
  private struct Failure: Error {
    let error: StoreError
    let pauseSeconds: Double
  }

  /// There is a pause that is not over.
  private struct Paused: Error {
    let seconds: Double
  }

  /// - Parameter waits: whether a pause that is not over ends it, asked for when no other attempt goes on.
  private func attempt(pulling: Bool, waits: Bool) async throws -> SyncReport {
    if case .readOnly(let reason) = inference.store.access {
      // It would be sent again and again.
      throw StoreError(.readOnly, "what the server takes could not be noted: \(reason); nothing was sent")
    }
    while let attempt { _ = try? await attempt.value }
    let task = Task {
      // Before anybody who waits for the end goes on.
      defer { attempt = nil }
      if waits, let seconds = await pauseSeconds(), seconds > 0 { throw Paused(seconds: seconds) }
      return try await run(pulling: pulling)
    }
    attempt = task
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Sends when nothing forbids it, and says how long to wait for the next turn.
  private func turn(pulling: Bool) async -> Double {
    let interval = await interval()
    let before = (try? await inference.pendingEventCount()) ?? 0
    do {
      let report = try await attempt(pulling: pulling, waits: true)
      left = max(0, before - (report.acknowledged[TelemetryEvent.table] ?? 0))
      return interval
    } catch let paused as Paused {
      return min(interval, paused.seconds)
    } catch {
      left = before
      // As it was noted, also where it could not be written.
      return min(interval, (error as? Failure)?.pauseSeconds ?? interval)
    }
  }

  /// Until `retryAt`: 0 when it has come; nil when there is none, or it is so far away that only a wrong clock can have set it.
  private func pauseSeconds() async -> Double? {
    guard let retryAt = (try? await inference.syncStatus())?.retryAt else { return nil }
    let pause = max(0, retryAt.timeIntervalSince(now))
    return pause <= Self.greatestPauseSeconds ? pause : nil
  }

  /// What was left behind, because consent does not let it go or the server refuses it, does not make every new event an occasion.
  private func isEnough(_ count: Int) async throws -> Bool {
    let most = try await threshold()
    return count - left >= most
  }

  private func run(pulling: Bool) async throws -> SyncReport {
    var report = SyncReport()
    do {
      var stops: [SyncStop] = []
      if pulling {
        // What the server has comes first: what is sent then is what holds.
        do { try await pullConfiguration(&report) } catch let stop as SyncStop where stop.isOfOnePath { stops.append(stop) }
        do { try await pullCatalog(&report) } catch let stop as SyncStop where stop.isOfOnePath { stops.append(stop) }
      }
      var refused: [(kind: SyncKind, refusals: SyncRefusals)] = []
      let ofPulling = stops.count
      for kind in kinds {
        do {
          let refusals = try await send(kind, &report)
          refused.append((kind, refusals))
        } catch let stop as SyncStop where stop.isOfOnePath { stops.append(stop) }
      }
      for (kind, refusals) in refused {
        do {
          try await count(refusals, of: kind, takesOthers: !report.acknowledged.isEmpty)
        } catch let stop as SyncStop { stops.append(stop) }
      }
      if var stop = stops.first {
        stop.isOfPulling = stops.count == ofPulling
        throw stop
      }
    } catch let stop as SyncStop {
      throw await noted(stop, report)
    } catch let error where Task.isCancelled || error is CancellationError {
      // The app's own wish is no failure of the server.
      throw CancellationError()
    } catch {
      // No answer, or no question: nobody knows what has arrived.
      let stop = SyncStop(
        error as? StoreError
          ?? StoreError(.inputOutput, "the server gave no answer: \(error.localizedDescription.prefix(200))", cause: error))
      throw await noted(stop, report)
    }
    failures = 0
    _ = try await inference.store.write { tx in
      try tx.execute("UPDATE sync_state SET last_error = NULL, retry_at = NULL")
    }
    return report
  }

  private func pullConfiguration(_ report: inout SyncReport) async throws {
    guard let path = options.configurationPath, let answer = try await get(path) else { return }
    let pulled = try SyncPull.configuration(answer, path)
    let isNew = try await inference.store.write { try SyncMerge.take(pulled, in: $0) }
    if isNew { report.pulled[ConfigurationRow.table, default: 0] += 1 }
  }

  private func pullCatalog(_ report: inout SyncReport) async throws {
    guard let path = options.catalogPath else { return }
    var catalog = SyncPull.Catalog(path: path)
    while let question = catalog.question, let answer = try await get(question) {
      let models = try catalog.read(answer)
      let count = try await inference.store.write { try SyncMerge.take(models, in: $0) }
      if count > 0 { report.pulled[ModelMetadata.table, default: 0] += count }
    }
  }

  /// What the server has there; nil when it has nothing of the kind.
  private func get(_ path: String) async throws -> JSONValue? {
    try Task.checkCancellation()
    let answer = try await client.send(APIRequest("GET", path))
    if [204, 404, 405, 501].contains(answer.status) { return nil }
    if let stop = SyncStop.of(answer, path) { throw stop }
    guard answer.status == 200 else {
      throw SyncStop(StoreError(.inputOutput, "the server refused \(path) (\(answer.status))"), isOfOnePath: true)
    }
    return answer.tree
  }

  /// Remembers why an attempt ended, and when the next may begin by itself.
  ///
  /// A server that takes something is there: what it says of one path holds up nothing of the others, which go at the next interval. So it
  /// is where only pulling failed, and nothing waits.
  private func noted(_ stop: SyncStop, _ report: SyncReport) async -> Failure {
    let isThere = !report.acknowledged.isEmpty || stop.isOfPulling
    failures = isThere ? 1 : failures + 1
    let jitter = options.jitter()
    var pause = options.pauseSeconds(afterFailures: failures) * (jitter.isFinite ? max(0, jitter) : 1)
    if isThere, stop.isOfOnePath { pause = max(pause, await interval()) }
    // A server that asks for none, or names a time that is over, gets the pause that others get.
    let seconds = min(stop.retryAfterSeconds.flatMap { $0 > 0 ? $0 : nil } ?? pause, Self.greatestPauseSeconds)
    // Where even this cannot be written the error that is thrown says why.
    try? await inference.store.write { tx in
      let retryAt = tx.currentDate().addingTimeInterval(seconds)
      try tx.execute(
        """
        INSERT INTO sync_state (slot, last_error, retry_at) VALUES (1, \(stop.error.message), \(retryAt))
        ON CONFLICT (slot) DO UPDATE SET last_error = excluded.last_error, retry_at = excluded.retry_at
        """)
    }
    return Failure(error: stop.error, pauseSeconds: seconds)
  }

  /// As many events as before are others, when they are newer.
  private struct Waiting: Equatable {
    let count: Int
    let newest: Int

    init(in reader: Reader) throws {
      count = try InferenceStore.pendingEventCount(in: reader)
      newest = try reader.count("SELECT ifnull(max(rowid), 0) FROM telemetry")
    }
  }

  // MARK: Settings

  var now: Date { DateCodec.rounded(inference.store.options.now()) }

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

  /// In seconds.
  private func interval() async -> Double { options.intervalSeconds(of: try? await analytics()) }

  private func threshold() async throws -> Int {
    if let threshold = options.threshold { return max(1, threshold) }
    return try await batchSize()
  }
}
