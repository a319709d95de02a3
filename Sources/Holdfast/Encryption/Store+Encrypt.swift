public import Foundation
import Logging

/// What `encrypt`, `rekey` or `decrypt` did.
public struct EncryptionReport: Sendable, Codable, Equatable {
  /// The number of rows, which are the same as before.
  public internal(set) var rows = 0
  /// The number of snapshots that were written anew, too. Their ids are new; their times and labels are as before.
  public internal(set) var snapshots = 0
  /// The folder with the former file and the former snapshots; nil where they were removed.
  public internal(set) var kept: URL?
  /// What can still be read as before: files that were set aside earlier, and snapshots that do not pass their verification. The kit does
  /// not remove them: they may hold rows that nothing else has.
  public internal(set) var left: [URL] = []
}

/// What becomes of the files of before.
public enum FormerFiles: String, Sendable, CaseIterable {
  /// They move to the quarantine folder.
  case keep
  /// They are removed, once the new files are verified and in place. A disk may still hold their bytes.
  case remove
}

extension Store {
  /// Encrypts a store that is not open, and its snapshots.
  ///
  /// Works on copies. Each is verified with the new key: SQLite's integrity check, and every row compared. Only then do they replace the
  /// store. After a kill in between, the next opening finishes the replacement; what is then left to do, the same call does again. The store
  /// can be opened with one key at every moment.
  ///
  /// Needs free space for three copies beside the store, and one of each snapshot. Exports, sources of imports and their copies are not
  /// encrypted.
  /// - Parameters:
  ///   - key: as `StoreOptions.key` from then on.
  ///   - plainFiles: what becomes of the file and the snapshots that are not encrypted.
  ///   - options: without a key.
  /// - Throws: `.encryptionUnavailable`; `.damaged`, and what to do first; `.misuse` for a store with an archive; `.verificationFailed`,
  ///   `.busy`, `.diskFull`, `.inputOutput`, `.wrongKey` when the store is encrypted with another key. The store is then as it was.
  @discardableResult
  public static func encrypt(
    at url: URL, with key: StoreKey, plainFiles: FormerFiles, options: StoreOptions = .production
  ) throws -> EncryptionReport {
    var former = options
    former.key = nil
    return try KeyChange.run(url, from: former, to: key, plainFiles, because: "encrypted")
  }

  /// Encrypts a store that is not open, and its snapshots, with another key. As `encrypt(at:with:plainFiles:options:)`.
  ///
  /// - Parameters:
  ///   - formerFiles: what becomes of the file and the snapshots that the former key opens.
  ///   - options: with the present key.
  /// - Throws: as `encrypt`; `.wrongKey`, `.notEncrypted`.
  @discardableResult
  public static func rekey(
    at url: URL, to key: StoreKey, formerFiles: FormerFiles, options: StoreOptions
  ) throws -> EncryptionReport {
    try KeyChange.run(url, from: options, to: key, formerFiles, because: "encrypted with another key")
  }

  /// Decrypts a store that is not open, and its snapshots. As `encrypt(at:with:plainFiles:options:)`.
  ///
  /// - Parameters:
  ///   - encryptedFiles: what becomes of the file and the snapshots that are encrypted.
  ///   - options: with the present key.
  /// - Throws: as `encrypt`; `.wrongKey`, `.notEncrypted`.
  @discardableResult
  public static func decrypt(
    at url: URL, encryptedFiles: FormerFiles, options: StoreOptions
  ) throws -> EncryptionReport {
    try KeyChange.run(url, from: options, to: nil, encryptedFiles, because: "decrypted")
  }
}

/// Writes a store and its snapshots anew, with another key or none.
private struct KeyChange {
  private let files: StoreFiles
  private let former: StoreOptions
  private let new: StoreOptions
  private let fate: FormerFiles
  private let reason: String
  private var report = EncryptionReport()
  /// The snapshots that this call has added.
  private var written: [Snapshot] = []

  static func run(
    _ url: URL, from former: StoreOptions, to key: StoreKey?, _ fate: FormerFiles, because reason: String
  ) throws -> EncryptionReport {
    var change = try KeyChange(url, from: former, to: key, fate, because: reason)
    return try change.run()
  }

