import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Legacy mode") struct LegacyMode {
  private let world: LegacyWorld
  private let books = LegacyWorld.books

  init() throws { world = try LegacyWorld() }

  @Test("every verb is in the player's file before it returns, and the file is kept before the first")
  func verbs() throws {
    let original = try world.write(books)
    try world.forbidStore()
    let library = try world.open()
    #expect(library.accessWords.kind == "legacy" && library.accessWords.reason.contains("stores"))
    #expect(library.importFailure?.code == .cannotCreate && library.importReport == nil)
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == books)
    #expect(try Data(contentsOf: world.legacy) == original, "reading changes nothing")
    #expect(!FileManager.default.fileExists(atPath: world.backup.path))

    let (book, track) = (books[0].id, books[0].tracks[1].id)
    _ = try library.store.write { try AudiobookLibrary.renameCollection(book, to: "三体问题", in: $0) }
    #expect(try world.read().collections.first?.title == "三体问题")
    try library.store.write {
      try AudiobookLibrary.savePlaybackState(
        PlaybackState(position: 12.5, updatedAt: Date(timeIntervalSince1970: 1_700_000_100)), of: track, in: $0)
    }
    #expect(try world.read().collections.first?.playbackStates[track]?.position == 12.5)
    #expect(try world.read().collections.first?.lastPlayedTrackId == track)
    try library.store.write { try AudiobookLibrary.setFavorite(true, track: track, in: $0) }
    #expect(try world.read().collections.first?.tracks[1].isFavorite == true)
    _ = try library.store.write { try AudiobookLibrary.addTag("科幻", to: book, in: $0) }
    #expect(try world.read().collections.first?.tags == ["科幻"])
    _ = try library.store.write { try AudiobookLibrary.deleteCollection(books[1].id, in: $0) }
    #expect(try world.read().collections.count == 1)
    try library.store.write { try AudiobookLibrary.save(books[1], in: $0) }
    #expect(try world.read().collections.count == 2)
    #expect(try Data(contentsOf: world.backup) == original)
    #expect(try world.folder.contents() == ["library.json", "library.json.backup", "stores"])

    let last = try library.store.read { try AudiobookLibrary.collections(in: $0) }
    try world.allowStore()
    let imported = try world.open()
    #expect(imported.access == .readWrite && imported.importReport?.isClean == true)
    #expect(try imported.store.read { try AudiobookLibrary.collections(in: $0) }.map(\.title) == last.map(\.title))
    #expect(try imported.store.read { try AudiobookLibrary.favorites(in: $0) }.items.map(\.track.id) == [track])
    #expect(try imported.store.read { try AudiobookLibrary.resumePoint(in: $0) }?.trackID == track)
  }

  @Test("a file that legacy mode wrote needs no further copy; one that somebody else wrote meanwhile does")
  func copies() async throws {
    try world.write(books)
    try world.forbidStore()
    for title in ["A", "B", "C"] { try await world.open().renameCollection(books[0].id, to: title) }
    func copies() throws -> [String] { try world.folder.contents().filter { $0.contains("backup") } }
    #expect(try copies() == ["library.json.backup"])
    let library = try world.open()
    let foreign = try world.write([books[1]])
    _ = try await library.store.write { try AudiobookLibrary.renameCollection(books[0].id, to: "D", in: $0) }
    #expect(try copies() == ["library.json.backup", "library.json.backup-2"])
    #expect(try Data(contentsOf: world.folder.file("library.json.backup-2")) == foreign)
  }

  @Test("a change that cannot be written back throws, is taken back, and leaves the file as it was")
  func failedWriteBack() throws {
    let original = try world.write(books)
    try world.forbidStore()
    let library = try world.open()
    // A folder in the way of the copy, and then of the file itself: that stops root, too.
    let folder = world.folder.url
    let moved = folder.deletingLastPathComponent().appendingPathComponent("moved-\(UUID().uuidString)")
    try FileManager.default.moveItem(at: folder, to: moved)
    try Data().write(to: folder)
    #expect(throws: StoreError.self) { try library.store.write { try AudiobookLibrary.renameCollection(books[0].id, to: "Lost", in: $0) } }
    try FileManager.default.removeItem(at: folder)
    try FileManager.default.moveItem(at: moved, to: folder)
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == books)
    #expect(try Data(contentsOf: world.legacy) == original)
    _ = try library.store.write { try AudiobookLibrary.renameCollection(books[0].id, to: "Kept", in: $0) }
    #expect(try world.read().collections.first?.title == "Kept")
  }

  @Test("on a full disk the library opens, reads, refuses changes, and takes them when there is room", .enabled(if: SmallDisk.isPossible))
  func fullDisk() throws {
    let disk = try SmallDisk(kibibytes: 64)
    let legacy = disk.url.appendingPathComponent("library.json")
    let original = try world.write(books, to: legacy)
    try disk.fill()
    let library = try AudiobookLibrary.open(at: disk.url.appendingPathComponent("library.sqlite"), legacy: legacy, options: .testing)
    #expect(library.accessWords.kind == "legacy" && library.importFailure?.code == .diskFull)
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == books)
    #expect(code { _ = try library.store.write { try AudiobookLibrary.addTag("x", to: books[0].id, in: $0) } } == .diskFull)
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == books && Data(contentsOf: legacy) == original)
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path).sorted() == ["filler", "library.json"])
    try disk.free()
    _ = try library.store.write { try AudiobookLibrary.addTag("x", to: books[0].id, in: $0) }
    #expect(try ExportedLibrary(contentsOf: legacy).collections.first?.tags == ["x"])
  }

  @Test("what only library.json.tmp holds is written to library.json, and the other stays")
  func temporaryFile() async throws {
    let left = world.folder.file("library.json.tmp")
    let bytes = try world.write(books, to: left)
    try world.forbidStore()
    try await world.open().renameCollection(books[1].id, to: "New")
    #expect(try world.read().collections.map(\.title) == ["三体", "New"])
    #expect(try Data(contentsOf: left) == bytes)
    #expect(try await world.open().collections().map(\.title) == ["三体", "New"])
  }

  @Test("a cancelled task does not end in legacy mode")
  func cancelled() async throws {
    let bytes = try world.write(books)
    let task = Task { [world] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try world.open().accessWords.kind
    }
    #expect(await asyncCode { _ = try await task.value } == .cancelled)
    #expect(try Data(contentsOf: world.legacy) == bytes)
  }
}
