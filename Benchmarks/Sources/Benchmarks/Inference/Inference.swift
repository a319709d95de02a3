import Foundation
import Holdfast
import HoldfastInference

/// The inference store's workloads: C, SQL alone or GRDB's Codable records, and the product take turns.
enum Inference {
  static let record = "W4 record 100,000 events in one transaction"
  static let statistics = "W6 statistics of 100,000 generations by model and target"
  static let statisticsByDay = "W6 statistics of 100,000 generations by model, target and day"
  static let windows = "SQL window functions"
  private static let count = 100_000

  static func run(_ dataSets: DataSets, rounds: Int) throws -> [Outcome] {
    try recording(dataSets, rounds) + counting(dataSets, rounds)
  }

  private static func open(_ path: String) throws -> InferenceStore {
    var options = StoreOptions()
    options.durability = .fast
    return try InferenceStore.open(at: URL(fileURLWithPath: path), options: options)
  }

  /// A store in a file of its own, already on the disk, where everything may be recorded.
  private static func file(_ dataSets: DataSets, generations: Int) throws -> String {
    let path = try dataSets.newFolder() + "/" + DataSet.databaseName
    let store = try open(path)
    let analytics = InferenceConfiguration.Analytics(
      isEnabled: true, level: .verbose, telemetryConsent: .granted, includesModelInfo: true)
    try store.store.write {
      try InferenceStore.save(InferenceConfiguration(analytics: analytics, createdAt: Date(milliseconds: 0)), in: $0)
    }
    if generations > 0 {
      var seed = InferenceSeed()
      let sessions = try (0..<500).map { _ in
        try store.store.write { try InferenceStore.startSession(with: "publisher/model", type: .chat, in: $0) }.id
      }
      let all = seed.generations(generations, of: sessions)
      try store.store.write { try $0.insert(contentsOf: all) }
    }
    try store.store.checkpoint(.truncate)
    try store.store.close()
    return path
  }

  private static func counting(_ dataSets: DataSets, _ rounds: Int) throws -> [Outcome] {
    let path = try file(dataSets, generations: count)
    let (c, store) = (try CInference(path: path), try open(path))
    defer {
      c.close()
      try? store.store.close()
    }
    return try [false, true].flatMap { byDay in
      let grouping: GenerationStatistics.Grouping = byDay ? [.model, .target, .day] : [.model, .target]
      return try takeTurns(
        byDay ? statisticsByDay : statistics, rounds: rounds,
        [
          Player(name: "C") { _, _ in try c.statistics(byDay: byDay) },
          Player(name: Gate.contestant) { _, _ in sum(try store.store.read { try InferenceStore.statistics(by: grouping, in: $0) }) },
          Player(name: windows) { _, _ in try c.windows(byDay: byDay) },
        ])
    }
  }

  /// Each contestant fills a new copy of the empty store in every round; all must leave the same events.
  private static func recording(_ dataSets: DataSets, _ rounds: Int) throws -> [Outcome] {
    let empty = try file(dataSets, generations: 0)
    var seed = InferenceSeed()
    let events = seed.events(count)
    let (cEvents, records) = (CEvents(events), events.map(EventRecord.init))
    var paths = ["", "", ""]
    func renew(_ place: Int) throws -> String {
      if !paths[place].isEmpty { try FileManager.default.removeItem(at: URL(fileURLWithPath: paths[place]).deletingLastPathComponent()) }
      paths[place] = try dataSets.newFolder() + "/" + DataSet.databaseName
      try FileManager.default.copyItem(atPath: empty, toPath: paths[place])
      return paths[place]
    }
    var (c, grdb, store): (CInference?, InferenceGRDB?, InferenceStore?)
    func close() throws {
      c?.close()
      try grdb?.close()
      try store?.store.close()
      (c, grdb, store) = (nil, nil, nil)
    }
    let outcomes = try takeTurns(
      record, rounds: rounds,
      [
        Player(
          name: "C",
          settle: {
            try close()
            c = try CInference(path: try renew(0))
          }
        ) { _, _ in try c?.record(cEvents) ?? Found() },
        Player(
          name: Gate.contestant,
          settle: {
            try close()
            store = try open(try renew(1))
          }
        ) { _, _ in
          let recorded = try store.map { inference in
            try inference.store.write { try InferenceStore.record(events, secretProperties: inference.secretProperties, in: $0) }
          }
          return Found([Double(recorded ?? 0)])
        },
        Player(
          name: InferenceGRDB.name,
          settle: {
            try close()
            grdb = try InferenceGRDB(path: try renew(2))
          }
        ) { _, _ in try grdb?.record(records) ?? Found() },
      ])
    try close()
    let left = try paths.map { path in
      let store = try open(path)
      defer { try? store.store.close() }
      return try store.store.read { try InferenceStore.events(limit: count, in: $0) }.items
    }
    guard left[0].count == count, left[0] == left[1], left[0] == left[2] else { throw Failure("\(record) left different events") }
    return outcomes
  }

  private static func sum(_ groups: [GenerationStatistics]) -> Found {
    var numbers = [Double](repeating: 0, count: 12)
    for group in groups {
      let of = [
        1, Double(group.generationCount), Double(group.errorCount), Double(group.promptTokens), Double(group.completionTokens),
        group.totalCost, group.meanLatencyMilliseconds, group.p50LatencyMilliseconds, group.p95LatencyMilliseconds,
        group.p99LatencyMilliseconds, group.meanTimeToFirstTokenMilliseconds ?? 0, group.meanTokensPerSecond ?? 0,
      ]
      numbers = zip(numbers, of).map { $0 + $1 }
    }
    return Found(numbers)
  }
}
