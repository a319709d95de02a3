import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

extension Trait where Self == ConditionTrait {
  /// `make encryption` brings a SQLite that encrypts.
  static var whereSQLiteEncrypts: Self { .enabled(if: Encryption.isAvailable, "the SQLite in use cannot encrypt; see make encryption") }
}

/// A folder with an encrypted store.
struct EncryptedWorld {
  let folder: TemporaryFolder
  var options = StoreOptions.testing
  let key = StoreKey.random()

  init() throws {
    folder = try TemporaryFolder()
    options.key = key
  }

  var url: URL { folder.file("store.sqlite") }

  func open(_ options: StoreOptions? = nil) throws -> Store { try folder.store([Shelves.schema], options: options ?? self.options) }

  /// These options with another key, or none.
  func with(_ key: StoreKey?) -> StoreOptions {
    var options = options
    options.key = key
    return options
  }
}

@Suite("Encryption, without a SQLite that can")
struct NoEncryptionTests {
  @Test("where a test run promises a SQLite that encrypts, it does")
  func promised() {
    #expect(Encryption.isAvailable || ProcessInfo.processInfo.environment["HOLDFAST_ENCRYPTS"] == nil)
  }

  @Test("a key comes from a variable or from a descriptor; neither is no key, and what is no key is refused without its text")
  func fromEnvironment() throws {
    let (key, digits) = (try StoreKey(Data(repeating: 0xAB, count: 32)), String(repeating: "ab", count: 32))
    #expect(try StoreKey.inEnvironment(["HOLDFAST_KEY": digits]) == key)
    #expect(try StoreKey.inEnvironment(["OTHER": digits + "\n"], variable: "OTHER") == key)
    #expect(try StoreKey.inEnvironment(["OTHER": digits]) == nil)
    let pipe = Pipe()
    pipe.fileHandleForWriting.write(Data((digits + "\n").utf8))
    try pipe.fileHandleForWriting.close()
    // The descriptor counts, and not the variable beside it.
    let environment = ["HOLDFAST_KEY_FD": "\(pipe.fileHandleForReading.fileDescriptor)", "HOLDFAST_KEY": "secret"]
    #expect(try StoreKey.inEnvironment(environment) == key)
    for (name, text) in [("", ""), ("", "secret"), ("", digits + "0"), ("_FD", ""), ("_FD", "-1"), ("_FD", "secret")] {
      let error = failure { _ = try StoreKey.inEnvironment(["HOLDFAST_KEY" + name: text]) }
      #expect(error?.code == .invalidValue && (name == "_FD" || text.isEmpty || error?.message.contains(text) == false))
    }
  }

  @Test("a key that SQLite cannot use is refused before the path is touched", .disabled(if: Encryption.isAvailable))
  func refused() throws {
    let world = try EncryptedWorld()
    #expect(failure { try world.open() }?.code == .encryptionUnavailable)
    #expect(failure { try Store.inMemory(schemas: [], options: world.options) }?.code == .encryptionUnavailable)
    #expect(failure { try Store.temporary(schemas: [], options: world.options) }?.code == .encryptionUnavailable)
    #expect(failure { try Store.kinds(at: world.url, options: world.options) }?.code == .encryptionUnavailable)
    #expect(try world.folder.contents() == [])
    try world.open(world.with(nil)).close()
    let before = try world.folder.files()
    let error = failure { try Store.encrypt(at: world.url, with: world.key, plainFiles: .remove, options: .testing) }
    #expect(try error?.code == .encryptionUnavailable && world.folder.files() == before)
  }

  @Test("a key has 32 bytes, is read from digits or Base64, and shows no byte in any description")
  func keys() throws {
    let bytes = Data((0..<32).map { UInt8($0) })
    let digits = "000102030405060708090a0b0c0d0e0f101112131415161718191A1B1C1D1E1F"
    #expect(try StoreKey(bytes) == StoreKey(text: " \(digits)\n"))
    #expect(try StoreKey(bytes) == StoreKey(text: bytes.base64EncodedString()))
    for text in ["", "secret", digits + "00", String(digits.dropLast()), "é" + digits.dropFirst()] {
      let error = failure { try StoreKey(text: text) }
      #expect(error?.code == .invalidValue && (text.isEmpty || "\(error!)".contains(text) == false), "\(text)")
    }
    #expect(failure { try StoreKey(Data([1])) }?.code == .invalidValue)
    #expect(StoreKey.random() != StoreKey.random())
    var options = StoreOptions()
    options.key = try StoreKey(bytes)
    var dumped = ""
    dump(options, to: &dumped)
    let told = "\(options) \(String(reflecting: options)) \(dumped)".lowercased()
    #expect(!told.contains("0001") && !told.contains("32 bytes") && !told.contains(bytes.base64EncodedString().lowercased()))
  }
}

