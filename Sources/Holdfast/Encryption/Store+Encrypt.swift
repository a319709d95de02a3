public import Foundation
import Logging

/// What `encrypt`, `rekey` or `decrypt` did.
public struct EncryptionReport: Sendable, Codable, Equatable {
  /// The number of rows, which is the same as before.
  public internal(set) var rows = 0
  /// The number of snapshots that were written again with the new key. Their ids are new; their times and labels are as before.
  public internal(set) var snapshots = 0
  /// Whether the store has an archive. A new archive begins with the present state at the next opening: the former one has the former key.
  public internal(set) var beginsArchiveAnew = false
  /// The folder with the former file, the former snapshots and the former archive; nil where they were removed.
  public internal(set) var kept: URL?
  /// Files that the former key still opens: files that were set aside earlier, and snapshots that could not be verified. The kit does not
  /// remove them: they may hold the only copy of a row.
  public internal(set) var left: [URL] = []
}

/// What `encrypt`, `rekey` and `decrypt` do with the former file, snapshots and archive.
public enum FormerFiles: String, Sendable, CaseIterable {
  /// They move to the quarantine folder.
  case keep
  /// They are removed, once the new files are verified and in place. A disk may still hold their bytes.
  case remove
}

extension Store {
  /// Encrypts a store that is not open, and then its snapshots.
  ///
  /// Works on copies. Each copy is verified with the new key: SQLite's integrity check, and every row compared. Only then does it replace
  /// its original. After a kill or an error, the same call does the rest; at every moment the store can be opened with one of the two keys.
  /// A store that has the key already is left as it is. A new archive begins with the present state at the next opening.
  ///
  /// Needs free space for three copies of the store beside it, for the largest snapshot beside that, and for one copy in the system's
  /// temporary folder. Exports, sources of imports and their copies are not encrypted.
  /// - Parameters:
  ///   - key: as `StoreOptions.key` from then on. Keep it before you call.
  ///   - plainFiles: whether the file and the snapshots that are not encrypted are kept.
  ///   - options: for the folder of the snapshots, among others. Their key is not used.
  /// - Throws: `.encryptionUnavailable`; `.wrongKey` when the store is encrypted with another key; `.damaged`, `.notFound`, `.wrongKind`;
  ///   `.misuse` for pages of 512 bytes; `.verificationFailed`, `.busy`, `.diskFull`, `.inputOutput`. The store is then as it was, unless
  ///   the message says what is left to do.
  @discardableResult
  public static func encrypt(
    at url: URL, with key: StoreKey, plainFiles: FormerFiles, options: StoreOptions = .production
  ) throws -> EncryptionReport {
    var former = options
    former.key = nil
    return try KeyChange.run(url, from: former, to: key, plainFiles, done: "encrypted")
  }

  /// Encrypts an encrypted store that is not open, and its snapshots, with another key. As `encrypt(at:with:plainFiles:options:)`.
  ///
  /// - Parameters:
  ///   - formerFiles: whether the file and the snapshots that the former key opens are kept.
  ///   - options: with the present key.
  /// - Throws: as `encrypt`; `.keyNeeded` without the present key; `.wrongKey`; `.notEncrypted` for a plain store.
  @discardableResult
  public static func rekey(
    at url: URL, to key: StoreKey, formerFiles: FormerFiles, options: StoreOptions
  ) throws -> EncryptionReport {
    guard options.key != nil else { throw StoreError(.keyNeeded, "\(url.path): the present key was not given") }
    return try KeyChange.run(url, from: options, to: key, formerFiles, done: "encrypted with another key")
  }

  /// Decrypts a store that is not open, and its snapshots. As `encrypt(at:with:plainFiles:options:)`. A plain store is left as it is.
  ///
  /// - Parameters:
  ///   - encryptedFiles: whether the encrypted file and snapshots are kept.
  ///   - options: with the present key.
  /// - Throws: as `encrypt`; `.keyNeeded` without the present key; `.wrongKey`.
  @discardableResult
  public static func decrypt(
    at url: URL, encryptedFiles: FormerFiles, options: StoreOptions
  ) throws -> EncryptionReport {
    guard options.key != nil else { throw StoreError(.keyNeeded, "\(url.path): the present key was not given") }
    return try KeyChange.run(url, from: options, to: nil, encryptedFiles, done: "decrypted")
  }
}

