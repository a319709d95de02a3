import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Models that go") struct EvictionTests {
  private static let day = 86_400.0

  /// Models of 100, 300 and 200 bytes, in a cache of 700 bytes: `a` was used last, `b` most often, and `c` was downloaded first.
  private func world(_ change: (inout InferenceConfiguration.Storage) -> Void = { _ in }) async throws -> World {
    let world = try World.inMemory()
    let now = world.clock.now
    func model(_ id: String, bytes: Int64?, uses: Int, downloaded: Double, used: Double?) -> ModelMetadata {
      ModelMetadata(
        id: id, name: id, framework: .mlx, sizeBytes: bytes, localPath: "/\(id)", downloadedAt: now - downloaded * Self.day,
        lastUsedAt: used.map { now - $0 * Self.day }, usageCount: uses, createdAt: now - 100 * Self.day)
    }
    try await world.inference.save([
      model("a", bytes: 100, uses: 2, downloaded: 20, used: 1), model("b", bytes: 300, uses: 9, downloaded: 30, used: 10),
      model("c", bytes: 200, uses: 1, downloaded: 40, used: 5),
    ])
    var configuration = InferenceConfiguration(createdAt: now)
    configuration.storage.maxCacheSizeBytes = 700
    change(&configuration.storage)
    try await world.inference.save(configuration)
    return world
  }

  private func goes(_ world: World, _ bytes: Int64, freeBytes: Int64? = nil, keeping kept: Set<String> = []) async throws -> [String] {
    try await world.inference.modelsToEvict(toFit: bytes, freeBytes: freeBytes, keeping: kept).map(\.id)
  }

  static let policies: [(CacheEviction, [String])] = [
    (.leastRecentlyUsed, ["b", "c", "a"]), (.leastFrequentlyUsed, ["c", "a", "b"]), (.firstInFirstOut, ["c", "b", "a"]),
    (.largestFirst, ["b", "c", "a"]), ("of tomorrow", ["b", "c", "a"]),
  ]

  @Test("only as many go as must, in the order of the policy", arguments: policies)
  func order(policy: CacheEviction, order: [String]) async throws {
    let world = try await world { $0.evictionPolicy = policy }
    let sizes: [String: Int64] = ["a": 100, "b": 300, "c": 200]
    #expect(try await goes(world, 100) == [])
    // With each byte more than fits, the next model goes.
    var room: Int64 = 100
    for count in 1...3 {
      #expect(try await goes(world, room + 1) == Array(order.prefix(count)))
      room += sizes[order[count - 1]] ?? 0
      #expect(try await goes(world, room) == Array(order.prefix(count)))
    }
  }

  @Test("what is kept stays and counts, what is missing does neither, and too little room is an error")
  func kept() async throws {
    let world = try await world()
    #expect(try await goes(world, 101, keeping: ["b"]) == ["c"])
    try await world.inference.save(
      ModelMetadata(
        id: "gone", name: "", framework: .mlx, sizeBytes: 9_999, localPath: "/g", missingSince: Sample.date, createdAt: Sample.date))
    try await world.inference.save(ModelMetadata(id: "size unknown", name: "", framework: .mlx, localPath: "/u", createdAt: Sample.date))
    #expect(try await goes(world, 700) == ["b", "c", "a"])
    let error = await #expect(throws: StoreError.self) { try await goes(world, 500, keeping: ["b"]) }
    #expect(error?.code == .diskFull)
    #expect(error?.message == "500 bytes more do not fit: 100 bytes are missing even without all models that may go")
    await #expect(throws: StoreError.self) { try await goes(world, -1) }
    await #expect(throws: StoreError.self) { try await goes(world, .max) }
  }

  @Test("the free space of the disk is a limit, too, and a model that was not used for too long goes first, and always")
  func otherLimits() async throws {
    let world = try await world { ($0.minimumFreeSpaceBytes, $0.evictionPolicy) = (50, .largestFirst) }
    #expect(try await goes(world, 10, freeBytes: 60) == [])
    #expect(try await goes(world, 10, freeBytes: 59) == ["b"])
    let strict = try await self.world { ($0.modelRetentionDays, $0.evictionPolicy) = (4, .largestFirst) }
    #expect(try await goes(strict, 0) == ["b", "c"])
    #expect(try await goes(strict, 601) == ["b", "c", "a"])
    #expect(try await goes(strict, 0, keeping: ["b"]) == ["c"])
    #expect(try await strict.inference.modelsToEvict(toFit: 0, by: "none").isEmpty, "the defaults have no such days, and 1 GiB")
  }

  @Test("a model that goes stays in the registry with its usage; its files are named, and none that another model has")
  func evicting() async throws {
    let world = try await world()
    let folder = try TemporaryFolder()
    try await world.inference.recordDownload(of: "a", at: "big-00001-of-00002.gguf")
    try await world.inference.recordDownload(of: "b", at: "/b", sizeBytes: 300)
    try await world.inference.save(ModelMetadata(id: "d", name: "", framework: .mlx, localPath: "/b", createdAt: Sample.date))
    var expected = try #require(try await world.inference.model("a"))
    world.clock.advance()
    let files = try await world.inference.evict(["a", "b", "none", "a"], relativeTo: folder.url)
    #expect(files.map(\.path) == ["big-00001-of-00002.gguf", "big-00002-of-00002.gguf"].map { folder.file($0).path })
    (expected.localPath, expected.downloadedAt, expected.updatedAt) = (nil, nil, world.clock.now)
    #expect(try await world.inference.model("a") == expected)
    #expect(try await world.inference.models(.downloaded).items.map(\.id) == ["d", "c"])
    #expect(try await world.inference.evict(["a"]) == [])
    #expect(try await world.inference.evict(["d"]).map(\.path) == ["/b"])
  }

  @Test("of what is deleted nothing is another model's, however its path is written, and no folder in which the app works")
  func shared() async throws {
    let world = try World.inMemory()
    let folder = try TemporaryFolder()
    func model(_ id: String, at path: String) async throws {
      try await world.inference.save(ModelMetadata(id: id, name: "", framework: .mlx, localPath: path, createdAt: Sample.date))
    }
    func goes(_ ids: String...) async throws -> [String] {
      try await world.inference.evict(ids, relativeTo: folder.url).map(\.lastPathComponent)
    }
    try await model("folder", at: "qwen")
    try await model("in it", at: folder.file("qwen/model.gguf").path)
    #expect(try await goes("folder") == [])
    try await model("folder", at: "./qwen/")
    #expect(try await goes("folder", "in it") == ["qwen"], "and the file in it is not named once more")
    try await model("here", at: ".")
    try await model("above", at: "..")
    try await model("root", at: "/")
    #expect(try await goes("here", "above", "root") == [])
    #expect(await asyncCode { try await world.inference.recordDownload(of: "root", at: "") } == .invalidValue)

    try FileManager.default.createDirectory(at: folder.file("blobs"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(at: folder.file("snapshot"), withIntermediateDirectories: true)
    try Data("weights".utf8).write(to: folder.file("blobs/abc"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.file("snapshot/model.safetensors").path, withDestinationPath: "../blobs/abc")
    try await model("cached", at: "snapshot")
    try await model("same", at: "snapshot/../snapshot")
    #expect(try await goes("same") == [])
    #expect(try await goes("cached") == ["snapshot", "abc"], "with the file that a link in it leads to")
  }
}
