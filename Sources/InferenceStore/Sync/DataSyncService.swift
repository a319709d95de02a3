import Foundation
import Holdfast

/// Sends what waits to an SDK's remote API, and pulls what the API has: on a timer, when enough has come together, and on demand.
///
/// Consent is asked for anew at each request: denied, or a word that nobody knows, lets nothing go, and limited consent errors and
/// performance only; see `Documentation/InferenceSync.md`, also for what may come from a server. What is pulled needs no consent: nothing
/// of the person is in the question.
///
/// A row counts as sent when the server has said so, at the revision that it was sent; whatever ends an attempt before that leaves it
/// waiting. An attempt may therefore send a row again that has arrived: the server knows it by its id. Attempts come one after the other.
/// Two services on one store, in one process or two, may send the same row at the same time, and lose none.
public actor DataSyncService {
  /// Rows to a request at most, whatever the configuration says.
  public static let greatestBatch = 1_000
  /// How often a row is refused before it is set aside.
  public static let mostTries = SyncKind.mostTries

  private let inference: InferenceStore
  private let client: any APIClient
  private let options: SyncOptions
  private let kinds: [SyncKind]
  private var attempt: Task<SyncReport, any Error>?
  private var work: [Task<Void, Never>] = []
  private var failures = 0
  /// How many events the last attempt by itself has left.
  private var left = 0

  /// It does nothing until it is started, or asked to.
  public init(_ inference: InferenceStore, client: any APIClient, options: SyncOptions) {
    self.inference = inference
    self.client = client
    self.options = options
    kinds = SyncKind.all(options)
  }

  /// Sends from now on by itself: at once, at each interval, and when enough events wait. Does nothing when it does so already.
  ///
  /// What fails is in `InferenceStore.syncStatus()`, and tried again when its `retryAt` has come.
  public func start() {
    guard work.isEmpty else { return }
    let clock = Task { [weak self] in
      while !Task.isCancelled {
        guard let interval = await self?.turn(pulling: true) else { return }
        try? await Task.sleep(nanoseconds: UInt64((interval.isFinite ? min(max(interval, 0.1), 86_400) : 300) * 1_000_000_000))
      }
    }
    let waiting = inference.store.updates(of: [TelemetryEvent.table]) {
      try $0.count("SELECT count(*) FROM telemetry WHERE \(sql: SyncKind.isPending)")
    }
    let threshold = Task { [weak self] in
      do {
        for try await count in waiting {
          guard let self else { return }
          if try await self.isEnough(count) { _ = await self.turn(pulling: false) }
        }
      } catch {}
    }
    work = [clock, threshold]
  }

  /// Sends nothing by itself any more. An attempt that has begun is ended where it waits for the server.
  public func stop() {
    for task in work { task.cancel() }
    work = []
    attempt?.cancel()
  }

  /// Pulls what the server has and sends now all that waits, whatever `retryAt` says, after an attempt that has begun.
  ///
  /// - Throws: why it ended: `.permissionDenied` when the server does not accept the key, `.busy` when it asks to be left alone,
  ///   `.inputOutput` when it fails, gives no answer, or has no such path; `CancellationError`, and what the key's source throws. What it
  ///   took until then is acknowledged.
  @discardableResult
  public func sync() async throws -> SyncReport { try await sync(pulling: true) }

  private func sync(pulling: Bool) async throws -> SyncReport {
    while let attempt { _ = try? await attempt.value }
    let task = Task {
      // Before anybody who waits for the end goes on.
      defer { attempt = nil }
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
    let interval = (try? await intervalSeconds()) ?? 300
    if let pause = await pauseSeconds(), pause > 0 { return min(interval, pause) }
    let before = (try? await inference.pendingEventCount()) ?? 0
    let report = try? await sync(pulling: pulling)
    left = max(0, before - (report?.acknowledged[TelemetryEvent.table] ?? 0))
    return min(interval, await pauseSeconds() ?? interval)
  }

  /// Until `retryAt`; 0 when it has come, nil when there is none.
  private func pauseSeconds() async -> Double? {
    guard let retryAt = (try? await inference.syncStatus())?.retryAt else { return nil }
    return max(0, retryAt.timeIntervalSince(now))
  }

  /// What was left behind, because consent does not let it go or the server refuses it, does not make every new event an occasion.
  private func isEnough(_ count: Int) async throws -> Bool {
    let most = try await threshold()
    return count - left >= most
  }

  private func run(pulling: Bool) async throws -> SyncReport {
    var report = SyncReport()
    do {
      var last: SyncStop?
      if pulling {
        do { try await pull(&report) } catch let stop as SyncStop where stop.isOfOnePath { last = stop }
      }
      for kind in kinds {
        do { try await send(kind, &report) } catch let stop as SyncStop where stop.isOfOnePath { last = stop }
      }
      if let last { throw last }
    } catch let stop as SyncStop {
      try await note(stop)
      throw stop.error
    } catch _ where Task.isCancelled {
      // The app's own wish is no failure of the server.
      throw CancellationError()
    } catch let error as StoreError {
      throw error
    } catch {
      // No answer: nobody knows what has arrived.
      let stop = SyncStop(StoreError(.inputOutput, "the server gave no answer: \(error.localizedDescription)", cause: error))
      try await note(stop)
      throw stop.error
    }
    failures = 0
    _ = try await inference.store.write { tx in
      try tx.execute("UPDATE sync_state SET last_error = NULL, last_error_at = NULL, retry_at = NULL")
    }
    return report
  }

  /// What the server has comes first: what is sent then is what holds.
  private func pull(_ report: inout SyncReport) async throws {
    if let path = options.configurationPath, let answer = try await get(path) {
      let pulled = try SyncPull.configuration(answer, path)
      let isNew = try await inference.store.write { try SyncMerge.take(pulled, in: $0) }
      if isNew { report.pulled[ConfigurationRow.table, default: 0] += 1 }
    }
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

  private func send(_ kind: SyncKind, _ report: inout SyncReport) async throws {
    let most = min(max(1, try await batchSize()), kind.mostRows, Self.greatestBatch)
    var (limit, after) = (most, Int64.min)
    while true {
      try Task.checkCancellation()
      let (from, count) = (after, limit)
      let waiting = try await inference.store.read { try kind.rows(from, count, $0) }
      guard let last = waiting.last else { return }
      let (rows, damaged) = (waiting.filter { $0.problem == nil }, waiting.filter { $0.problem != nil })
      try await refuse(damaged, of: kind, &report) { $0.problem }
      guard !rows.isEmpty else {
        after = last.rowID
        continue
      }
      let body = kind.body(rows, now).canonicalText()
      let answer = try await client.send(APIRequest("POST", kind.path, body: Data(body.utf8)))
      switch kind.reading(answer, rows) {
      case .stop(let stop): throw stop
      case .split where rows.count > 1: limit = max(1, rows.count / 2)
      case .split(let reason):
        try await refuse(rows, of: kind, &report) { _ in reason }
        after = last.rowID
      case .decided(let accepted, let rejected, let lost):
        let taken = rows.filter { accepted.contains($0.id) }
        try await inference.store.write { tx in
          if !taken.isEmpty { try kind.acknowledge(taken, in: tx) }
          try InferenceStore.note(lost, of: kind.table, last.id, in: tx)
        }
        if !taken.isEmpty { report.acknowledged[kind.table, default: 0] += taken.count }
        try await refuse(rows.filter { rejected[$0.id] != nil }, of: kind, &report) { rejected[$0.id] }
        after = last.rowID
        limit = min(most, limit * 2)
      }
    }
  }

  private func refuse(
    _ rows: [SyncKind.Row], of kind: SyncKind, _ report: inout SyncReport, because reason: @escaping @Sendable (SyncKind.Row) -> String?
  ) async throws {
    guard !rows.isEmpty else { return }
    try await inference.store.write { tx in
      for row in rows { try kind.refuse(row, because: reason(row) ?? "the server did not accept it", in: tx) }
    }
    report.refused[kind.table, default: 0] += rows.count
  }

  /// Remembers why an attempt ended, and when the next may begin by itself.
  private func note(_ stop: SyncStop) async throws {
    failures += 1
    let pause = min(options.longestPauseSeconds, options.firstPauseSeconds * pow(2, Double(min(failures, 30) - 1))) * options.jitter()
    let seconds = stop.retryAfterSeconds.map { max($0, 0) } ?? pause
    try await inference.store.write { tx in
      let now = tx.currentDate()
      let retryAt = now.addingTimeInterval(min(seconds, 86_400))
      try tx.execute(
        """
        INSERT INTO sync_state (slot, last_error, last_error_at, retry_at) VALUES (1, \(stop.error.message), \(now), \(retryAt))
        ON CONFLICT (slot) DO UPDATE SET last_error = excluded.last_error, last_error_at = excluded.last_error_at,
          retry_at = excluded.retry_at
        """)
    }
  }

  // MARK: Settings

  private var now: Date { DateCodec.rounded(inference.store.options.now()) }

  private func batchSize() async throws -> Int {
    if let size = options.batchSize { return size }
    return try await inference.configuration()?.analytics.batchSize ?? 100
  }

  private func intervalSeconds() async throws -> Double {
    if let seconds = options.intervalSeconds { return seconds }
    return max(1, try await inference.configuration()?.analytics.submissionIntervalSeconds ?? 300)
  }

  private func threshold() async throws -> Int {
    if let threshold = options.threshold { return threshold }
    return try await batchSize()
  }
}
