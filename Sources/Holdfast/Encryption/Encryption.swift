internal import CHoldfast
import Foundation
internal import GRDBSQLite

/// Encryption by SQLite3 Multiple Ciphers, the SQLite that an app brings for it; see `Documentation/Encryption.md`.
///
/// The system's SQLite cannot encrypt. It would ignore a key, and write plain text without an error. So the kit tests the SQLite in use on a
/// database in memory before it touches any path.
package enum Encryption {
  /// Of all ciphers the one that also proves that a page is as it was written, for the least time.
  private static let cipher = "aegis"
  /// Before a key is given. Sorting and the like must not leave rows in temporary files, which SQLite does not encrypt.
  static let preparation = ["PRAGMA temp_store = MEMORY", "PRAGMA cipher = '\(cipher)'"]

  /// Found once: a process does not change its SQLite.
  package static let isAvailable: Bool = {
    guard let memory = try? ConnectionFactory.probe(), let answer = try? memory.texts("PRAGMA cipher") else { return false }
    // -1: it has no such function. A database in memory cannot be encrypted, so other results are failures, too.
    return !answer.isEmpty && holdfast_key(memory.handle, nil, 0) != -1
  }()

  /// - Throws: `.encryptionUnavailable` when a key is given and this SQLite cannot use it.
  static func probe(_ key: StoreKey?) throws {
    guard key != nil, !isAvailable else { return }
    throw StoreError(.encryptionUnavailable, "a key was given, and the SQLite in use cannot encrypt; nothing was opened")
  }

  /// Gives a connection its key, before its first read. SQLite tries the key only when it reads.
  ///
  /// - Throws: `.encryptionUnavailable` where this SQLite cannot use it; SQLite's own errors.
  package static func give(_ key: StoreKey, to handle: OpaquePointer, _ path: String) throws {
    // Not by SQL, which a trace would show.
    var code = sqlite3_exec(handle, preparation.joined(separator: ";"), nil, nil, nil)
    if code == SQLITE_OK { code = raw(key).withUnsafeBytes { holdfast_key(handle, $0.baseAddress, Int32(clamping: $0.count)) } }
    guard code != -1 else { throw StoreError(.encryptionUnavailable, "\(path): SQLite cannot use a key") }
    guard code == SQLITE_OK else { throw StoreError(sqlite: handle, code, path: path) }
  }

  /// Encrypts a file that nothing else has open, and that keeps no log, with another key; nil: decrypts it.
  static func change(_ connection: RawConnection, to key: StoreKey?, sortsInFiles: Bool) throws {
    for statement in preparation + ["PRAGMA temp_store = \(sortsInFiles ? "FILE" : "MEMORY")"] { try connection.run(statement) }
    let code = (key.map(raw) ?? Data()).withUnsafeBytes { holdfast_rekey(connection.handle, $0.baseAddress, Int32(clamping: $0.count)) }
    guard code == SQLITE_OK else { throw connection.failure(code) }
  }

  /// Before a file is read that may be damaged.
  ///
  /// - Throws: `.keyNeeded`, `.notEncrypted`, as far as its first bytes tell; `.encryptionUnavailable`.
  static func check(_ files: StoreFiles, _ key: StoreKey?) throws {
    try probe(key)
    try (try? Found(files.url))?.check(key, files.path)
  }

  /// Whether the key opens a snapshot or the archive of a store: then it is right, whatever became of the store.
  static func opensCopies(of files: StoreFiles, _ options: StoreOptions) -> Bool {
    let generations = (try? ArchiveFolder(files, options.key).generations()) ?? []
    let copies = generations.flatMap { part in part.bases.map(part.base) } + ((try? Snapshot.all(files)) ?? []).map { $0.file(files) }
    return generations.contains { $0.hasRecords(with: options.key) } || copies.contains { (try? opens($0, options)) ?? false }
  }

  /// Whether a file, to which nothing writes, can be read with this key, or without one.
  static func opens(_ file: URL, _ options: StoreOptions) throws -> Bool {
    do {
      try Found(file).check(options.key, file.path)
      _ = try ConnectionFactory(file.path, options).still().texts("SELECT 1 FROM sqlite_schema LIMIT 1")
      return true
    } catch let error as StoreError where unreadable.contains(error.code) {
      return false
    }
  }

  /// The codes of a copy that is damaged, gone, or has another key.
  static let unreadable: Set<StoreError.Code> = [
    .verificationFailed, .damaged, .wrongKey, .keyNeeded, .notEncrypted, .notADatabase, .notFound, .misuse,
  ]

  /// In the form from which SQLite derives nothing.
  static func raw(_ key: StoreKey) -> Data { Data("raw:".utf8) + key.bytes }

  /// The state of a file, by its first bytes.
  enum Found {
    case plain, encrypted, unknown

    init(_ header: DatabaseHeader) { self = header.isPlain ? .plain : header.isEncrypted ? .encrypted : .unknown }

    init(_ file: URL) throws { self.init(try DatabaseHeader(of: file)) }

    /// - Throws: `.keyNeeded`, `.notEncrypted`.
    func check(_ key: StoreKey?, _ path: String) throws {
      switch (self, key) {
      case (.encrypted, nil): throw StoreError(.keyNeeded, "\(path) is encrypted, and no key was given")
      case (.plain, .some): throw StoreError(.notEncrypted, "\(path) is not encrypted, and a key was given; nothing was opened")
      default: break
      }
    }
  }
}

extension StoreOptions {
  /// For a copy of a store's file.
  static func production(_ key: StoreKey?) -> StoreOptions {
    var options = production
    options.key = key
    return options
  }
}

extension RawConnection {
  /// Attaches another file of the same key.
  func attach(_ name: String, as schema: String, _ key: StoreKey?) throws {
    guard let key else { return try rows("ATTACH \(name) AS \(raw: schema)") { _ in } }
    try Encryption.preparation.forEach(run)
    try rows("ATTACH \(name) AS \(raw: schema) KEY \(Encryption.raw(key))") { _ in }
  }
}