@Suite("Encryption", .whereSQLiteEncrypts)
struct EncryptionTests {
  let world: EncryptedWorld

  init() throws { world = try EncryptedWorld() }

  @Test("no text of any row is in the file, its log, its snapshots or what is set aside; everything works with the key")
  func nothingInClear() throws {
    let store = try world.open()
    try store.fill()
    let snapshot = try store.snapshot(label: "first")
    for number in 200..<390 {
      try store.write { tx in try tx.insert(Book("MARKERTEXT \(number) \(String(repeating: "MARKERTEXT", count: 200))", number: number)) }
    }
    #expect(try world.folder.files(containing: "MARKERTEXT") == [] && world.folder.contents().contains("store.sqlite-wal"))
    try store.snapshot(label: "second")
    try store.checkpoint(.truncate)
    try store.vacuum()
    #expect(try store.drill().hasPassed)
    #expect(try store.restorePlan(snapshot: snapshot.id).first { $0.table == "books" }?.removed == 190)
    try store.restore(snapshot: snapshot.id)
    #expect(try store.titles() == ["book 0", "book 1", "book 2"])
    #expect(try store.integrityCheck().findings == [])
    try store.close()
    try Store.restore(at: world.url, snapshot: snapshot.id, options: world.options)
    #expect(try world.folder.files(containing: "MARKERTEXT") == [] && world.folder.files(containing: "SQLite format 3") == [])
    #expect(try world.folder.files(containing: "CREATE TABLE") == [])
    #expect(try Store.check(at: world.url, schemas: [Shelves.schema], options: world.options).findings == [])
    #expect(try world.open().titles().count == 3)
  }

  @Test("SQLite leaves only bytes 16 to 23 of a page readable: no two pages begin alike, and all values of a byte are there")
  func looksRandom() throws {
    let store = try world.open()
    try store.fill()
    // Pages that would be alike.
    for number in 10..<60 { try store.write { tx in try tx.insert(Book(String(repeating: "a", count: 4_000), number: number)) } }
    try store.close()
    let bytes = try Data(contentsOf: world.url)
    #expect(Encryption.Found(DatabaseHeader(bytes)) == .encrypted)
    let pages = stride(from: 0, to: bytes.count, by: 4_096).map { bytes[$0..<$0 + 64] }
    #expect(pages.count > 50 && Set(pages).count == pages.count)
    var counts = [Int](repeating: 0, count: 256)
    for (place, byte) in bytes.enumerated() where !(16..<24).contains(place) { counts[Int(byte)] += 1 }
    // Six standard deviations of equally likely bytes.
    let (mean, deviation) = (Double(bytes.count) / 256, (Double(bytes.count) / 256).squareRoot())
    #expect(counts.allSatisfy { abs(Double($0) - mean) < 6 * deviation })
  }

  @Test("a wrong key, no key, and a key for a plain file are three errors, and change nothing", arguments: [false, true])
  func errors(hasLog: Bool) throws {
    let store = try world.open()
    try store.fill()
    try store.close(checkpoints: !hasLog)
    let plain = try folder("plain.sqlite")
    let before = try world.folder.files()
    #expect(before.keys.contains("store.sqlite-wal") == hasLog)
    for (key, code) in [(StoreKey.random(), StoreError.Code.wrongKey), (nil, .keyNeeded)] {
      #expect(failure { try world.open(world.with(key)) }?.code == code)
      #expect(failure { try Store.kinds(at: world.url, options: world.with(key)) }?.code == code)
      #expect(failure { try Store.plan(at: world.url, schemas: [Shelves.schema], options: world.with(key)) }?.code == code)
      #expect(failure { try Store.check(at: world.url, schemas: [Shelves.schema], options: world.with(key)) }?.code == code)
    }
    #expect(failure { try folder("plain.sqlite", world.options) }?.code == .notEncrypted)
    #expect(failure { try Store.kinds(at: plain, options: world.options) }?.code == .notEncrypted)
    // Reading a log makes its index.
    #expect(try world.folder.files().filter { $0.key != "store.sqlite-shm" } == before.filter { $0.key != "store.sqlite-shm" })
    #expect(try world.open().titles().count == 3)
  }