/// Writes a store and then its snapshots anew, with another key or none.
private struct KeyChange {
  private let files: StoreFiles
  private let former: StoreOptions
  private let new: StoreOptions
  private let formerFiles: FormerFiles
  /// What the store is in the end: "encrypted".
  private let done: String
  /// In the quarantine folder with the former files. Those that are to be removed have another one, so that a later call knows them.
  private var reason: String { formerFiles == .remove ? "\(done); to be removed" : done }
  private var report = EncryptionReport()

  static func run(
    _ url: URL, from former: StoreOptions, to key: StoreKey?, _ formerFiles: FormerFiles, done: String
  ) throws -> EncryptionReport {
    try Encryption.probe(key ?? former.key)
    let files = try StoreFiles(url, snapshots: former.snapshots.folder)
    var new = former
    new.key = key
    var change = KeyChange(files: files, former: former, new: new, formerFiles: formerFiles, done: done)
    return try change.run()
  }

  private mutating func run() throws -> EncryptionReport {
    try files.telling {
      guard former.key != new.key else { throw StoreError(.misuse, "the new key of \(files.path) is the present one") }
      // What an interrupted call has left.
      _ = try Replacement.finish(files, former)
      WorkingFolder.removeAbandoned(in: files.parent)
      WorkingFolder.removeAbandoned(in: files.snapshots)
      if try isDone() {
        let connection = try ConnectionFactory(files, new).still()
        // Before anything of before is removed.
        if let damage = try Snapshot.damage(connection).first {
          throw StoreError(.damaged, "\(files.path) is damaged: \(damage)", suggestion: "Heal the store first; nothing was changed.")
        }
        report.rows = try rowCounts(connection.texts).values.reduce(0, +)
      } else {
        try replaceStore()
      }
      do {
        try giveUpArchive()
        try writeSnapshots()
        try removeFormerFiles()
      } catch {
        var failure = StoreError(error, path: files.path)
        failure.message = "\(files.path) is \(done), and some snapshots or parts of the archive are still as before: \(failure.message)"
        failure.suggestion = "Do the same again: only the rest is left to do."
        throw failure
      }
      former.logger.notice("\(done)", metadata: ["path": "\(files.path)", "snapshots": "\(report.snapshots)"])
      return report
    }
  }

  /// Whether the store has the new key, or none, already.
  private func isDone() throws -> Bool {
    do {
      try look(former)
      return false
    } catch let error as StoreError where [.wrongKey, .keyNeeded, .notEncrypted].contains(error.code) {
      do {
        try look(new)
        return true
      } catch let other as StoreError {
        // Without a former key, the new one was meant to fit.
        throw former.key == nil && other.code == .wrongKey ? other : error
      }
    }
  }

  /// - Throws: where the file is no store that can be copied as it is.
  private func look(_ options: StoreOptions) throws {
    let look = try StoreLook(files, options)
    switch look.content {
    case .store where look.log == .sound: return
    case .store, .logWithoutFile:
      throw StoreError(
        .damaged, "\(files.path) has a log that is damaged or is not its own", suggestion: "Open the store for writing first.")
    case .missing, .empty: throw StoreError(.notFound, "there is no store at \(files.path)")
    case .foreign(let tables): throw Opening.foreign(files.path, tables)
    }
  }

  private mutating func replaceStore() throws {
    try files.checkMayReplace()
    let folder = try WorkingFolder(beside: files.url, "encrypting")
    let present = StoreFiles(real: folder.file("present.sqlite"))
    let needed = files.bytes.multipliedReportingOverflow(by: 3)
    try DurableFile.checkFreeSpace(needed.overflow ? .max : needed.partialValue, in: files.parent, for: "copies of \(files.path)")
    let state = try files.copyUnchanged(to: present.url, former)
    try Snapshot.makeStandAlone(ConnectionFactory(present.path, former).working(), present.url, former)
    let rewritten = try rewritten(present.url, in: folder)
    report.rows = rewritten.rows
    report.kept = try Replacement.run(WayBack(files: files, options: new, reason: reason, file: rewritten.file, since: state))
  }

