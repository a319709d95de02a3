import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Statistics") struct StatisticsTests {
  static let groupings: [GenerationStatistics.Grouping] = [
    [], .model, .target, .day, [.model, .target], [.model, .day], [.target, .day], [.model, .target, .day],
  ]

  private static func random(_ count: Int, of session: UUID, seed: UInt64) -> [Generation] {
    var random = SeededGenerator(seed: seed)
    let targets: [ExecutionTarget] = [.onDevice, .cloud, .hybrid, ExecutionTarget(rawValue: ""), ExecutionTarget(rawValue: "of tomorrow")]
    // Around the changes of clocks, and at the ends of days.
    let starts = [1_743_296_400.0, 1_761_440_400, 1_767_225_600, 1_767_225_599.999, -3_000_000_000].map(Date.init(timeIntervalSince1970:))
    return (0..<count).map { number in
      let date = random.pick(starts).addingTimeInterval(Double(Int.random(in: -400_000_000...400_000_000, using: &random)) / 1000)
      let performance = Generation.Performance(
        modelID: random.pick(["llama", "phi", "Phi", "zephyr é", "0"]), executionTarget: random.pick(targets),
        latencyMilliseconds: random.pick([0, 1, 1, 2, 2.5, Double(random.next() % 100_000) / 7]),
        promptTokens: random.pick([0, 1, 100, 4000]),
        completionTokens: random.pick([0, 7, 512]), timeToFirstTokenMilliseconds: random.pick([nil, 0, 12.5, 300]),
        tokensPerSecond: random.pick([nil, nil, 20.25]))
      return Generation(
        id: random.id(), sessionID: session, sequenceNumber: number, createdAt: date, performance: random.chance(95) ? performance : nil,
        cost: random.pick([0, 0.001, 0.25]), errorCode: random.chance(10) ? "E" : nil)
    }
  }

  private func filled(_ count: Int, seed: UInt64) async throws -> (World, PlainGenerations) {
    print("seed \(seed)")
    let world = try World.inMemory()
    let session = try await world.inference.startSession(with: "m", type: .batch)
    let generations = Self.random(count, of: session.id, seed: seed)
    try await world.store.write { try $0.insert(contentsOf: generations) }
    return (world, PlainGenerations(generations: generations))
  }

  @Test("every number is what plain Swift finds in the same generations", arguments: [1, 2, 3, 50, 700], [UInt64(31), 32])
  func agree(count: Int, seed: UInt64) async throws {
    let (world, plain) = try await filled(count, seed: seed)
    for zone in ["GMT", "Europe/Berlin", "Pacific/Auckland", "America/St_Johns"] {
      let timeZone = try #require(TimeZone(identifier: zone))
      for grouping in Self.groupings {
        let found = try await world.inference.statistics(by: grouping, timeZone: timeZone)
        #expect(
          found.map(\.rough) == plain.statistics(by: grouping, during: nil, timeZone: timeZone).map(\.rough), "\(zone) \(grouping)")
        #expect(found.reduce(0) { $0 + $1.generationCount } == plain.generations.filter { $0.performance != nil }.count)
      }
    }
  }

  @Test("a period has its first moment and not its last, and may lie anywhere")
  func periods() async throws {
    let (world, plain) = try await filled(400, seed: 33)
    let dates = plain.generations.map(\.createdAt).sorted()
    for period in [dates[50]..<dates[300], dates[10]..<dates[10], dates[399]..<Date.distantFuture] {
      for grouping in Self.groupings {
        let found = try await world.inference.statistics(by: grouping, during: period)
        #expect(found.map(\.rough) == plain.statistics(by: grouping, during: period, timeZone: .gmt).map(\.rough))
      }
    }
    let everything = Date(timeIntervalSince1970: -1e300)..<Date(timeIntervalSince1970: 1e300)
    #expect(try await world.inference.statistics(during: everything) == world.inference.statistics())
  }

  @Test("percentiles are by nearest rank: each is the latency of a generation")
  func percentiles() async throws {
    let world = try World.inMemory()
    let session = try await world.inference.startSession(with: "m", type: .batch)
    for number in (1...100).reversed() {
      try await world.inference.record(SessionTests.generation(session, number, latency: Double(number)))
    }
    let statistics = try #require(try await world.inference.statistics().first)
    #expect(statistics.p50LatencyMilliseconds == 50)
    #expect(statistics.p95LatencyMilliseconds == 95 && statistics.p99LatencyMilliseconds == 99)
    #expect(statistics.meanLatencyMilliseconds == 50.5)
    try await world.inference.record(SessionTests.generation(session, 101, latency: 101))
    #expect(try await world.inference.statistics().first?.p50LatencyMilliseconds == 51)
    #expect(try await world.inference.statistics().first?.p99LatencyMilliseconds == 100)
  }

  @Test("percentiles are found in any order of latencies, and the same ones in all", arguments: 0..<8)
  func orders(_ order: Int) async throws {
    var random = SeededGenerator(seed: 34)
    var latencies = (0..<1000).map { Double($0) }
    switch order {
    case 0: break
    case 1: latencies.reverse()
    case 2: latencies.shuffle(using: &random)
    case 3: latencies = latencies.map { ($0 / 500).rounded(.down) }
    case 4: latencies = latencies.map { _ in 7 }
    case 5: latencies = latencies.map { min($0, 999 - $0) }
    case 6: latencies = latencies.map { $0.truncatingRemainder(dividingBy: 17) }
    // What a median of three chooses badly.
    default: latencies = (0..<500).flatMap { number -> [Double] in [Double(number), Double(number + 500)] }
    }
    let world = try World.inMemory()
    let session = try await world.inference.startSession(with: "m", type: .batch)
    let generations = latencies.enumerated().map { number, latency in
      SessionTests.generation(session, number, at: Sample.date.addingTimeInterval(Double(number)), latency: latency)
    }
    try await world.store.write { try $0.insert(contentsOf: generations) }
    let sorted = latencies.sorted()
    let found = try #require(try await world.inference.statistics().first)
    #expect(
      [found.p50LatencyMilliseconds, found.p95LatencyMilliseconds, found.p99LatencyMilliseconds] == [sorted[499], sorted[949], sorted[989]])
  }

  @Test("days begin at the midnight of their time zone, also where clocks change")
  func days() async throws {
    let world = try World.inMemory()
    let session = try await world.inference.startSession(with: "m", type: .batch)
    // In Berlin the 30th of March 2025 had 23 hours, from 23:00 to 22:00 of UTC.
    let texts = ["2025-03-29T22:59:59.999Z", "2025-03-29T23:00:00Z", "2025-03-30T21:59:59.999Z", "2025-03-30T22:00:00Z"]
    for (number, text) in texts.enumerated() {
      let date = try #require(DateCodec.parseISO8601(text).flatMap { DateCodec.date(milliseconds: $0) })
      try await world.inference.record(SessionTests.generation(session, number, at: date))
    }
    func days(_ zone: TimeZone) async throws -> [String] {
      try await world.inference.statistics(by: .day, timeZone: zone).map { "\($0.day ?? "") \($0.generationCount)" }
    }
    #expect(try await days(#require(TimeZone(identifier: "Europe/Berlin"))) == ["2025-03-29 1", "2025-03-30 2", "2025-03-31 1"])
    #expect(try await days(.gmt) == ["2025-03-29 2", "2025-03-30 2"])
  }

  @Test(
    "a beginning that is no date is an error that names its table and column, and no number of it traps",
    arguments: [Int64.max, Int64.min, 1 << 62, DateCodec.range.upperBound + 1, DateCodec.range.lowerBound - 1])
  func noDate(milliseconds: Int64) async throws {
    let world = try World.inMemory()
    let session = try await world.inference.startSession(with: "m", type: .batch)
    for number in 1...3 { try await world.inference.record(SessionTests.generation(session, number)) }
    _ = try await world.store.write { try $0.execute("UPDATE generations SET created_at = \(milliseconds) WHERE sequence_number = 2") }
    for zone in ["GMT", "Pacific/Auckland"] {
      let timeZone = try #require(TimeZone(identifier: zone))
      for grouping in Self.groupings where grouping.contains(.day) {
        let error = await #expect(throws: StoreError.self) { try await world.inference.statistics(by: grouping, timeZone: timeZone) }
        #expect(error?.code == .decoding && error?.table == "generations" && error?.column == "created_at", "\(String(describing: error))")
      }
    }
    #expect(try await world.inference.statistics().map(\.generationCount) == [3])
  }

  @Test("the first and the last moment that can be stored have a day in every time zone")
  func edges() async throws {
    let world = try World.inMemory()
    let session = try await world.inference.startSession(with: "m", type: .batch)
    for (number, milliseconds) in [DateCodec.range.lowerBound, DateCodec.range.upperBound].enumerated() {
      let date = try #require(DateCodec.date(milliseconds: milliseconds))
      try await world.inference.record(SessionTests.generation(session, number, at: date))
    }
    for zone in ["GMT", "Pacific/Kiritimati", "Pacific/Niue"] {
      let days = try await world.inference.statistics(by: .day, timeZone: #require(TimeZone(identifier: zone)))
      #expect(days.map(\.generationCount) == [1, 1], "\(zone)")
    }
    #expect(try await world.inference.statistics(by: .day).map(\.day) == ["0001-01-01", "9999-12-31"])
  }

  @Test("where nothing was generated there is nothing, instead of zeros")
  func nothing() async throws {
    let world = try World.inMemory()
    for grouping in Self.groupings { #expect(try await world.inference.statistics(by: grouping) == []) }
    try await world.inference.save(Sample.session)
    try await world.inference.save(Sample.bareGeneration)
    #expect(try await world.inference.statistics(by: []) == [])
    #expect(try await world.inference.usage().items == [])
  }
}
