public import Foundation
public import Holdfast

extension InferenceStore {
  /// Records a generation, and counts it in its session's totals and averages, in its model's usage of that UTC day, and in the
  /// model itself if it is registered.
  ///
  /// A generation without `performance` counts only in its session. The data stay on the device, so no consent is needed.
  /// - Throws: `.notFound` when there is no such session; `.constraint` when a generation with this id exists, so that it is
  ///   counted once; `.invalidValue` for a number that is not finite. Then nothing is changed.
  public func record(_ generation: Generation) async throws { try await store.write { try Self.record(generation, in: $0) } }

  /// One generation; nil when there is none with this id.
  public func generation(_ id: UUID) async throws -> Generation? { try await store.read { try Self.generation(id, in: $0) } }

  /// A page of a session's generations in their order.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list; `.decoding`.
  public func generations(of sessionID: UUID, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<Generation> {
    try await store.read { try Self.generations(of: sessionID, after: key, limit: limit, in: $0) }
  }

  /// A page of the generations that wait to be sent, the oldest first.
  ///
  /// The consent decides whether they are sent: see `DataSyncService`. Parameters and errors are those of `generations(of:after:limit:)`.
  public func pendingGenerations(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<Generation> {
    try await store.read { try Self.pendingGenerations(after: key, limit: limit, in: $0) }
  }

  /// Adds a generation, or changes the one with its id, and counts nothing: for a session that already has its totals. A stored
  /// generation keeps its session.
  ///
  /// - Throws: `.constraint` when there is no such session; `.invalidValue` for a number that is not finite.
  public func save(_ generation: Generation) async throws { try await store.write { try Self.save(generation, in: $0) } }

  /// Deletes a generation; it stays counted. Returns whether there was one.
  @discardableResult
  public func deleteGeneration(_ id: UUID) async throws -> Bool { try await store.write { try Self.deleteGeneration(id, in: $0) } }

  /// The first generations of a session now, and after each change of one.
  public func generationUpdates(of sessionID: UUID, limit: Int = 100) -> Updates<[Generation]> {
    store.updates { try Self.generations(of: sessionID, limit: limit, in: $0).items }
  }

  /// Records a generation and counts it inside your transaction; as `record(_:)`.
  public static func record(_ generation: Generation, in tx: Writer) throws {
    guard var totals = try SessionTotals.of(generation.sessionID, in: tx) else { throw missingSession(generation.sessionID) }
    try tx.insert(generation)
    totals.add(generation)
    try totals.save(to: generation.sessionID, in: tx)
    if let performance = generation.performance { try count(generation, performance, in: tx) }
  }

  /// Reads one generation inside your transaction; as `generation(_:)`.
  public static func generation(_ id: UUID, in reader: Reader) throws -> Generation? { try reader.find(Generation.self, id: id) }

  /// Reads a page of a session's generations inside your transaction; as `generations(of:after:limit:)`.
  public static func generations(
    of sessionID: UUID, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<Generation> {
    let listing = Listing(condition: "session_id = \(sessionID)", columns: [("sequence_number", .number), ("id", .text)])
    return try reader.page(Generation.self, listing, after: key, limit: limit)
  }

  /// Reads a page of pending generations inside your transaction; as `pendingGenerations(after:limit:)`.
  public static func pendingGenerations(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<Generation> {
    let listing = Listing(condition: Outbox.isPending, columns: [("created_at", .number), ("id", .text)])
    return try reader.page(Generation.self, listing, after: key, limit: limit)
  }

  /// Adds or changes a generation, and counts nothing, inside your transaction; as `save(_:)`.
  public static func save(_ generation: Generation, in tx: Writer) throws { try tx.upsert(generation) }

  /// Deletes a generation inside your transaction; as `deleteGeneration(_:)`.
  public static func deleteGeneration(_ id: UUID, in tx: Writer) throws -> Bool { try tx.delete(Generation.self, id: id) }

  private static func count(_ generation: Generation, _ performance: Generation.Performance, in tx: Writer) throws {
    let day = UTCDay.name(of: generation.createdAt)
    let modelID = performance.modelID
    var usage =
      try tx.first(ModelUsage.self, "WHERE model_id = \(modelID) AND day = \(day)") ?? ModelUsage(modelID: modelID, day: day)
    usage.add(generation, performance)
    try tx.upsert(usage)
    // The model need not be registered.
    _ = try countUse(of: modelID, tokens: Int64(performance.completionTokens), date: generation.createdAt, in: tx)
  }
}

/// The columns of a session that a generation changes.
private struct SessionTotals {
  var generations: Int64
  var input: Int64
  var output: Int64
  var tokens: Int64
  var cost: Double
  var duration: Double
  var firstToken: RunningMean
  var tokenRate: RunningMean

  static func of(_ id: UUID, in reader: Reader) throws -> SessionTotals? {
    try reader.value(
      """
      SELECT generation_count, total_input_tokens, total_output_tokens, total_tokens, total_cost, total_duration_ms,
        average_time_to_first_token_ms, first_token_count, average_tokens_per_second, token_rate_count
      FROM generation_sessions WHERE id = \(id)
      """
    ) { row in
      let generations = try row.int64()
      return SessionTotals(
        generations: generations, input: try row.int64(), output: try row.int64(), tokens: try row.int64(), cost: try row.double(),
        duration: try row.double(), firstToken: RunningMean(mean: try row.doubleOrNil(), count: try row.int64(), among: generations),
        tokenRate: RunningMean(mean: try row.doubleOrNil(), count: try row.int64(), among: generations))
    }
  }

  mutating func add(_ generation: Generation) {
    generations = generations.adding(1)
    cost = cost.adding(generation.cost)
    guard let performance = generation.performance else { return }
    let (prompt, completion) = (Int64(performance.promptTokens), Int64(performance.completionTokens))
    input = input.adding(prompt)
    output = output.adding(completion)
    tokens = tokens.adding(prompt.adding(completion))
    duration = duration.adding(performance.latencyMilliseconds)
    firstToken.add(performance.timeToFirstTokenMilliseconds)
    tokenRate.add(performance.tokensPerSecond)
  }

  func save(to id: UUID, in tx: Writer) throws {
    try tx.execute(
      """
      UPDATE generation_sessions SET generation_count = \(generations), total_input_tokens = \(input), total_output_tokens = \(output),
        total_tokens = \(tokens), total_cost = \(cost), total_duration_ms = \(duration),
        average_time_to_first_token_ms = \(firstToken.mean), first_token_count = \(firstToken.count),
        average_tokens_per_second = \(tokenRate.mean), token_rate_count = \(tokenRate.count), updated_at = \(tx.currentDate())
      WHERE id = \(id)
      """)
  }
}

/// A mean that takes one more number without knowing the old ones.
private struct RunningMean {
  var mean: Double?
  var count: Int64

  /// - Parameter generations: the number of generations in a mean that was imported without a count.
  init(mean: Double?, count: Int64, among generations: Int64) {
    self.mean = mean
    self.count = mean == nil ? 0 : count > 0 ? count : max(1, generations)
  }

  mutating func add(_ number: Double?) {
    guard let number else { return }
    count = count.adding(1)
    // Divided first, because the difference of two large numbers may not be finite.
    let old = mean ?? number
    mean = (old + (number / Double(count) - old / Double(count))).finite
  }
}

extension ModelUsage {
  fileprivate mutating func add(_ generation: Generation, _ performance: Generation.Performance) {
    generationCount = generationCount.adding(1)
    totalTokens = totalTokens.adding(Int64(performance.promptTokens).adding(Int64(performance.completionTokens)))
    totalCost = totalCost.adding(generation.cost)
    totalLatencyMilliseconds = totalLatencyMilliseconds.adding(performance.latencyMilliseconds)
    if generation.errorCode != nil { errorCount = errorCount.adding(1) }
  }
}
