import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

/// An import in a process of its own that is killed in the middle, at points spread over its whole run.
///
/// 24 points in the short form of `make proof`; all 200 in the long one.
@Suite("kill -9 during an import", .serialized)
struct KillTests {
  private static let points = KillWorld.isShort ? 24 : 200

  @Test("into no store: there is none or the whole one, and a later import completes and removes what was left")
  func newStore() async throws { try await kill(hasStore: false) }

  @Test("into a store: it is as before or complete, and a later import completes")
  func existingStore() async throws { try await kill(hasStore: true) }

  private func kill(hasStore: Bool) async throws {
    let world = try await KillWorld(hasStore: hasStore)
    let lines = try world.whole()
    var inside = 0
    var complete = 0
    for point in 0..<Self.points {
      try world.reset()
      let wasKilled = try Driver.start(world.source, world.store).kill(atLine: 1 + point * lines / Self.points)
      if wasKilled { inside += 1 }
      if try world.checkAfterKill(at: point) { complete += 1 }
      try world.checkLaterImport(at: point)
    }
    print("\(Self.points) kills, \(inside) of them inside the import, \(complete) left the complete store (\(lines) lines a run)")
    // The last lines race with the end of the process; before them a kill always hits inside.
    #expect(inside * 10 >= Self.points * 9)
    #expect(complete < inside)
  }

  @Test("a second process reads what the first has saved")
  func secondProcess() async throws {
    let world = try await KillWorld(hasStore: true)
    let first = try Store.open(at: world.store, schemas: [AudiobookLibrary.schema])
    try await AudiobookLibrary(first).renameCollection(KillWorld.id(900), to: "saved by the first")
    #expect(try Driver.start(world.source, world.store).end() == 0)
    let titles = try await AudiobookLibrary(first).collections().map(\.title)
    #expect(titles.count == KillWorld.collections + 1 && titles.contains("saved by the first"))
    try first.close()
  }

  @Test("two processes that write at the same time go one after the other, and nothing is lost")
  func twoProcesses() async throws {
    let world = try await KillWorld(hasStore: true)
    let other = try world.secondSource()
    let drivers = try [world.source, other].map { try Driver.start($0, world.store) }
    let codes = try drivers.map { try $0.end() }
    // 75: the other held the lock for longer than the busy timeout.
    #expect(codes.contains(0) && codes.allSatisfy { [0, 75].contains($0) })
    for source in [world.source, other] { #expect(try Driver.start(source, world.store).end() == 0) }
    let store = try Store.open(at: world.store, schemas: [AudiobookLibrary.schema])
    #expect(try await AudiobookLibrary(store).collections().count == KillWorld.collections + 2)
    #expect(try await store.integrityCheck().findings == [])
    try store.close()
  }
}
