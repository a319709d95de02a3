import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Rewinding a store", .timeLimit(.minutes(10)))
struct RewindTests {
  let folder: TemporaryFolder
  let store: Store

  /// An archived store with a shelf and three books.
  init() throws {
    folder = try TemporaryFolder()
    store = try folder.archivedStore()
    try store.fill()
  }

  @Test("a rewind from a state with rows that point at nothing can be undone, and the plan tells those rows")
  func dangling() throws {
    let sound = try store.moment()
    let plain = try ConnectionFactory.plain(folder.file("store.sqlite").path, writable: true)
    try plain.run("PRAGMA foreign_keys = OFF")
    try plain.run("DELETE FROM shelves")
    let report = try store.rewind(to: sound)
    #expect(try store.count("shelves") == 1)
    let undo = Moment.label(report.undo)
    let findings = try store.rewindPlan(to: undo).findings
    #expect(findings.count == 3 && findings.allSatisfy { $0.hasPrefix("a row of books points at a row of shelves") }, "\(findings)")
    #expect(try store.differences(from: sound, to: undo).map(\.table) == ["shelves"])
    try store.rewind(to: undo)
    #expect(try store.count("shelves") == 0 && store.titles() == ["book 0", "book 1", "book 2"])
    try store.archive().restore(to: undo, at: folder.file("then.sqlite"))
    try store.rewind(to: sound)
    #expect(try store.integrityCheck().findings == [])
    try store.close()
  }
}
