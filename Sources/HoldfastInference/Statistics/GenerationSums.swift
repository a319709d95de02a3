import Holdfast

/// Sums over generations, and a list of all their latencies.
struct GenerationSums {
  private var errors = 0
  private var promptTokens: Int64 = 0
  private var completionTokens: Int64 = 0
  private var cost = 0.0
  private var latency = 0.0
  private var firstToken = (sum: 0.0, count: 0)
  private var tokenRate = (sum: 0.0, count: 0)
  private var latencies: [Double] = []

  var isEmpty: Bool { latencies.isEmpty }

  /// Adds a generation by its columns: latency, tokens of prompt and answer, time to first token, tokens per second, cost, and
  /// whether it failed.
  @inline(__always)
  mutating func read(_ row: inout StoredRow) throws {
    let latency = try row.double()
    latencies.append(latency)
    self.latency += latency
    promptTokens = promptTokens.adding(try row.int64())
    completionTokens = completionTokens.adding(try row.int64())
    if let time = try row.doubleOrNil() { firstToken = (firstToken.sum + time, firstToken.count + 1) }
    if let rate = try row.doubleOrNil() { tokenRate = (tokenRate.sum + rate, tokenRate.count + 1) }
    cost += try row.double()
    if try row.bool() { errors += 1 }
  }

  /// Sets everything to zero, but keeps the memory for the latencies.
  mutating func removeAll() {
    latencies.removeAll(keepingCapacity: true)
    (errors, promptTokens, completionTokens) = (0, 0, 0)
    (cost, latency, firstToken, tokenRate) = (0, 0, (0, 0), (0, 0))
  }

  mutating func add(_ other: GenerationSums) {
    if isEmpty {
      self = other
      return
    }
    errors += other.errors
    promptTokens = promptTokens.adding(other.promptTokens)
    completionTokens = completionTokens.adding(other.completionTokens)
    cost += other.cost
    latency += other.latency
    firstToken = (firstToken.sum + other.firstToken.sum, firstToken.count + other.firstToken.count)
    tokenRate = (tokenRate.sum + other.tokenRate.sum, tokenRate.count + other.tokenRate.count)
    latencies += other.latencies
  }

  /// Writes the numbers into `statistics`. Changes the order of the latencies.
  mutating func fill(_ statistics: inout GenerationStatistics) {
    let count = Double(latencies.count)
    statistics.generationCount = latencies.count
    statistics.errorCount = errors
    statistics.promptTokens = promptTokens
    statistics.completionTokens = completionTokens
    statistics.totalCost = cost.finite
    statistics.meanLatencyMilliseconds = (latency / count).finite
    statistics.meanTimeToFirstTokenMilliseconds = firstToken.count > 0 ? (firstToken.sum / Double(firstToken.count)).finite : nil
    statistics.meanTokensPerSecond = tokenRate.count > 0 ? (tokenRate.sum / Double(tokenRate.count)).finite : nil
    let percentiles = latencies.takePercentiles([50, 95, 99])
    guard percentiles.count == 3 else { return }
    statistics.p50LatencyMilliseconds = percentiles[0].finite
    statistics.p95LatencyMilliseconds = percentiles[1].finite
    statistics.p99LatencyMilliseconds = percentiles[2].finite
  }
}

/// Groups generations, which come in the index's order: by model, target and beginning.
struct StatisticGroups {
  private struct Key: Hashable {
    /// The model's number in order instead of its id: ids are compared byte by byte, which Swift's strings are not.
    var model: Int
    var target: ExactText
    var day: String
  }

  private let isByModel: Bool
  private let isByTarget: Bool
  private let isByDay: Bool
  private var days: Days
  private var groups: [Key: (statistics: GenerationStatistics, sums: GenerationSums)] = [:]
  /// Groups by model, target and day: each is complete when the next begins, and they are in order.
  private var whole: [GenerationStatistics] = []

  // The last generation's group, and the sums over it so far.
  private var sums = GenerationSums()
  private var modelID = ""
  private var modelNumber = 0
  private var target = ""
  private var day: String?
  private var dayEnd = Int64.min
  /// The bytes by which the next row is compared with the last model and target; nil before the first row.
  private var words: (modelID: [UInt8], target: [UInt8])?

  init(_ grouping: GenerationStatistics.Grouping, _ days: Days) {
    (isByModel, isByTarget, isByDay) = (grouping.contains(.model), grouping.contains(.target), grouping.contains(.day))
    self.days = days
  }

  /// Adds a generation by its columns: model, target, its beginning if grouped by day, and those of `GenerationSums`.
  @inline(__always)
  mutating func read(_ row: inout StoredRow) throws {
    let isSameModel = row.skip(words?.modelID)
    if !isSameModel || !row.skip(words?.target) { try begin(&row, isSameModel) }
    if isByDay {
      let createdAt = try row.milliseconds()
      if createdAt >= dayEnd { begin(days.day(of: createdAt)) }
    }
    try sums.read(&row)
  }

  private mutating func begin(_ row: inout StoredRow, _ isSameModel: Bool) throws {
    add()
    if !isSameModel { (modelID, modelNumber) = (try row.text(), modelNumber + 1) }
    target = try row.text()
    words = (Array(modelID.utf8), Array(target.utf8))
    (day, dayEnd) = (nil, .min)
  }

  private mutating func begin(_ next: Days.Day) {
    dayEnd = next.range.upperBound
    // If a clock is set back past midnight, a day comes twice.
    if next.name != day { add() }
    day = next.name
  }

  /// Takes the sums and resets them. All generations of one model, target and day come together.
  private mutating func add() {
    guard !sums.isEmpty else { return }
    let empty = GenerationStatistics(
      modelID: isByModel ? modelID : nil, target: isByTarget ? ExecutionTarget(rawValue: target) : nil, day: day)
    if isByModel, isByTarget, isByDay {
      var filled = empty
      sums.fill(&filled)
      whole.append(filled)
      return sums.removeAll()
    }
    let key = Key(model: isByModel ? modelNumber : 0, target: ExactText(isByTarget ? target : ""), day: day ?? "")
    groups[key, default: (empty, GenerationSums())].sums.add(sums)
    sums = GenerationSums()
  }

  consuming func finished() -> [GenerationStatistics] {
    add()
    guard whole.isEmpty else { return whole }
    let keys = groups.keys.sorted { ($0.model, $0.target, $0.day) < ($1.model, $1.target, $1.day) }
    return keys.compactMap { key in
      guard var group = groups.removeValue(forKey: key) else { return nil }
      group.sums.fill(&group.statistics)
      return group.statistics
    }
  }
}
