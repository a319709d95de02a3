import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// A folder with an archived store of notes.
struct ArchivedNotes {
  static let schema = StoreSchema("notes", sql: "CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;")

  /// Where SQLite can encrypt, the archive's tests run with encrypted stores.
  static let key: StoreKey? = Encryption.isAvailable ? .random() : nil
  static let seal = key.map(RecordSeal.init)
  static var options: StoreOptions {
    var options = StoreOptions.testing
    options.key = key
    return options
  }

  /// Another program writes to or reads a file.
  static func raw<T>(_ file: URL, creating: Bool = false, _ body: (RawDatabase) throws -> T) throws -> T {
    try RawDatabase.with(file, creating: creating, key: key, body)
  }

  let folder: TemporaryFolder
  let url: URL
  private let options: StoreOptions

  init(key: StoreKey? = ArchivedNotes.key) throws {
    var options = StoreOptions.testing
    options.key = key
    self.options = options
    folder = try TemporaryFolder()
    url = folder.file("notes.sqlite")
  }

  /// Waits for the first base of a new archive: without that, a test's first commits may be in the base and have no number.
  func open(
    _ url: URL? = nil, schemas: [StoreSchema] = [ArchivedNotes.schema], _ change: (inout StoreOptions) -> Void = { _ in }
  ) throws -> Store {
    var options = self.options
    options.archive.mode = .begins
    change(&options)
    let url = url ?? self.url
    let isNew = try options.archive.mode == .begins && !ArchiveFolder(StoreFiles(url), ArchivedNotes.key).exists
    let store = try Store.open(at: url, schemas: schemas, options: options)
    if isNew { _ = try? store.archive() }
    return store
  }

  /// The archive fails, and goes on failing.
  func fail(_ store: Store, _ code: StoreError.Code) throws {
    let archiver = try #require(store.archiver)
    archiver.queue.sync {
      archiver.attempt { throw StoreError(code, "as the test says") }
      archiver.resumesAt = .now + .seconds(3_600)
    }
  }

  /// The next try will not fail.
  func pass(_ store: Store) throws {
    let archiver = try #require(store.archiver)
    archiver.queue.sync { archiver.resumesAt = .now }
  }

  /// Waits for what the archive does after opening and after a copy.
  func settle(_ store: Store) throws {
    let archiver = try #require(store.archiver)
    for _ in 0..<2 { archiver.queue.sync {} }
  }

  func archive() throws -> Archive { try Archive(of: url, options: options) }

  /// The gaps of the time line.
  func gaps() throws -> [ArchiveEvent] { try archive().history().filter { $0.kind == .gap } }

  /// The notes of a moment.
  ///
  /// - Parameter archive: that of an open store, which may have commits that are not written yet. Nil: the one beside `url`.
  func restored(_ moment: Moment, by archive: Archive? = nil) throws -> [String] {
    let file = folder.file("restored-\(UUID().uuidString).sqlite")
    try (archive ?? self.archive()).restore(to: moment, at: file)
    return try texts(of: file)
  }

  func add(_ number: Int, to store: Store) throws {
    try store.write { tx in _ = try tx.execute("INSERT INTO notes (id, text) VALUES (\(number), \("note \(number)"))") }
  }

  /// A commit that the archive does not get: the next opening finds a gap.
  func addOutside(_ number: Int, _ change: (inout StoreOptions) -> Void = { _ in }) throws {
    let store = try open { options in
      change(&options)
      options.archive.mode = .off
    }
    try add(number, to: store)
    try store.close()
  }

  /// Adds notes, one in each commit. Returns the commits.
  func add(_ numbers: ClosedRange<Int>, to store: Store) throws -> [Int64] {
    _ = try store.archive()
    for number in numbers { try add(number, to: store) }
    return try store.archive().history().filter { $0.kind == .commit }.suffix(numbers.count).map(\.commit)
  }

  /// The same, and opens the store before, and closes it.
  @discardableResult
  func written(_ numbers: ClosedRange<Int>) throws -> [Int64] {
    let store = try open()
    let commits = try add(numbers, to: store)
    try store.close()
    return commits
  }

  /// What `texts` tells of these notes.
  func texts(_ numbers: ClosedRange<Int>) -> [String] { numbers.map { "\($0)note \($0)" } }

  func texts(_ store: Store) throws -> [String] {
    try store.read { reader in try reader.values("SELECT id || text FROM notes ORDER BY id") { row in try row.text() } }
  }

  func texts(of file: URL) throws -> [String] {
    try ConnectionFactory(file.path, Self.options).still().texts("SELECT id || text FROM notes ORDER BY id").compactMap { $0[0] }
  }
}
