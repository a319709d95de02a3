import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// The archive of a store of notes.
struct ArchiveTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  @Test("every commit can be restored as it was")
  func everyCommit() throws {
    let store = try notes.open()
    var states: [Int64: [String]] = [:]
    for number in 1...40 {
      try write(store, number)
      let commits = try store.archive().history().filter { $0.kind == .commit }
      states[try #require(commits.last).commit] = try notes.texts(store)
    }
    #expect(states.count == 40)
    for (commit, texts) in states {
      #expect(try notes.restored(.commit(commit), by: store.archive()) == texts, "commit \(commit)")
    }
    try store.close()
  }

  @Test("commits of several openings, with checkpoints between, are one row without a gap")
  func severalOpenings() throws {
    var states: [Int64: [String]] = [:]
    for opening in 0..<4 {
      let store = try notes.open()
      for number in 1...6 {
        try write(store, opening * 10 + number)
        if number == 3 { try store.checkpoint(opening % 2 == 0 ? .restart : .truncate) }
        let last = try #require(try store.archive().history().last { $0.kind == .commit })
        states[last.commit] = try notes.texts(store)
      }
      try store.close()
    }
    #expect(try notes.gaps() == [] && states.count == 24)
    for (commit, texts) in states { #expect(try notes.restored(.commit(commit)) == texts, "commit \(commit)") }
  }

  @Test("a label names a state; of two with one text the later counts")
  func label() throws {
    let store = try notes.open()
    try write(store, 1)
    try store.label("before")
    let before = try notes.texts(store)
    try write(store, 2)
    #expect(try notes.restored(.label("before"), by: store.archive()) == before)
    try store.label("before")
    #expect(try notes.restored(.label("before"), by: store.archive()) == notes.texts(store))
    try store.close()
  }

  @Test("by default an archive that is there goes on; what was committed with it switched off is a gap; without its folder it has ended")
  func modes() throws {
    for (index, mode) in [ArchiveOptions.Mode.begins, .continues, .off, .continues].enumerated() {
      let store = try notes.open { $0.archive.mode = mode }
      _ = try store.archive()
      try write(store, index + 1)
      try store.close()
    }
    #expect(try notes.archive().history().map(\.kind) == [.base, .commit, .commit, .gap, .commit])
    try FileManager.default.removeItem(at: StoreFiles(notes.url).archive)
    let store = try notes.open { $0.archive.mode = .continues }
    #expect(try store.archiveStatus() == nil)
    try write(store, 5)
    try store.close()
    #expect(try !notes.folder.contents().contains { $0.contains("archive") })
  }

  @Test("a label can be given directly after an archive was begun: it waits for the first copy")
  func labelAtOnce() throws {
    let store = try notes.open()
    try store.label("the beginning")
    try write(store, 1)
    #expect(try notes.restored(.label("the beginning"), by: store.archive()) == [])
    try store.close()
  }

  @Test("without an archive, everything that needs one is notFound; in memory it is misuse")
  func withoutArchive() throws {
    let store = try notes.open { $0.archive.mode = .continues }
    let now = Moment.time(Date())
    let errors: [StoreError?] = [
      failure { try store.archive() },
      failure { try store.label("x") },
      failure { try store.rewind(to: now) },
      failure { try store.rewindPlan(to: now) },
      failure { try store.differences(from: now, to: now) },
      failure { try store.bringBack("notes", where: ["id": .integer(1)], from: now) },
      failure { try store.drillArchive() },
      failure { try Store.rewind(at: notes.url, to: now, options: ArchivedNotes.options) },
    ]
    #expect(errors.map { $0?.code }.filter { $0 != .notFound } == [])
    try store.close()
    let memory = try Store.inMemory(schemas: [ArchivedNotes.schema])
    #expect(failure { try memory.label("x") }?.code == .misuse)
    #expect(failure { try memory.rewind(to: now) }?.code == .misuse)
  }

  @Test("a rewind brings a moment back while the store is open, and its label undoes it")
  func rewind() throws {
    let store = try notes.open()
    for number in 1...20 { try write(store, number) }
    try store.label("good")
    let (good, commit) = (try notes.texts(store), try #require(try store.archiveStatus()).newestCommit)
    try store.write { tx in _ = try tx.execute("DELETE FROM notes") }
    let report = try store.rewind(to: .label("good"))
    #expect(try notes.texts(store) == good)
    #expect(report.commit.number == commit)
    try write(store, 50)
    try store.rewind(to: .label(report.undo))
    #expect(try notes.texts(store) == [])
    try store.close()
    #expect(try notes.gaps().isEmpty)
    let again = try notes.open()
    #expect(try notes.texts(again) == [])
    try again.rewind(to: .commit(commit))
    #expect(try notes.texts(again) == good)
    try again.close()
  }

  @Test("a commit by another program while the store is closed is a gap, and never silent")
  func foreign() throws {
    let store = try notes.open()
    try write(store, 1)
    try store.close()
    try ArchivedNotes.raw(notes.url) { try $0.execute("INSERT INTO notes (id, text) VALUES (99, 'by another program')") }
    let again = try notes.open()
    try write(again, 2)
    #expect(try again.archive().history().filter { $0.kind == .gap }.count == 1)
    #expect(try notes.restored(.time(Date(timeIntervalSinceNow: 60)), by: again.archive()) == notes.texts(again))
    try again.close()
  }

  @Test("a rewind and a restored snapshot stand there with all tables, and a note says what they were")
  func replaced() throws {
    let store = try notes.open()
    try notes.add(1, to: store)
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
    let store = try notes.open()
    try notes.add(1, to: store)
    func commits() throws -> [ArchivedCommit] { try store.archive().history().compactMap(\.details) }
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

  private func write(_ store: Store, _ number: Int) throws {
    try store.write { tx in
      try tx.execute("INSERT INTO notes (id, text) VALUES (\(number), \(String(repeating: "note \(number) ", count: number * 20)))")
      try tx.execute("UPDATE notes SET text = text || 'x' WHERE id % 3 = \(number % 3)")
      if number % 7 == 0 { try tx.execute("DELETE FROM notes WHERE id < \(number - 3)") }
    }
  }
}
