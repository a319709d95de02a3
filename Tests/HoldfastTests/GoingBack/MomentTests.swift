import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The present moment of an archived store", .timeLimit(.minutes(10)))
struct MomentTests {
  let notes: ArchivedNotes

  init() throws { notes = try ArchivedNotes() }

  private func delete(_ number: Int, from store: Store) throws {
    try store.write { tx in _ = try tx.execute("DELETE FROM notes WHERE id = \(number)") }
  }

  @Test("it names the state that the caller sees, whatever is archived by then and however the clock is set")
  func names() throws {
    let clock = TestClock()
    let store = try notes.open { options in options.now = { clock.now } }
    for number in 1...30 {
      try notes.add(number, to: store)
      let before = try store.moment()
      #expect(try store.moment() == before, "without a commit between two calls")
      // The clock stands still, or is set back.
      if number % 2 == 0 { clock.advance(milliseconds: -1_000) }
      try delete(number, from: store)
      let report = try store.bringBack("notes", where: ["id": .integer(Int64(number))], from: before)
      #expect(report == BringBackReport(inserted: ["notes": 1]))
    }
    #expect(try notes.texts(store).count == 30)
    try store.close()
  }

  @Test("the present moment counts commits of another process that are not archived yet")
  func others() throws {
    let store = try notes.open()
    let other = try notes.open()
    try notes.add(1, to: store)
    try notes.add(2, to: other)
    let before = try store.moment()
    try delete(2, from: store)
    try store.bringBack("notes", where: ["id": .integer(2)], from: before)
    #expect(try notes.texts(store) == ["1note 1", "2note 2"])
    #expect(failure { try other.moment() }?.code == .busy)
    try other.close()
    try store.close()
  }

  @Test("it is refused inside a write, without an archive, read-only and after closing")
  func refused() throws {
    let store = try notes.open()
    let inside = failure { try store.write { _ in _ = try store.moment() } }
    #expect(inside?.code == .misuse)
    try store.close()
    #expect(failure { try store.moment() }?.code == .closed)
    let off = try notes.open { $0.archive.mode = .off }
    let refusal = try #require(failure { try off.moment() })
    #expect(refusal.code == failure { try off.label("as a label") }?.code)
    try off.close()
    let reading = try notes.open { $0.opensReadOnly = true }
    #expect(failure { try reading.moment() }?.code == .readOnly)
  }

  @Test("the async forms do what the blocking ones do, from the main actor too")
  @MainActor
  func sameAsBlocking() async throws {
    let (store, note) = (try notes.open(), ["id": SQLValue.integer(1)])
    try notes.add(1, to: store)
    try await store.label("one note")
    let before = try await store.moment()
    _ = try await store.write { tx in try tx.execute("DELETE FROM notes") }
    #expect(try await store.bringBack("notes", where: note, from: before).inserted == ["notes": 1])
    let archive = try store.archive()
    #expect(try await archive.history().contains { $0.kind == .label && $0.text == "one note" })
    let file = notes.folder.file("then.sqlite")
    let commit = try await archive.restore(to: before, at: file)
    #expect(before == .commit(commit.number))
    #expect(try notes.texts(of: file) == ["1note 1"])
    try store.close()
    let rewound = try await Store.rewind(at: notes.url, to: .label("one note"), options: ArchivedNotes.options)
    #expect(rewound.commit.number == commit.number && rewound.kept != nil)
  }

  @Test("work on the past whose task is cancelled before it begins does nothing")
  func cancelledBefore() async throws {
    let (store, url) = (try notes.open(), notes.url)
    try notes.add(1, to: store)
    let archive = try store.archive()
    let works: [@Sendable () async throws -> Void] = [
      { try await store.label("never") }, { _ = try await store.moment() }, { _ = try await archive.history() },
      { try await store.bringBack("notes", where: ["id": .integer(1)], from: .time(.distantFuture)) },
      { try await Store.rewind(at: url, to: .time(.distantFuture)) },
    ]
    for work in works {
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        try await work()
      }
      let result = await task.result
      #expect(failure { try result.get() }?.code == .cancelled)
    }
    #expect(try await archive.history().filter { $0.kind == .label } == [])
    try store.close()
  }
}
