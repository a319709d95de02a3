import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("What is kept of conflicts") struct SyncConflictTests {
  private let world: World

  init() throws { world = try World.temporary() }

  private func note(
    _ value: String?, of field: String = "routing.policy", kept: SyncConflict.Side = .theirs, isFromServer: Bool = false
  ) throws {
    let lost = LostField(name: field, value: value.map(JSONValue.string) ?? .null, kept: kept, isFromServer: isFromServer)
    try world.store.write { try InferenceStore.note([lost], of: "configuration", "default", in: $0) }
  }

  private func conflicts() async throws -> [SyncConflict] { try await world.inference.syncConflicts().items }

  @Test("conflicts are read in pages, the newest first, and cleared up to a time")
  func pages() async throws {
    for name in ["a", "b", "c"] {
      for _ in 1...2 { try note(nil, of: name, kept: .ours) }
      world.clock.advance()
    }
    let first = try await world.inference.syncConflicts(limit: 2)
    #expect(first.items.map(\.field) == ["c", "b"] && first.items.map(\.lostValue) == [nil, nil])
    #expect(try await world.inference.syncConflicts(after: first.next, limit: 2).items.map(\.field) == ["a"])
    #expect(try await world.inference.clearSyncConflicts(until: first.items.last?.noticedAt) == 2)
    #expect(try await conflicts().map(\.field) == ["c"])
    #expect(try await world.inference.clearSyncConflicts() == 1)
    #expect(try await conflicts() == [])
  }

  @Test("this device's values are kept whole and all, a server's up to 4 KiB, and the ten newest of a field")
  func limits() async throws {
    let long = String(repeating: "a", count: 5_000)
    try note(long)
    for number in 1...20 { try note("ours \(number)") }
    for number in 1...20 { try note("theirs \(number)", kept: .ours, isFromServer: true) }
    for _ in 1...2 { try note(long, kept: .ours, isFromServer: true) }
    let all = try await conflicts()
    let ours: [String?] = (1...20).reversed().map { "\"ours \($0)\"" } + ["\"\(long)\""]
    #expect(all.filter { $0.kept == .theirs }.map(\.lostValue) == ours)
    let theirs: [String?] = [nil] + (12...20).reversed().map { "\"theirs \($0)\"" }
    #expect(all.filter { $0.kept == .ours }.map(\.lostValue) == theirs)
  }

  @Test("of the values that a server names as this device's the first ten of a field are kept, and they take the place of none that are")
  func namedAsOurs() async throws {
    for number in 1...5 { try note("ours \(number)") }
    for number in 1...20 { try note("named \(number)", isFromServer: true) }
    for number in 6...12 { try note("ours \(number)") }
    for number in 1...11 { try note("named \(number)", of: "storage.maxCacheSize", isFromServer: true) }
    let kept = try await conflicts().reversed()
    let ours = (1...5).map { "\"ours \($0)\"" } + (1...5).map { "\"named \($0)\"" } + (6...12).map { "\"ours \($0)\"" }
    #expect(kept.filter { $0.field == "routing.policy" }.map(\.lostValue) == ours)
    #expect(kept.filter { $0.field != "routing.policy" }.count == 10)
  }

  @Test("of each field an answer's first conflict is kept")
  func repeated() throws {
    let conflicts = ["a", "b"].map { #"{"field":"routing.policy","localValue":"\#($0)","resolution":"useServer"}"# }
    let answer = try #require([String: JSONValue](json: #"{"success":true,"conflicts":[\#(conflicts.joined(separator: ","))]}"#))
    let kept = Outbox.configurations.conflicts(answer)
    #expect(kept == [LostField(name: "routing.policy", value: .string("a"), kept: .theirs, isFromServer: true)])
  }
}