  private init(_ url: URL, from former: StoreOptions, to key: StoreKey?, _ fate: FormerFiles, because reason: String) throws {
    try Encryption.probe(key ?? former.key)
    files = try StoreFiles(url, snapshots: former.snapshots.folder)
    var new = former
    new.key = key
    (self.former, self.new, self.fate, self.reason) = (former, new, fate, reason)
  }

  private mutating func run() throws -> EncryptionReport {
    do {
      guard former.key != new.key else { throw StoreError(.misuse, "the new key of \(files.path) is the present one") }
      guard !Replacement.isPending(files) else { throw Opening.interruptedRestore(files.path) }
      guard !ArchiveFolder(files).exists else {
        throw StoreError(
          .misuse, "\(files.path) has an archive, whose commits would stay as they are",
          suggestion: "Go on without the archive: move the folder \(ArchiveFolder(files).url.path) away, or remove it.")
      }
      if try isDone() {
        report.rows = try rowCounts(ConnectionFactory(files, new).still().texts).values.reduce(0, +)
        try settle(writeSnapshots())
      } else {
        try replaceStore()
      }
      former.logger.notice("\(reason)", metadata: ["path": "\(files.path)", "snapshots": "\(report.snapshots)"])
      return report
    } catch {
      throw StoreError(error, path: files.path)
    }
  }

  /// Whether an earlier call replaced the store already.
  private func isDone() throws -> Bool {
    do {
      try look(former)
      return false
    } catch let error as StoreError where [.wrongKey, .keyNeeded, .notEncrypted].contains(error.code) {
      guard (try? look(new)) != nil else { throw error }
      return true
    }
  }

  /// - Throws: where the file is no store that can be copied as it is.
  private func look(_ options: StoreOptions) throws {
    let look = try StoreLook(files, options)
    switch look.content {
    case .store where look.log == .sound: return
    case .store, .logWithoutFile, .interruptedRestore:
      throw StoreError(.damaged, "\(files.path) has a log that does not belong to it", suggestion: "Open the store for writing first.")
    case .missing, .empty: throw StoreError(.notFound, "there is no store at \(files.path)")
    case .foreign(let tables): throw Opening.foreign(files.path, tables)
    }
  }

  private mutating func replaceStore() throws {
    let folder = try WorkingFolder(beside: files.url, "encrypting")
    let present = StoreFiles(real: folder.file("present.sqlite"))
    let needed = files.bytes.multipliedReportingOverflow(by: 3)
    try DurableFile.checkFreeSpace(needed.overflow ? .max : needed.partialValue, in: files.parent, for: "copies of \(files.path)")
    let state: StoreFiles.State
    do {
      let lock = try FileLock.waiting(files, former)
      defer { withExtendedLifetime(lock) {} }
      state = StoreFiles.State(files)
      try files.copy(to: present.url)
    }
    try Snapshot.makeStandAlone(ConnectionFactory(present.path, former).working(), present.url, former)
    let (file, found) = try anew(present.url, in: folder)
    guard found.damage.isEmpty else {
      throw StoreError(
        .damaged, "\(files.path) is damaged: \(found.damage.first ?? "")", suggestion: "Heal the store first; nothing was changed.")
    }
    report.rows = found.rows.values.reduce(0, +)
    let snapshots = try writeSnapshots()
    do {
      report.kept = try Replacement.run(files, by: file, sha256: SHA256Hex.ofFile(at: file), because: reason, since: state, new)
    } catch {
      if !Replacement.isPending(files) { for snapshot in written { try? snapshot.remove(files) } }
      throw error
    }
    try settle(snapshots)
  }

