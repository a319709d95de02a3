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
    #expect(try world.folder.files(containing: "book 1") == [] && world.folder.files(containing: "SQLite format 3") == [])
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

  @Test("interrupted after the store was replaced, the same call writes the snapshots anew; a copy that is there already is not made twice")
  func interrupted() throws {
    let former = try #require(try Snapshot.all(of: url).first)
    let report = try Store.encrypt(at: url, with: world.key, plainFiles: .keep, options: .testing)
    let kept = try #require(report.kept)
    let snapshots = world.folder.file("store.sqlite.holdfast/snapshots")
    for suffix in ["sqlite", "json"] {
      let name = "\(former.id).\(suffix)"
      try FileManager.default.copyItem(at: kept.appendingPathComponent(name), to: snapshots.appendingPathComponent(name))
    }
    // As a killed process leaves it.
    let abandoned = world.folder.file(".holdfast-encrypting-4E7C1F0A-3F1B-4B0C-9B0E-2B7F3C1D5A60")
    try FileManager.default.createDirectory(at: abandoned, withIntermediateDirectories: false)
    try Data("book 1".utf8).write(to: abandoned.appendingPathComponent("present.sqlite"))
    let again = try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing)
    // What was kept on purpose stays.
    #expect(again.snapshots == 1 && again.left.map(\.lastPathComponent) == [kept.lastPathComponent])
    #expect(try titles(world.options) == [4, 3])
    try FileManager.default.removeItem(at: kept)
    #expect(try world.folder.files(containing: "book 1") == [])
  }

  @Test("a replacement that was interrupted is finished by the same call, and nothing is lost")
  func interruptedReplacement() throws {
    // The state of a kill between the intent and the first rename: the new file waits.
    let copy = try EncryptedWorld()
    try FileManager.default.removeItem(at: copy.folder.url)
    try FileManager.default.copyItem(at: world.folder.url, to: copy.folder.url)
    try Store.encrypt(at: copy.url, with: world.key, plainFiles: .remove, options: .testing)
    let place = world.folder.file("store.sqlite.holdfast/replacement")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: copy.url, to: place.appendingPathComponent("new.sqlite"))
    let aside = world.folder.file("store.sqlite.holdfast/quarantine/killed")
    try FileManager.default.createDirectory(at: aside, withIntermediateDirectories: true)
    try Data("encrypted; to be removed\n".utf8).write(to: aside.appendingPathComponent("reason.txt"))
    let intent = #"{"sha256":"\#(try SHA256Hex.ofFile(at: copy.url))","kept":"killed","reason":"encrypted; to be removed"}"#
    try Data(intent.utf8).write(to: place.appendingPathComponent("intent.json"))
    let report = try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing)
    #expect(report.left == [] && report.snapshots == 1)
    #expect(try titles(world.options) == [4, 3] && world.folder.files(containing: "book 1") == [])
  }

  @Test("what an earlier call kept stays when a later one removes, and is told")
  func keptBefore() throws {
    let first = try Store.encrypt(at: url, with: world.key, plainFiles: .keep, options: .testing)
    let kept = try #require(first.kept)
    try Store.decrypt(at: url, encryptedFiles: .remove, options: world.options)
    let again = try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing)
    #expect(again.left.map(\.lastPathComponent) == [kept.lastPathComponent])
    #expect(DurableFile.stands(kept.appendingPathComponent("store.sqlite").path))
  }

  @Test("a snapshot whose description is damaged, and one of another key, hinder nothing, and are told")
  func odd() throws {
    let folder = world.folder.file("store.sqlite.holdfast/snapshots")
    let snapshot = try #require(try Snapshot.all(of: url).first)
    try FileManager.default.copyItem(
      at: folder.appendingPathComponent("\(snapshot.id).sqlite"), to: folder.appendingPathComponent("orphan.sqlite"))
    let report = try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing)
    #expect(report.left.map(\.lastPathComponent) == ["orphan.sqlite"])
    let again = try Store.rekey(at: url, to: .random(), formerFiles: .remove, options: world.options)
    #expect(again.left.map(\.lastPathComponent) == ["orphan.sqlite"] && again.snapshots == 1)
  }

  @Test("rows of a table without any key are compared, and keep their order")
  func keyless() throws {
    try RawDatabase.with(url) { database in
      try database.execute(
        "CREATE TABLE loose (a, b); INSERT INTO loose VALUES (1, 'x'), (2.5, NULL), (x'00ff', 'z'); DELETE FROM loose WHERE a = 1")
    }
    try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing)
    let rows = try world.open().read { try $0.values("SELECT quote(a) || quote(b) FROM loose ORDER BY rowid") { try $0.text() } }
    #expect(rows == ["2.5NULL", "X'00FF''z'"])
  }

  @Test("a damaged store, an archive, the present key and a missing file are refused, and nothing changes")
  func refuses() throws {
    let before = try world.folder.files()
    func refused(_ code: StoreError.Code, _ body: () throws -> EncryptionReport) throws {
      #expect(failure(body)?.code == code)
      #expect(try world.folder.files() == before)
    }
    try refused(.notFound) {
      try Store.encrypt(at: world.folder.file("none.sqlite"), with: world.key, plainFiles: .remove, options: .testing)
    }
    try refused(.keyNeeded) { try Store.decrypt(at: url, encryptedFiles: .remove, options: .testing) }
    try refused(.keyNeeded) { try Store.rekey(at: url, to: world.key, formerFiles: .remove, options: .testing) }
    let open = try world.open(.testing)
    #expect(failure { try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing) }?.code == .busy)
    try open.close()
    let size = DurableFile.size(url.path)
    try Damage.overwrite(url, at: Int(size) / 2, count: 3 * 4_096)
    let error = failure { try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: .testing) }
    #expect(error?.code == .damaged)
  }
}
