import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Looking into a store")
struct StoreLookingTests {
  @Test("a store that is open is copied with its rows, whatever its folder is called, and stays as it was")
  func copy() throws {
    let folder = try TemporaryFolder()
    let inner = folder.file("it's \"ours\"; %20 三体")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    let store = try Store.open(at: inner.appendingPathComponent("store.sqlite"), schemas: [Shelves.schema], options: .testing)
    try store.fill()
    let copy = try store.copy(named: "a 'copy'.sqlite")
    let copied = try Store.open(at: copy, schemas: [Shelves.schema], options: .testing)
    let shelves = try store.rows("SELECT id FROM shelves ORDER BY id")
    #expect(try !shelves.isEmpty && copied.rows("SELECT id FROM shelves ORDER BY id") == shelves)
    try store.write { try $0.insert(Shelf("another", number: 2)) }
    #expect(try store.count("shelves") == copied.count("shelves") + 1)
    #expect(try store.integrityCheck().isHealthy && copied.integrityCheck().isHealthy)
  }

  @Test("a store in memory has no file to copy")
  func memory() throws {
    let store = try Shelves.inMemory()
    #expect(failure { try store.copy() }?.code == .misuse)
  }
}