  /// A copy of a whole file that needs no log, with the new key.
  ///
  /// - Throws: `.verificationFailed` when the copy differs.
  private func anew(_ file: URL, in folder: WorkingFolder) throws -> (file: URL, found: (rows: [String: Int], damage: [String])) {
    let copy = folder.file("anew.sqlite")
    _ = try DurableFile.remove(copy)
    try DurableFile.copy(file, to: copy)
    try StoreFiles(real: copy).protect(new)
    let found: (rows: [String: Int], damage: [String])
    do {
      let connection = try ConnectionFactory(copy.path, former).working()
      found = (try rowCounts(connection.texts), try Snapshot.damage(connection))
      guard found.damage.isEmpty else { return (copy, found) }
      // A file that is not encrypted is on the disk anyway, before or after.
      try Encryption.change(connection, to: new.key, sortsInFiles: former.key == nil || new.key == nil)
    }
    try DurableFile.flush(copy)
    let written = Encryption.Found(try FileBytes(copy).read(24))
    guard (written == .encrypted) == (new.key != nil), written != .unknown else {
      throw StoreError(.verificationFailed, "SQLite did not write \(copy.path) as it was told; nothing was changed")
    }
    let damage = try Snapshot.damage(ConnectionFactory(copy.path, new).working())
    let differences = try StoreDifference.between(ConnectionFactory(file.path, former), ConnectionFactory(copy.path, new))
    guard damage.isEmpty, differences.isEmpty else {
      throw StoreError(
        .verificationFailed,
        "written anew, \(file.path) differs: \(damage.first ?? differences.first.map { "rows of \($0.table)" } ?? ""); nothing was changed")
    }
    return (copy, found)
  }

  /// Writes each snapshot anew that only the former key opens. Returns those.
  private mutating func writeSnapshots() throws -> [Snapshot] {
    var former: [Snapshot] = []
    let all = try Snapshot.all(files)
    for snapshot in all.reversed() where try !opens(snapshot.file(files), new) {
      do {
        _ = try Snapshot.verified(snapshot.id, files, self.former)
      } catch let error as StoreError where [.verificationFailed, .damaged, .wrongKey, .notADatabase].contains(error.code) {
        report.left.append(snapshot.file(files))
        continue
      }
      // An interrupted call may have written it already.
      if try !all.contains(where: { try $0.isSame(as: snapshot) && $0.id != snapshot.id && opens($0.file(files), new) }) {
        let folder = try WorkingFolder(in: files.snapshots, "copying")
        try DurableFile.checkFreeSpace(snapshot.bytes, in: files.snapshots, for: "a copy of the snapshot \(snapshot.id)")
        let (file, found) = try anew(snapshot.file(files), in: folder)
        guard found.damage.isEmpty else {
          // A copy of a damaged store.
          report.left.append(snapshot.file(files))
          continue
        }
        written.append(try snapshot.added(file, files))
      }
      report.snapshots += 1
      former.append(snapshot)
    }
    return former
  }

  private func opens(_ file: URL, _ options: StoreOptions) throws -> Bool {
    let found = Encryption.Found(try FileBytes(file).read(24))
    guard (found == .encrypted) == (options.key != nil) else { return false }
    do {
      _ = try ConnectionFactory(file.path, options).still().texts("SELECT 1 FROM sqlite_schema LIMIT 1")
      return true
    } catch let error as StoreError where error.code == .wrongKey {
      return false
    }
  }

  /// Removes what only the former key opens, or sets it aside.
  private mutating func settle(_ snapshots: [Snapshot]) throws {
    if fate == .keep, report.kept == nil, !snapshots.isEmpty {
      report.kept = try files.newQuarantine(because: reason, at: new.now())
    }
    for snapshot in snapshots {
      if let kept = report.kept, fate == .keep {
        for file in [snapshot.description(files), snapshot.file(files)] {
          try DurableFile.place(file, at: kept.appendingPathComponent(file.lastPathComponent))
        }
      } else {
        try snapshot.remove(files)
      }
    }
    let aside = try Store.filesSetAside(of: files.url).map { files.quarantine.appendingPathComponent($0) }
    for folder in aside where folder.lastPathComponent != report.kept?.lastPathComponent || fate == .remove {
      // Also that of an interrupted call.
      let isOurs = (try? DurableFile.content(of: folder.appendingPathComponent("reason.txt"))) == Data((reason + "\n").utf8)
      if isOurs, fate == .remove { try DurableFile.remove(folder) } else { report.left.append(folder) }
    }
    if fate == .remove { report.kept = nil }
  }
}
