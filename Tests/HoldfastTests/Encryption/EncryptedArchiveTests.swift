import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

@Suite("The archive of an encrypted store", .whereSQLiteEncrypts, .timeLimit(.minutes(10)))
struct EncryptedArchiveTests {
  private var world: EncryptedWorld

  init() throws {
    world = try EncryptedWorld()
    world.options.archive.mode = .begins
  }

  private var url: URL { world.url }

  private func add(_ number: Int, to store: Store) throws {
    try store.write { tx in try tx.insert(Book("Secret title \(number)", number: number)) }
  }

  @Test("no file of store and archive holds a text of the store, of its schema or of a label")
  func nothingInTheClear() throws {
    let store = try world.open()
    _ = try store.archive()
    try store.fill(books: 0)
    for number in 1...30 { try add(number, to: store) }
    try store.label("before the secret surgery")
    try store.rewind(to: .label("before the secret surgery"))
    try add(31, to: store)
    try store.drillArchive()
    _ = try store.archive().history()
    for text in ["Secret title", "secret surgery", "books", "shelves", "CREATE TABLE"] {
      #expect(try world.folder.files(containing: text) == [])
    }
    try store.close()
    for text in ["Secret title", "secret surgery", "books"] { #expect(try world.folder.files(containing: text) == []) }
  }

  @Test("without the key, and with another, the archive tells so and changes nothing; names and sizes can be read")
  func keys() throws {
    let store = try world.open()
    _ = try store.archive()
    try store.fill(books: 2)
    try store.label("here")
    try store.close()
    let before = try world.folder.files()
    for (key, code) in [(nil, StoreError.Code.keyNeeded), (StoreKey.random(), .wrongKey)] {
      let archive = try Archive(of: url, options: world.with(key))
      #expect(archive.bytes > 0)
      #expect(failure { try archive.history() }?.code == code)
      #expect(failure { try archive.restore(to: .label("here"), at: world.folder.file("no.sqlite")) }?.code == code)
      #expect(failure { try archive.restore(to: .commit(0), at: world.folder.file("no.sqlite")) }?.code == code)
      #expect(failure { try archive.verify() }?.code == code)
    }
    #expect(try world.folder.files() == before)
  }

  @Test("pages that only have zeros, whether SQLite wrote them or not, are restored as they were, and the restored file has the key")
  func zeros() throws {
    let store = try world.open()
    _ = try store.archive()
    try store.write { tx in
      try tx.execute("CREATE TABLE blobs (id INTEGER PRIMARY KEY, bytes BLOB)")
      for id in 1...6 { try tx.execute("INSERT INTO blobs VALUES (\(id), zeroblob(40000))") }
    }
    try store.write { try $0.execute("DELETE FROM blobs WHERE id > 1") }
    try store.checkpoint(.truncate)
    try store.write { try $0.execute("INSERT INTO blobs VALUES (7, zeroblob(50000)), (8, randomblob(9000))") }
    let sums = "SELECT id || ' ' || length(bytes) || ' ' || (bytes = zeroblob(length(bytes))) FROM blobs ORDER BY id"
    let present = try store.read { try $0.values(BoundSQL(raw: sums)) { try $0.text() } }
    let file = world.folder.file("restored.sqlite")
    try store.archive().restore(to: .time(Date.distantFuture), at: file)
    func restored(_ options: StoreOptions) throws -> [String] {
      try ConnectionFactory(file.path, options).still().texts(sums).compactMap { $0[0] }
    }
    #expect(try restored(world.options) == present)
    #expect(failure { try restored(.testing) }?.code == .notADatabase)
  }

  @Test("a page that changed outside SQLite is found by the archive's map")
  func damage() throws {
    let store = try world.open()
    _ = try store.archive()
    try store.fill(books: 200)
    try store.checkpoint(.truncate)
    #expect(try store.pagesUnlikeArchive() == [])
    try Damage.overwrite(url, at: 3 * 4_096 + 100, count: 8)
    #expect(try store.pagesUnlikeArchive() == [4])
  }

  @Test("another key begins the archive anew, and the former one goes or stays with its key", arguments: FormerFiles.allCases)
  func rekey(_ former: FormerFiles) throws {
    let store = try world.open()
    _ = try store.archive()
    try store.fill(books: 3)
    try store.close()
    let key = StoreKey.random()
    let report = try Store.rekey(at: url, to: key, formerFiles: former, options: world.options)
    #expect(report.beginsArchiveAnew && (report.kept == nil) == (former == .remove))
    var options = world.with(key)
    options.archive.mode = .continues
    let again = try world.open(options)
    try add(50, to: again)
    #expect(try again.archive().history().map(\.kind).contains(.commit))
    #expect(try again.archive().verify().isHealthy && again.archiveStatus()?.problem == nil)
    try again.close()
    // The same once more has nothing to do, and leaves the new archive.
    #expect(try !Store.rekey(at: url, to: key, formerFiles: former, options: world.options).beginsArchiveAnew)
    guard let kept = report.kept else { return }
    // The former archive can be read in its place, beside nothing.
    let place = world.folder.file("old.sqlite.holdfast")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: kept.appendingPathComponent("archive"), to: place.appendingPathComponent("archive"))
    #expect(try Archive(of: world.folder.file("old.sqlite"), options: world.options).verify().isHealthy)
  }

