import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The history of an archive", .timeLimit(.minutes(10)))
struct ArchiveHistoryTests {
  let notes: ArchivedNotes
  let store: Store

  init() throws {
    notes = try ArchivedNotes()
    store = try notes.open()
    try notes.add(1, to: store)
  }

  private func commits() throws -> [ArchivedCommit] { try store.archive().history().compactMap(\.details) }

  @Test("a rewind and a restored snapshot stand there with all tables, and a note says what they were")
  func replaced() throws {
    let (snapshot, first) = (try store.snapshot(), try store.moment())
    try notes.add(2, to: store)
    let commit = try store.rewind(to: first).commit.number
    try store.restore(snapshot: snapshot.id)
    let last = try store.archive().history().filter { $0.kind != .label }.suffix(4)
    let told = last.map { event in
      event.details.map { "\($0.rowsChanged?.description ?? "unknown") of \($0.tables)" } ?? "\(event.kind): \(event.text)"
    }
    #expect(
      told == [
        #"unknown of ["notes"]"#, "note: rewound to commit \(commit)", #"unknown of ["notes"]"#,
        "note: restored the snapshot \(snapshot.id)",
      ])
    #expect(last.map(\.commit) == [commit + 2, commit + 2, commit + 3, commit + 3])
    try store.close()
    #expect(try notes.archive().verify().findings == [])
  }

  @Test("a write that changes nothing is no commit, also where it would begin a log, and the log's mark is no row of a commit")
  func nothingChanged() throws {
    let before = try (store.moment(), commits())
    try store.checkpoint(.truncate)
    try store.write { _ in }
    #expect(try store.bringBack("notes", where: ["id": .integer(1)], from: before.0) == BringBackReport())
    #expect(try commits() == before.1)
    try notes.add(2, to: store)
    let last = try #require(try commits().last)
    #expect(last.rowsChanged == 1 && last.tables == ["notes"] && last.number == (before.1.last?.number ?? 0) + 1)
    try store.close()
  }
}
