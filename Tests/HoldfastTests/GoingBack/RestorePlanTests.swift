import Foundation
import Holdfast
import HoldfastTesting
import Testing

// The plan of a restore, and a snapshot as a file of its own.
extension RestoreTests {
  @Test("the plan counts the rows that a restore changes, and changes nothing")
  func plan() async throws {
    let plan = try await store.restorePlan(snapshot: snapshot.id)
    #expect(plan.map { [$0.table, "\($0.added)", "\($0.changed)", "\($0.removed)"] } == [["books", "0", "0", "1"]])
    #expect(try store.titles().count == 4)
    #expect(failure { try store.restorePlan(snapshot: "nonsense") }?.code == .notFound)
    try Damage.overwrite(snapshotFile, at: 5000, count: 10)
    #expect(failure { try store.restorePlan(snapshot: snapshot.id) }?.code == .verificationFailed)
  }

  @Test("a snapshot becomes a file of its own with the old rows; a file that is there, and one of the store, are refused")
  func beside() throws {
    let file = folder.file("then.sqlite")
    #expect(try Snapshot.restore(snapshot.id, of: url, at: file, options: .testing) == snapshot)
    #expect(try Store.open(at: file, schemas: [Shelves.schema]).titles().count == 3)
    #expect(try store.titles().count == 4)
    #expect(failure { try Snapshot.restore(snapshot.id, of: url, at: file, options: .testing) }?.code == .cannotCreate)
    #expect(failure { try Snapshot.restore(snapshot.id, of: url, at: url, options: .testing) }?.code == .misuse)
    try Damage.overwrite(snapshotFile, at: 5000, count: 10)
    let other = folder.file("other.sqlite")
    #expect(failure { try Snapshot.restore(snapshot.id, of: url, at: other, options: .testing) }?.code == .verificationFailed)
    #expect(!FileManager.default.fileExists(atPath: other.path))
  }
}
