/// What a store has done since it was opened: each verb's calls, errors and times, and the waits and pauses of the store itself.
///
/// Counted in memory by this process, for this open store and its read-only views. Other processes and earlier openings do not count.
/// Encoded, every time is a whole number of nanoseconds.
public struct StoreMetrics: Sendable, Equatable, Codable {
  /// The verbs by name: the function that called `read` or `write`, as `#function` tells, or the name that the call was given. Functions of
  /// the same name count as one verb. The first 1,000 names are kept; the calls of all others count as `other`.
  public var verbs: [String: Verb] = [:]
  /// The reads of live queries, which are no verbs.
  public var observerReads = Latency()
  /// How long reads that found no connection free waited for one. The first reads of a store open its connections, and count as well.
  public var readerWaits = Latency()
  /// How long each checkpoint took, with the time in which an archive reads the log's commits; no write can begin meanwhile.
  public var checkpoints = Latency()
  /// How often reads and writes found a page in their connection's cache.
  public var cacheHits = 0
  /// How often reads and writes had to ask the file for a page.
  public var cacheMisses = 0
  /// The present size in bytes of the log beside the file; 0 in memory.
  public var logBytes: Int64 = 0
  /// How often the store has tried again; see `StoreStatistics.retries`.
  public var retries = 0
  /// The 20 slow statements with the longest run, the longest first. A run is slow when it took `StoreOptions.slowStatementThreshold` or
  /// longer, from its first step to its last, with the time that the closure given to `each` or `rows` takes for the rows. Statements
  /// that readers and writers run count; BEGIN, COMMIT, checkpoints, snapshots and checks do not. At most 100 statements are kept: for a
  /// further one, the one with the smallest sum that is not among the slowest is forgotten.
  public var slowest: [SlowStatement] = []
  /// The 20 slow statements whose slow runs took longest together, the longest sum first. A statement that is never slow is not here,
  /// however often it runs; a smaller threshold finds it.
  public var mostExpensive: [SlowStatement] = []
  /// The last 20 calls that threw an error, the newest last.
  public var lastErrors: [FailedCall] = []
  /// The time since the store was opened. Everything above was counted in this time.
  public var period: Duration { .nanoseconds(periodNanoseconds) }
  var periodNanoseconds: Int64 = 0

  /// The calls of one verb. A call counts when it has ended, also when it threw an error.
  public struct Verb: Sendable, Equatable, Codable {
    /// How many calls of `read` have ended.
    public var reads: Int
    /// How many calls of `write` have ended.
    public var writes: Int
    /// How many calls threw an error, by the raw value of its code; errors that are no `StoreError` count as `app`.
    public var errors: [String: Int]
    /// How long the calls took. With `.durable` this includes the wait for the disk.
    public var latency: Latency
    /// How long writes waited for the write lock: for earlier writes and other connections. A write that did not get it counts, too.
    public var lockWait: Latency
    /// How many rows the committed writes inserted, updated or deleted, with the rows that triggers and foreign keys changed for them.
    public var rowsWritten: Int
  }

  /// A number of times, and how long they were; all zero without times. Percentiles are at most an eighth too long, the others exact.
  public struct Latency: Sendable, Equatable, Codable {
    /// How many times were measured.
    public var count = 0
    /// The time that half of all do not exceed.
    public var p50: Duration { .nanoseconds(p50Nanoseconds) }
    /// The time that 95 of 100 do not exceed.
    public var p95: Duration { .nanoseconds(p95Nanoseconds) }
    /// The time that 99 of 100 do not exceed.
    public var p99: Duration { .nanoseconds(p99Nanoseconds) }
    /// The longest time.
    public var max: Duration { .nanoseconds(maxNanoseconds) }
    /// The sum of all times.
    public var total: Duration { .nanoseconds(totalNanoseconds) }
    /// The times by their length, the shortest first: 8 buckets for each power of two. A bucket without times is left out.
    public var buckets: [Bucket] = []

    private var p50Nanoseconds: Int64 = 0
    private var p95Nanoseconds: Int64 = 0
    private var p99Nanoseconds: Int64 = 0
    private var maxNanoseconds: Int64 = 0
    private var totalNanoseconds: Int64 = 0

    init() {}

    init(_ histogram: Histogram) {
      count = histogram.count
      p50Nanoseconds = Int64(clamping: histogram.percentile(50))
      p95Nanoseconds = Int64(clamping: histogram.percentile(95))
      p99Nanoseconds = Int64(clamping: histogram.percentile(99))
      maxNanoseconds = Int64(clamping: histogram.longest)
      totalNanoseconds = Int64(clamping: histogram.total)
      buckets = histogram.filledBuckets.map { Bucket(count: Int($0.count), upperBoundNanoseconds: Int64(clamping: $0.longest)) }
    }
  }

  /// The number of times up to a bound, and above the bound of the bucket before.
  public struct Bucket: Sendable, Equatable, Codable {
    /// How many times.
    public var count: Int
    /// The longest time that this bucket takes: at most an eighth longer than its shortest, or 292 years for times over 73 minutes.
    public var upperBound: Duration { .nanoseconds(upperBoundNanoseconds) }
    var upperBoundNanoseconds: Int64
  }
}
