import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Async writes on the task's own thread", .timeLimit(.minutes(10)))
struct OwnThreadTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func store(_ durability: StoreOptions.Durability = .fast) throws -> Store {
    var options = StoreOptions.testing
    options.durability = durability
    options.busyTimeout = .seconds(60)
    let store = try folder.store([Shelves.schema], options: options)
    try store.fill()
    return store
  }

  @Test(
    "a write runs on the thread of its task when nobody else writes, and never on the main actor",
    arguments: [
      StoreOptions.Durability.fast, .durable,
    ])
  func ownThread(durability: StoreOptions.Durability) async throws {
    let store = try store(durability)
    var threads: [Bool] = []
    // Other tests may hold the only task thread that may be blocked.
    for number in 0..<200 where !threads.contains(true) {
      let before = thread()
      threads.append(
        try await store.write { tx in
          try tx.insert(Book("a", number: 500 + number))
          return UInt(bitPattern: pthread_self().hashValue) == before
        })
    }
    #expect(threads.contains(true))
    #expect(try await onMain(store) == false)
  }

  private func thread() -> UInt { UInt(bitPattern: pthread_self().hashValue) }

  @MainActor
  private func onMain(_ store: Store) async throws -> Bool { try await store.write { _ in Thread.isMainThread } }

  @Test("while another connection holds the write lock, the queue waits and the task's thread does not")
  func lockedByAnother() async throws {
    let store = try store()
    let (locked, goOn) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    Thread.detachNewThread { [folder] in
      try? RawDatabase.with(folder.file("store.sqlite")) { other in
        try other.execute("BEGIN IMMEDIATE")
        locked.continuation.yield()
        goOn.wait()
        try other.execute("COMMIT")
      }
    }
    for await _ in locked.stream { break }
    let writing = Task { try await store.write { tx in try tx.insert(Book("late", number: 900)) } }
    // A write that waited on its task's thread would keep that thread from others. Other tests may hold it for a moment.
    #expect(await eventually { TaskThreads.run { true } })
    goOn.signal()
    try await writing.value
    #expect(try await store.read { try $0.all(Book.self).contains { $0.title == "late" } })
  }

  @Test("writes of many tasks, of a thread and of the queue are all there, and none runs beside another")
  func together() async throws {
    let store = try store()
    let inside = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<16 {
        group.addTask {
          for number in 0..<20 {
            if number % 5 == 0 { _ = try store.onWriter { _ in 1 } }
            try await store.write { tx in
              inside.next()
              let mine = inside.value
              try tx.insert(Book("b", number: 1000 + task * 20 + number))
              guard inside.value == mine else { throw StoreError(.misuse, "two writers at once") }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try await store.read { try $0.count("SELECT count(*) FROM books WHERE title = 'b'") } == 320)
  }

  @Test("a body that throws on the task's thread leaves nothing, and its error comes unchanged")
  func throwing() async throws {
    struct Mine: Error {}
    let store = try store(.durable)
    await #expect(throws: Mine.self) {
      try await store.write { tx in
        try tx.insert(Book("never", number: 700))
        throw Mine()
      }
    }
    #expect(try await store.read { try $0.count("SELECT count(*) FROM books WHERE title = 'never'") } == 0)
    try await store.write { tx in try tx.insert(Book("kept", number: 701)) }
  }

  @Test("a long log is moved into the file on the queue after a task's write")
  func checkpoint() async throws {
    let store = try store()
    for number in 0..<3 {
      try await store.write { tx in
        try tx.insert(contentsOf: (0..<4000).map { Book(String(repeating: "x", count: 500), number: 10_000 + number * 4000 + $0) })
      }
    }
    try await store.write { _ in }
    let size = DurableFile.size(folder.file("store.sqlite").path)
    #expect(size > 4_000_000)
  }
}
