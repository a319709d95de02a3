import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Opening with a legacy file") struct LegacyModeImport {
  private let world: LegacyWorld
  private let books = LegacyWorld.books

  init() throws { world = try LegacyWorld() }

  @Test("imports it the first time and says so, does nothing the second time, and imports again what changed in it")
  func everyTime() throws {
    let bytes = try world.write(books)
    let first = try world.open()
    #expect(first.importReport?.verified == true && first.access == .readWrite && first.importFailure == nil)
    #expect(try first.store.read { try AudiobookLibrary.collections(in: $0) } == books)
    #expect(try Data(contentsOf: world.legacy) == bytes && Data(contentsOf: world.backup) == bytes)

    let second = try world.open()
    #expect(second.importReport == nil && second.importFailure == nil)

    var changed = books
    changed[1].title = "Emma, again"
    changed[1].updatedAt += 60
    try world.write(changed)
    let third = try world.open()
    #expect(third.importReport?.counts["collections"]?.merged == 1)
    #expect(try third.store.read { try AudiobookLibrary.collections(in: $0) } == changed)
  }

  @Test("does not read a file again whose size and time are known, nor import a copy of it")
  func notReadAgain() throws {
    try world.write(books)
    _ = try world.open()
    let time = try #require(FileManager.default.attributesOfItem(atPath: world.legacy.path)[.modificationDate] as? Date)
    // As large and as old as before, and not JSON any more: a second reading would say so.
    let size = try Data(contentsOf: world.legacy).count
    try Data(repeating: 0x21, count: size).write(to: world.legacy)
    try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: world.legacy.path)
    let again = try world.open()
    #expect(again.importReport == nil && again.importFailure == nil)

    try world.write(books)
    try FileManager.default.setAttributes([.modificationDate: time + 1000], ofItemAtPath: world.legacy.path)
    let touched = try world.open()
    #expect(touched.importReport == nil && touched.importFailure == nil)
  }

  @Test("takes the library.json.tmp that a crash has left alone")
  func temporaryFile() throws {
    try world.write(books, to: world.folder.file("library.json.tmp"))
    let library = try world.open()
    #expect(library.importReport?.source.hasSuffix("library.json.tmp") == true)
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == books)
    #expect(try world.open().importReport == nil)
  }

  @Test("opens the store alone when there is no legacy file")
  func noLegacyFile() throws {
    let library = try world.open()
    #expect(library.access == .readWrite && library.importReport == nil && library.importFailure == nil)
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == [])
  }

  @Test("fills a store's file that was made and never filled")
  func emptyStoreFile() async throws {
    try world.write(books)
    try Data().write(to: world.store)
    #expect(try await world.open().collections() == books)
  }

  @Test("a damaged store beside it throws with ways out, and nobody sees the stale file")
  func damagedStore() throws {
    let bytes = try world.write(books)
    let library = try world.open()
    _ = try library.store.snapshot(label: "before the damage")
    _ = try library.store.write { try AudiobookLibrary.renameCollection(books[0].id, to: "New", in: $0) }
    try library.store.close()
    try Damage.overwrite(world.store, at: 100, count: 3000)
    let damaged = try Data(contentsOf: world.store)
    let error = #expect(throws: StoreError.self) { try world.open() }
    #expect(error?.code == .damaged)
    #expect(error?.recoveryOptions.isEmpty == false)
    #expect(try Data(contentsOf: world.store) == damaged && Data(contentsOf: world.legacy) == bytes)
  }

  @Test("a store that is there opens, whatever is wrong with the legacy file; the library says why it was not imported")
  func failureBesideStore() async throws {
    try await AudiobookLibrary.open(at: world.store).save(books[0])
    try Data(#"{"collections":[{"#.utf8).write(to: world.legacy)
    let library = try world.open()
    #expect(library.access == .readWrite && library.importReport == nil)
    #expect(library.importFailure?.code == .invalidSource && library.importFailure?.offset == 17)
    #expect(try await library.store.read { try AudiobookLibrary.collections(in: $0) } == [books[0]])
    try world.write(books)
    #expect(try await world.open().collections() == books)
  }
}