  /// A copy of a whole file that needs no log, with the new key.
  ///
  /// - Throws: `.damaged` where the file is; `.verificationFailed` when the copy differs.
  private func rewritten(_ file: URL, in folder: WorkingFolder) throws -> (file: URL, rows: Int) {
    let size = try DatabaseHeader(of: file).pageBytes ?? 0
    guard new.key == nil || size >= 1_024 else {
      throw StoreError(
        .misuse, "\(file.path) has pages of \(size) bytes, too small for a cipher's proof; nothing was changed",
        suggestion: "Give it larger pages: PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM.")
    }
    let copy = folder.file("rewritten.sqlite")
    _ = try DurableFile.remove(copy)
    try DurableFile.copy(file, to: copy)
    try StoreFiles(real: copy).protect(new)
    do {
      let connection = try ConnectionFactory(copy.path, former).working()
      if let damage = try Snapshot.damage(connection).first {
        throw StoreError(.damaged, "\(file.path) is damaged: \(damage)", suggestion: "Heal the store first; nothing was changed.")
      }
      // A file that is not encrypted is on the disk anyway, before or after.
      try Encryption.change(connection, to: new.key, sortsInFiles: former.key == nil || new.key == nil)
    }
    try DurableFile.flush(copy)
    let written = try Encryption.Found(copy)
    guard (written == .encrypted) == (new.key != nil), written != .unknown else {
      throw StoreError(.verificationFailed, "SQLite did not write \(copy.path) as it was told; nothing was changed")
    }
    let (old, now) = (try ConnectionFactory(file.path, former).working(), try ConnectionFactory(copy.path, new).working())
    let damage = try Snapshot.damage(now)
    guard damage.isEmpty, try old.contentHashes() == now.contentHashes() else {
      throw StoreError(.verificationFailed, "written anew, \(file.path) differs: \(damage.first ?? "its rows"); nothing was changed")
    }
    return (copy, try rowCounts(now.texts).values.reduce(0, +))
  }

  // MARK: The archive

  /// Gives up the parts of the archive that have the former key. The folder stays, so that the next opening begins with the present state.
  private mutating func giveUpArchive() throws {
    let folder = ArchiveFolder(files)
    guard folder.exists else { return }
    let lock = try FolderLock(folder.url, busy: files.archivedElsewhere)
    defer { withExtendedLifetime(lock) {} }
    // What a killed call was removing.
    WorkingFolder.removeAbandoned(in: folder.url)
    var given = false
    for generation in try folder.generations() {
      // Only what is proven to have the former key, and only that. Damage is no proof.
      func has(_ options: StoreOptions) throws -> Bool {
        try generation.bases.contains { try Encryption.opens(generation.base($0), options) } || generation.hasRecords(with: options.key)
      }
      guard try has(former) else {
        if try !has(new) { report.left.append(generation.url) }
        continue
      }
      given = true
      let name = generation.url.lastPathComponent
      if formerFiles == .keep {
        let place = try keptFolder().appendingPathComponent("archive")
        try DurableFile.makeFolder(place)
        try DurableFile.move(generation.url, over: place.appendingPathComponent(name))
        try DurableFile.flushFolder(of: generation.url)
      } else {
        // Out of the archive first: what a kill leaves of a folder might not tell its key any more.
        let removed = try WorkingFolder(in: folder.url, "removing")
        try DurableFile.move(generation.url, over: removed.file(name))
        try DurableFile.flushFolder(of: generation.url)
        try DurableFile.remove(removed.url)
        // Else power loss might bring it back.
        try DurableFile.flushFolder(of: removed.url)
      }
    }
    report.beginsArchiveAnew = try given && folder.generations().isEmpty
    if report.beginsArchiveAnew { try folder.forgetDrill() }
  }

  private mutating func keptFolder() throws -> URL {
    let kept = try report.kept ?? files.newQuarantine(because: reason, at: new.now())
    report.kept = kept
    return kept
  }

  // MARK: Snapshots