  @Test(
    "the archive begins anew when a plain store is encrypted, and when it is decrypted; the same call removes what a killed call has left")
  func encrypt() throws {
    let plain = try world.open(world.with(nil))
    _ = try plain.archive()
    try plain.fill(books: 0)
    try add(1, to: plain)
    try plain.close()
    let archive = try ArchiveFolder(StoreFiles(url)).url
    let copy = world.folder.file("copy")
    try FileManager.default.copyItem(at: archive, to: copy)
    try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: world.with(nil))
    #expect(try world.folder.files(containing: "Secret title").allSatisfy { $0.hasPrefix("copy/") })
    // As a kill leaves it: the first folder is moved and has lost a file, and the next is still in its place.
    let removing = archive.appendingPathComponent(".holdfast-removing-4E7C1F0A-3F1B-4B0C-9B0E-2B7F3C1D5A60")
    try FileManager.default.createDirectory(at: removing, withIntermediateDirectories: false)
    try FileManager.default.copyItem(at: copy.appendingPathComponent("00000001"), to: removing.appendingPathComponent("00000001"))
    try FileManager.default.removeItem(at: removing.appendingPathComponent("00000001/0000000000000000.json"))
    try FileManager.default.moveItem(at: copy.appendingPathComponent("00000001"), to: archive.appendingPathComponent("00000002"))
    let report = try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: world.with(nil))
    #expect(report.beginsArchiveAnew && report.left == [])
    #expect(try world.folder.files(containing: "Secret title") == [])
    let store = try world.open()
    #expect(try store.archive().verify().isHealthy && store.archive().history().filter { $0.kind == .gap } == [])
    try add(2, to: store)
    #expect(try store.archive().verify().isHealthy)
    try store.close()
    try Store.decrypt(at: url, encryptedFiles: .remove, options: world.options)
    let decrypted = try world.open(world.with(nil))
    #expect(try decrypted.archive().verify().isHealthy && decrypted.titles() == ["Secret title 1", "Secret title 2"])
  }

  @Test(
    "an archive whose base is damaged or gone stays when the same key is given again, and its damage is told as damage",
    arguments: ["damaged", "gone", "undescribed"])
  func damagedBase(_ what: String) throws {
    let store = try world.open()
    _ = try store.archive()
    try store.fill(books: 3)
    try store.label("here")
    try store.close()
    let generation = try #require(try ArchiveFolder(StoreFiles(url), world.key).generations().first)
    let base = generation.base(0)
    switch what {
    case "damaged": try Data(count: Int(DurableFile.size(base.path))).write(to: base)
    case "gone": try FileManager.default.removeItem(at: base)
    default: try FileManager.default.removeItem(at: generation.description(0))
    }
    let before = try world.folder.files().filter { $0.key.contains("archive") }
    let report = try Store.encrypt(at: url, with: world.key, plainFiles: .remove, options: world.with(nil))
    #expect(!report.beginsArchiveAnew)
    #expect(try world.folder.files().filter { $0.key.contains("archive") } == before)
    #expect(try !Archive(of: url, options: world.options).verify().isHealthy)
    let error = failure { try Archive(of: url, options: world.options).restore(to: .commit(0), at: world.folder.file("x")) }
    #expect(error.map { [.damaged, .notFound].contains($0.code) } == true, "\(String(describing: error))")
  }
}