  /// Makes a store with this name, or opens it.
  @discardableResult
  private func folder(_ name: String, _ options: StoreOptions = .testing) throws -> URL {
    try world.folder.store([Shelves.schema], name: name, options: options).close()
    return world.folder.file(name)
  }

  @Test("the key is in no statement that a trace sees, and nothing is sorted in a file")
  func notInSQL() throws {
    let seen = Collected<String>()
    var options = world.options
    options.trace = { seen.add($0) }
    let store = try world.open(options)
    try store.fill()
    let digits = world.key.bytes.map { String(format: "%02x", Int($0)) }.joined()
    #expect(!seen.all.isEmpty && !seen.all.contains { $0.lowercased().contains(digits) || $0.lowercased().contains("key =") })
    #expect(try store.read { try $0.count("PRAGMA temp_store") } == 2 && store.write { try $0.count("PRAGMA temp_store") } == 2)
  }

  @Test("a changed byte is an error, never another value; heal and salvage need the key")
  func changedBytes() throws {
    let store = try world.open()
    try store.fill(books: 200)
    let sound = try store.titles()
    try store.snapshot(label: "sound")
    try store.close()
    let bytes = try Data(contentsOf: world.url)
    var random = SeededGenerator(seed: 7)
    for place in [0, 16, 17, 18, 19, 20, 21, 22, 23, 24, 99, 2_000] + (0..<60).map({ _ in Int.random(in: 0..<bytes.count, using: &random) })
    {
      var changed = bytes
      changed[place] ^= 0x40
      try changed.write(to: world.url)
      let error = failure {
        let open = try world.open()
        defer { try? open.close() }
        // The salt, for example, is used only with passwords.
        #expect(try open.titles() == sound, "byte \(place)")
      }
      if let error {
        #expect([.damaged, .wrongKey, .notADatabase, .inputOutput, .keyNeeded].contains(error.code), "byte \(place): \(error)")
      }
    }
    try bytes.write(to: world.url)
    for (key, code) in [(StoreKey.random(), StoreError.Code.wrongKey), (nil, .keyNeeded)] {
      let options = world.with(key)
      #expect(failure { try Store.heal(at: world.url, schemas: [Shelves.schema], options: options) }?.code == code)
      #expect(failure { try Store.salvage(world.url, to: world.folder.file("new.sqlite"), options: options) }?.code == code)
    }
    #expect(try world.open().titles() == sound)
  }

  @Test("an automatic snapshot of an unchanged store is made once, although no two copies have the same bytes")
  func automaticOnce() throws {
    let store = try world.open()
    try store.fill()
    let made = try (0..<3).map { _ in try store.snapshot(label: "auto", isAutomatic: true).id }
    #expect(Set(made).count == 1)
    try store.write { tx in try tx.insert(Book("another", number: 9)) }
    #expect(try store.snapshot(label: "auto", isAutomatic: true).id != made[0])
  }

  @Test("a log that was left by a kill is read with the key, and a log of a store with another key is set aside")
  func leftLog() throws {
    let store = try world.open()
    try store.fill()
    try store.close(checkpoints: false)
    #expect(try world.open().titles().count == 3)
    // The log of another store.
    let other = try world.folder.store([Shelves.schema], name: "other.sqlite", options: world.with(.random()))
    try other.fill()
    try other.close(checkpoints: false)
    try FileManager.default.moveItem(at: world.folder.file("other.sqlite-wal"), to: world.folder.file("store.sqlite-wal"))
    let opened = try world.open()
    #expect(opened.notices.map(\.kind) == [.foreignLog])
    #expect(try opened.titles().count == 3)
  }
}

/// Texts from any thread.
private final class Collected<Value: Sendable>: @unchecked Sendable {
  // Guarded by `lock`.
  private var values: [Value] = []
  private let lock = NSLock()

  func add(_ value: Value) { lock.withLock { values.append(value) } }
  var all: [Value] { lock.withLock { values } }
}
