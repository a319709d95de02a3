public import Foundation
public import Holdfast

/// How a `DataSyncService` works where the configuration does not say.
public struct SyncOptions: Sendable {
  /// What the server knows this device as.
  public var deviceID: String
  /// What the server knows this run of the app as.
  public var sessionID: String
  /// Rows to a request; nil is the configuration's `analytics.batchSize`, 100 without one.
  public var batchSize: Int?
  /// Between two attempts; nil is the configuration's `analytics.submissionIntervalSeconds`, 300 without one.
  public var intervalSeconds: Double?
  /// So many events that wait are sent at once; nil is a batch.
  public var threshold: Int?
  /// Until the second attempt after a failure; each further failure doubles it. Default 5.
  public var firstPauseSeconds: Double
  /// The longest pause. Default an hour.
  public var longestPauseSeconds: Double
  /// What a pause is multiplied by, so that devices do not come back all at once; default a random number from 0.5 to 1.
  public var jitter: @Sendable () -> Double

  /// The defaults for a device.
  public init(deviceID: String, sessionID: String = NewID.v7().uuidString.lowercased()) {
    self.deviceID = deviceID
    self.sessionID = sessionID
    firstPauseSeconds = 5
    longestPauseSeconds = 3_600
    jitter = { Double.random(in: 0.5...1) }
  }
}

/// What one attempt did.
public struct SyncReport: Sendable, Hashable {
  /// Rows that the server took, by kind.
  public var acknowledged: [String: Int] = [:]
  /// Rows that it refused; they are tried again, and set aside after `DataSyncService.mostTries`.
  public var refused: [String: Int] = [:]
}

/// Sends what waits to an SDK's remote API: on a timer, when enough has come together, and on demand.
///
/// A row counts as sent when the server has said so, at the revision that it was sent; whatever ends an attempt before that leaves it
/// waiting. An attempt may therefore send a row again that has arrived: the server knows it by its id. Attempts come one after the other.
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

  /// It does nothing until it is started, or asked to.
  public init(_ inference: InferenceStore, client: any APIClient, options: SyncOptions) {
    self.inference = inference
    self.client = client
    self.options = options
    kinds = [.telemetry(deviceID: options.deviceID, sessionID: options.sessionID)]
  }

  /// Sends from now on by itself: at once, at each interval, and when enough events wait. Does nothing when it does so already.
  ///
  /// What fails is in `InferenceStore.syncStatus()`, and tried again when its `retryAt` has come.
  public func start() {
    guard work.isEmpty else { return }
    let clock = Task { [weak self] in
      while !Task.isCancelled {
        guard let interval = await self?.turn() else { return }
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
          if try await count >= self.threshold() { _ = await self.turn() }
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

  /// Sends now all that waits, whatever `retryAt` says, after an attempt that has begun.
  ///
  /// - Throws: why it ended: `.permissionDenied` when the server does not accept the key, `.busy` when it asks to be left alone,
  ///   `.inputOutput` when it fails or gives no answer, and what the key's source throws. What it took until then is acknowledged.
  @discardableResult
  public func sync() async throws -> SyncReport {
    while let attempt { _ = try? await attempt.value }
    let task = Task {
      // Before anybody who waits for the end goes on.
      defer { attempt = nil }
      return try await run()
    }
    attempt = task
    return try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      task.cancel()
    }
  }

  /// Sends when nothing forbids it, and says how long to wait for the next turn.
  private func turn() async -> Double {
    let interval = (try? await intervalSeconds()) ?? 300
    let retryAt = (try? await inference.syncStatus())?.retryAt
    guard let retryAt, retryAt > now else {
      _ = try? await sync()
      guard let again = (try? await inference.syncStatus())?.retryAt else { return interval }
      return min(interval, again.timeIntervalSince(now))
    }
    return min(interval, retryAt.timeIntervalSince(now))
  }

  private func run() async throws -> SyncReport {
    var report = SyncReport()
    do {
      for kind in kinds { try await send(kind, &report) }
    } catch let stop as SyncStop {
      try await note(stop)
      throw stop.error
    } catch let error as StoreError {
      throw error
    } catch {
      // No answer: nobody knows what has arrived.
      let stop = SyncStop(StoreError(.inputOutput, "the server gave no answer: \(error.localizedDescription)", cause: error))
      try await note(stop)
      throw stop.error
    }
    failures = 0
    try await inference.store.write { tx in
      try tx.execute("UPDATE sync_state SET last_error = NULL, last_error_at = NULL, retry_at = NULL")
    }
    return report
  }

  private func send(_ kind: SyncKind, _ report: inout SyncReport) async throws {
    let most = min(max(1, try await batchSize()), Self.greatestBatch)
    var (limit, after) = (most, Int64.min)
    while true {
      try Task.checkCancellation()
      let (from, count) = (after, limit)
      let rows = try await inference.store.read { try kind.rows(from, count, $0) }
      guard let last = rows.last else { return }
      let body = kind.body(rows, now).canonicalText()
      let answer = try await client.send(APIRequest("POST", kind.path, body: Data(body.utf8)))
      switch kind.reading(answer, rows) {
      case .stop(let stop): throw stop
      case .split where rows.count > 1: limit = max(1, rows.count / 2)
      case .split(let reason):
        try await inference.store.write { try kind.refuse(last, because: reason, in: $0) }
        report.refused[kind.name, default: 0] += 1
        after = last.rowID
      case .decided(let accepted, let rejected):
        let taken = rows.filter { accepted.contains($0.id) }
        try await inference.store.write { tx in
          if !taken.isEmpty { try kind.acknowledge(taken, in: tx) }
          for row in rows { if let reason = rejected[row.id] { try kind.refuse(row, because: reason, in: tx) } }
        }
        if !taken.isEmpty { report.acknowledged[kind.name, default: 0] += taken.count }
        if !rejected.isEmpty { report.refused[kind.name, default: 0] += rejected.count }
        after = last.rowID
        limit = min(most, limit * 2)
      }
    }
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
    return try await inference.configuration()?.analytics.submissionIntervalSeconds ?? 300
  }

  private func threshold() async throws -> Int {
    if let threshold = options.threshold { return threshold }
    return try await batchSize()
  }
}
