import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import Examples

/// `Examples/Rewinding.swift` does what the documents say of it.
@Suite("The examples of going back", .timeLimit(.minutes(10)))
struct RewindingExampleTests {
  let folder: TemporaryFolder
  let store: Store
  let lost = UUID()
  var url: URL { folder.file("notes.sqlite") }

  /// A store with one note, whose archive is ready.
  init() throws {
    folder = try TemporaryFolder()
    store = try archivedNotes(at: folder.file("notes.sqlite"))
    _ = try store.archive()
    try add("lost")
  }

  private func add(_ text: String) throws {
    let note = Note(id: text == "lost" ? lost : UUID(), text: text)
    try store.write { tx in try tx.insert(note) }
  }

  private func texts(_ store: Store) throws -> [String] { try store.read { try $0.all(Note.self, "ORDER BY rowid") }.map(\.text) }

  @Test("the button that undoes a deletion brings the note back, however soon it is pressed")
  func undoing() async throws {
    for _ in 0..<20 {
      try await undoingDeletion(store, of: lost)
      #expect(try texts(store) == ["lost"])
    }
  }

  @Test("a label, one row and the whole store")
  func back() async throws {
    let before = Date()
    try await store.write { [lost] tx in _ = try tx.delete(Note.self, id: lost) }
    try await goingBack(store, lost: lost, yesterday: before)
    #expect(try texts(store) == [])
  }

  @Test("a rewind is looked at, done and undone")
  func careful() async throws {
    let before = Date()
    try add("later")
    try await rewindingWithCare(store, to: before)
    #expect(try texts(store) == ["lost", "later"])
  }

  @Test("a damaged file is replaced by its newest state")
  func damaged() async throws {
    try add("later")
    try watchingArchive(store)
    try store.close()
    try Data(repeating: 7, count: 10_000).write(to: url)
    let again = try await replacingDamaged(url)
    #expect(try texts(again) == ["lost", "later"])
    try again.close()
  }

  @Test("a forgotten note is nowhere any more")
  func forgotten() async throws {
    try add("later")
    try await forgetting(store, lost)
    #expect(try texts(store) == ["later"])
    let history = try await store.archive().history()
    #expect(history.contains { $0.text == "rows were purged" })
  }
}
