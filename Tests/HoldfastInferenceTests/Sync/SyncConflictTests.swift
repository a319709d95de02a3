import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastInference

@Suite("What is kept of conflicts") struct SyncConflictTests {
  @Test("of the values that a server names as this device's the first ten of a field are kept, and they take the place of none that are")
  func namedAsOurs() async throws {
    let world = try World.temporary()
    func note(_ value: String, of field: String, isFromServer: Bool) throws {
      let lost = LostField(name: field, value: .string(value), kept: .theirs, isFromServer: isFromServer)
      try world.store.write { try InferenceStore.note([lost], of: "configuration", "default", in: $0) }
    }
    for number in 1...5 { try note("ours \(number)", of: "routing.policy", isFromServer: false) }
    for number in 1...20 { try note("named \(number)", of: "routing.policy", isFromServer: true) }
    for number in 6...12 { try note("ours \(number)", of: "routing.policy", isFromServer: false) }
    for number in 1...11 { try note("named \(number)", of: "storage.maxCacheSize", isFromServer: true) }
    let kept = try await world.inference.syncConflicts().items.reversed()
    let ours = (1...5).map { "\"ours \($0)\"" } + (1...5).map { "\"named \($0)\"" } + (6...12).map { "\"ours \($0)\"" }
    #expect(kept.filter { $0.field == "routing.policy" }.map(\.lostValue) == ours)
    #expect(kept.filter { $0.field != "routing.policy" }.count == 10)
  }
}