  /// Writes each snapshot anew that the former key opens, one after the other, and gives up the former one.
  private mutating func writeSnapshots() throws {
    let all = try Snapshot.all(files)
    for snapshot in all.reversed() where try !Encryption.opens(snapshot.file(files), new) {
      let file = snapshot.file(files)
      do {
        _ = try Snapshot.verified(snapshot.id, files, former)
        // An interrupted call may have written it already.
        if try !all.contains(where: { try $0.id != snapshot.id && $0.isSame(as: snapshot) && Encryption.opens($0.file(files), new) }) {
          let folder = try WorkingFolder(in: files.snapshots, "copying")
          try DurableFile.checkFreeSpace(snapshot.bytes, in: files.snapshots, for: "a copy of the snapshot \(snapshot.id)")
          try snapshot.add(rewritten(file, in: folder).file, files)
        }
      } catch let error as StoreError where Encryption.unreadable.contains(error.code) {
        report.left.append(file)
        continue
      }
      report.snapshots += 1
      if formerFiles == .keep {
        let kept = try keptFolder()
        for part in [snapshot.description(files), file] { try move(part, into: kept) }
      } else {
        try snapshot.remove(files)
        // Else power loss might bring it back.
        try DurableFile.flushFolder(of: file)
      }
    }
  }

  /// Also to another volume.
  private func move(_ file: URL, into folder: URL) throws {
    let place = folder.appendingPathComponent(file.lastPathComponent)
    try DurableFile.copy(file, to: place)
    try DurableFile.flush(place)
    try DurableFile.flushFolder(of: place)
    try DurableFile.remove(file)
    // A description first, also after power loss, because a copy without one does not count.
    try DurableFile.flushFolder(of: file)
  }

  /// Removes what is to be removed, also of an interrupted call, and finds what can still be read as before.
  private mutating func removeFormerFiles() throws {
    for name in try Store.filesSetAside(of: files.url) {
      let folder = files.quarantine.appendingPathComponent(name)
      // Read without SQLite: the reason in a quarantine folder.
      let isOurs = (try? DurableFile.content(of: folder.appendingPathComponent("reason.txt"))) == Data((reason + "\n").utf8)
      if formerFiles == .remove, isOurs {
        try DurableFile.remove(folder)
        try DurableFile.flushFolder(of: folder)
      } else if name != report.kept?.lastPathComponent {
        report.left.append(folder)
      }
    }
    if formerFiles == .remove { report.kept = nil }
    // What a salvage has set aside beside the store.
    let aside = ["jsonl", "sqlite"].map { URL(fileURLWithPath: "\(files.path).set-aside.\($0)") }
    for file in aside where DurableFile.stands(file.path) {
      if try file.pathExtension == "jsonl" ? new.key != nil : !Encryption.opens(file, new) { report.left.append(file) }
    }
    // Copies without a description, and snapshots in the usual folder where another one was named.
    for folder in Set([files.snapshots, try StoreFiles(files.url).snapshots]) {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
      for file in names.sorted().map({ folder.appendingPathComponent($0) }) where file.pathExtension == "sqlite" {
        if try !report.left.contains(file) && !Encryption.opens(file, new) { report.left.append(file) }
      }
    }
  }
}

extension RawConnection {
  /// A hash of the rows of each table, in their order, with every value's type and bytes. The order survives writing a file anew; rowids that
  /// no column holds do not.
  func contentHashes() throws -> [String: String] {
    var hashes: [String: String] = [:]
    for table in try SQLTable.all(texts, inner: true) {
      let values = table.given.map(quoted).map { "typeof(\($0)) || CASE typeof(\($0)) WHEN 'real' THEN quote(\($0)) ELSE hex(\($0)) END" }
      var sum = SHA256Sum()
      let sql = "SELECT \(values.joined(separator: " || ',' || ")) FROM \(quoted(table.name)) \(table.hasRowID ? "ORDER BY rowid" : "")"
      try rows(BoundSQL(raw: sql)) { row in sum.add(Data((try row.text() + ";").utf8)) }
      hashes[table.name] = sum.hex
    }
    return hashes
  }
}
