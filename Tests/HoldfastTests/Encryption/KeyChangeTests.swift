import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("Encrypting, decrypting, and another key", .whereSQLiteEncrypts)
struct KeyChangeTests {
  let world: EncryptedWorld
  var url: URL { world.url }

  /// A plain store with a snapshot of two states, and one commit in the log.
  init() throws {
    world = try EncryptedWorld()
    let store = try world.open(.testing)
    try store.fill()
    try store.snapshot(label: "three MARKERTEXT books")
    try store.write { tx in try tx.insert(Book("MARKERTEXT", number: 9)) }
    try store.close(checkpoints: false)
  }

  /// The titles in the store and in its snapshots, the newest first.
  private func titles(_ options: StoreOptions) throws -> [Int] {
    let store = try world.open(options)
    defer { try? store.close() }
    return try [store.titles().count] + store.snapshots().map { try Snapshot.verify($0.id, of: url, options: options).rows["books"] ?? 0 }
  }

  @Test("a plain store is encrypted with its log and its snapshots; nothing in clear is left where that is wanted")
  func encrypts() throws {
    let report = try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing)
    #expect(report.snapshots == 1 && report.kept == nil && report.left == [])
    #expect(try titles(world.options) == [4, 3])
    #expect(try world.files(containing: "book 1") == [] && world.files(containing: "SQLite format 3") == [])
    #expect(failure { try world.open(.testing) }?.code == .keyNeeded)
    let store = try world.open()
    #expect(try store.integrityCheck().findings == [])
    #expect(try report.rows == store.statistics().rows.values.reduce(0, +))
    #expect(try store.snapshots().map(\.label) == ["three MARKERTEXT books"])
  }

  @Test("kept plain files are whole, and in one folder")
  func keeps() throws {
    let report = try Store.encrypt(at: url, with: world.key, plainFiles: .keep, options: .testing)
    let kept = try #require(report.kept)
    #expect(try titles(world.options) == [4, 3])
    let names = try FileManager.default.contentsOfDirectory(atPath: kept.path)
    #expect(names.contains("reason.txt") && names.count(where: { $0.hasSuffix(".sqlite") }) == 2)
    let old = try Store.open(at: kept.appendingPathComponent("store.sqlite"), schemas: [Shelves.schema], options: .testing)
    #expect(try old.titles().count == 4)
  }

  @Test("another key: the former one opens nothing any more; and back to plain")
  func rekeys() throws {
    try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing)
    let other = StoreKey.random()
    let report = try Store.rekey(at: url, to: other, formerFiles: .remove, options: world.options)
    #expect(report.snapshots == 1)
    #expect(failure { try world.open() }?.code == .wrongKey)
    #expect(try titles(world.with(other)) == [4, 3])
    #expect(failure { try Store.rekey(at: url, to: .random(), formerFiles: .remove, options: world.with(.random())) }?.code == .wrongKey)
    try Store.decrypt(at: url, encryptedFiles: .remove, options: world.with(other))
    #expect(try titles(.testing) == [4, 3])
    #expect(try Data(contentsOf: url).prefix(15) == Data("SQLite format 3".utf8))
  }

  @Test("interrupted before or after the store was replaced, one key opens it, and the same call does the rest", arguments: [false, true])
  func interrupted(isReplaced: Bool) throws {
    let former = try #require(try Snapshot.all(of: url).first)
    let report = try Store.encrypt(at: url, with: world.key, plainFiles: .keep, options: .testing)
    let kept = try #require(report.kept)
    func takeBack(_ name: String, to folder: URL) throws {
      let target = folder.appendingPathComponent(name)
      try? FileManager.default.removeItem(at: target)
      try FileManager.default.copyItem(at: kept.appendingPathComponent(name), to: target)
    }
    // Both snapshots are there now.
    let snapshots = world.folder.file("store.sqlite.holdfast/snapshots")
    for suffix in ["sqlite", "json"] { try takeBack("\(former.id).\(suffix)", to: snapshots) }
    if !isReplaced {
      for suffix in StoreFiles.all where DurableFile.stands(kept.path + "/store.sqlite" + suffix) {
        try takeBack("store.sqlite" + suffix, to: world.folder.url)
      }
    }
    let options = isReplaced ? world.options : .testing
    #expect(try Set(world.open(options).titles()).count == 4)
    #expect(failure { try world.open(isReplaced ? .testing : world.options) } != nil)
    let again = try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing)
    #expect(again.snapshots == 1 && again.left == [])
    #expect(try titles(world.options) == [4, 3])
    #expect(try world.files(containing: "book 1") == [])
  }

  @Test("a damaged store, an archive, the present key and a missing file are refused, and nothing changes")
  func refuses() throws {
    let before = try world.content()
    func refused(_ code: StoreError.Code, _ body: () throws -> EncryptionReport) throws {
      #expect(failure(body)?.code == code)
      #expect(try world.content() == before)
    }
    try refused(.notFound) {
      try Store.encrypt(at: world.folder.file("none.sqlite"), with: world.key, plainFiles: .remove, options: .testing)
    }
    try refused(.misuse) { try Store.decrypt(at: url, encryptedFiles: .remove, options: .testing) }
    let open = try world.open(.testing)
    #expect(failure { try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing) }?.code == .busy)
    try open.close()
    let size = DurableFile.size(url.path)
    try Damage.overwrite(url, at: Int(size) / 2, count: 3 * 4_096)
    let error = failure { try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing) }
    #expect(error?.code == .damaged)
  }
}
