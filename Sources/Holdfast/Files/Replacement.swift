import Foundation

/// Replaces the file of a store that no connection has open.
///
/// A store has several files, so a replacement takes several steps, and a kill or power loss may come between any two.
/// `<store>.holdfast/replacement/` holds the new file and then, once that is whole, `intent.json`. From then on the replacement is certain:
/// the next opening finds the intent and does the remaining steps.
///
/// 1. Write and flush `new.sqlite` and `intent.json`. 2. Move the store's files to the quarantine, the log first. 3. Rename `new.sqlite` to
/// the store's name. 4. Remove `intent.json`, and then the folder.
///
/// If another process has made a file since a replacement was interrupted, that file moves to the quarantine, too: as `<name>-2` where
/// `<name>` exists.
struct Replacement {
  private struct Intent: Codable {
    /// The hash of the new file.
    var sha256: String
    /// The hash of the file that was copied: another one where a search index was made again in the copy. Nil: `sha256`.
    var source: String?
    /// The folder in the quarantine that the old files move to.
    var kept: String
    /// The reason for the replacement, for people.
    var reason: String
  }

  private let files: StoreFiles
  private let folder: URL
  private let lock: FolderLock

  private var new: URL { Self.newFile(files) }
  private var intentFile: URL { Self.intentFile(files) }

  private static func intent(of file: URL) throws -> Intent { try JSONDecoder().decode(Intent.self, from: DurableFile.content(of: file)) }

  private static func intentFile(_ files: StoreFiles) -> URL { place(files).appendingPathComponent("intent.json") }

  static func newFile(_ files: StoreFiles) -> URL { place(files).appendingPathComponent("new.sqlite") }

  static func isPending(_ files: StoreFiles) -> Bool { DurableFile.stands(intentFile(files).path) }

  private static func place(_ files: StoreFiles) -> URL { files.folder.appendingPathComponent("replacement") }

  /// - Throws: `.busy` when another process replaces this store.
  private init(_ files: StoreFiles) throws {
    self.files = files
    folder = Self.place(files)
    lock = try FolderLock(folder, busy: StoreError(.busy, "\(files.path) is being restored already", recoveryOptions: [.retry]))
  }

  /// Replaces the store by a copy of `source`. Returns the quarantine folder with the replaced files; nil when there were none.
  ///
  /// - Parameter state: of the store's files when `source` was made from them.
  /// - Throws: `.busy` when another connection has the store open, or has changed it since `state`; `.verificationFailed` when the copy's
  ///   hash is not `sha256`. Nothing has changed then.
  static func run(
    _ files: StoreFiles, by source: URL, sha256: String, because reason: String, since state: StoreFiles.State? = nil,
    _ options: StoreOptions, remakesSearchIndexes: Bool = false
  ) throws -> URL? {
    // Finishes an interrupted replacement first. If that one had the same source, nothing else is left to do.
    let interrupted = try? intent(of: intentFile(files))
    if let done = try finish(files, options), done.kind == .finishedRestore, interrupted.map({ $0.source ?? $0.sha256 }) == sha256 {
      return done.kept
    }
    try files.checkMayReplace()
    let replacement = try Replacement(files)
    defer { withExtendedLifetime(replacement.lock) {} }
    do {
      _ = try DurableFile.remove(replacement.new)
      try DurableFile.copy(source, to: replacement.new)
      try StoreFiles(real: replacement.new).protect(options)
      guard try SHA256Hex.ofFile(at: replacement.new) == sha256 else {
        throw StoreError(.verificationFailed, "the copy of \(source.path) differs from it")
      }
      let hash = try remakesSearchIndexes && replacement.remakeSearchIndexes(options) ? SHA256Hex.ofFile(at: replacement.new) : sha256
      // Held until the new file is in place, so that no process opens the old one meanwhile.
      let held = try replacement.lockStore(options)
      defer { withExtendedLifetime(held) {} }
      if let state { try files.checkUnchanged(since: state) }
      let intent = try replacement.write(Intent(sha256: hash, source: sha256, kept: "", reason: reason), options)
      let kept = replacement.kept(intent)
      do {
        try replacement.carryOut(intent, held, options)
      } catch {
        guard replacement.undo(intent) else {
          throw StoreError(
            .inputOutput, "restoring \(files.path) was interrupted; the next opening for writing finishes it", cause: error)
        }
        if let kept { _ = try? DurableFile.remove(kept) }
        throw error
      }
      return kept
    } catch {
      if !isPending(files) { _ = try? DurableFile.remove(replacement.folder) }
      throw error
    }
  }

  /// Returns whether the new file has changed.
  private func remakeSearchIndexes(_ options: StoreOptions) throws -> Bool {
    guard try ConnectionFactory(new.path, options).working().remakeSearchIndexes().remade else { return false }
    try DurableFile.flush(new)
    return true
  }

  /// Finishes an interrupted replacement. Returns what was done; nil when there was none.
  static func finish(_ files: StoreFiles, _ options: StoreOptions) throws -> StoreNotice? {
    guard DurableFile.stands(place(files).path) else { return nil }
    let replacement = try Replacement(files)
    defer { withExtendedLifetime(replacement.lock) {} }
    guard isPending(files) else { return nil }
    var intent: Intent
    do {
      intent = try Self.intent(of: replacement.intentFile)
    } catch {
      throw StoreError(
        .damaged, "a restore of \(files.path) was interrupted, and \(replacement.intentFile.path) cannot be read",
        suggestion: "The old files are in \(files.quarantine.path) or still in their place; \(replacement.new.path) is the new one.",
        cause: error)
    }
    var held: FileLock?
    defer { withExtendedLifetime(held) {} }
    if replacement.isToBePlaced {
      held = try replacement.lockStore(options)
      guard try SHA256Hex.ofFile(at: replacement.new) == intent.sha256 else {
        guard replacement.undo(intent) else {
          throw StoreError(
            .damaged, "a restore of \(files.path) was interrupted, and its new file \(replacement.new.path) is damaged",
            suggestion: "The old files are in \(files.quarantine.path). Move \(replacement.folder.path) away to go on without the restore.")
        }
        _ = try? DurableFile.remove(replacement.folder)
        return StoreNotice(
          .abandonedRestore, "\(intent.reason): this was interrupted, and its new file is damaged; the old files stay in place")
      }
      // The replacement began without an old file. Another process made one since.
      if intent.kept.isEmpty, !replacement.oldFiles.isEmpty { intent = try replacement.write(intent, options) }
    }
    try replacement.carryOut(intent, held, options)
    return StoreNotice(
      .finishedRestore, "\(intent.reason): this was interrupted, and is finished now", kept: replacement.kept(intent))
  }

  /// Removes the new file of a replacement that was killed before its intent was whole. No store file had been moved then.
  static func tidy(_ files: StoreFiles) {
    guard DurableFile.stands(place(files).path), !isPending(files), let replacement = try? Replacement(files) else { return }
    defer { withExtendedLifetime(replacement.lock) {} }
    if !isPending(files) { _ = try? DurableFile.remove(replacement.folder) }
  }

  private var oldFiles: [String] { StoreFiles.all.filter { DurableFile.stands(files.path + $0) } }

  /// Writes the intent. Where old files are in place, first makes a quarantine folder for them.
  private func write(_ intent: Intent, _ options: StoreOptions) throws -> Intent {
    var intent = intent
    let kept = try oldFiles.isEmpty ? nil : files.newQuarantine(because: intent.reason, at: options.now())
    intent.kept = kept?.lastPathComponent ?? ""
    do {
      try DurableFile.replace(intentFile, with: try JSONEncoder().encode(intent))
      return intent
    } catch {
      if let kept { _ = try? DurableFile.remove(kept) }
      throw error
    }
  }

  /// Locks the old file, so that no process goes on writing into it after it is moved away. Nil where there is no old file.
  private func lockStore(_ options: StoreOptions) throws -> FileLock? {
    try DurableFile.stands(files.path) ? FileLock.waiting(files, options) : nil
  }

  private var isToBePlaced: Bool { DurableFile.stands(new.path) && !DurableFile.isSame(new.path, files.path) }

  /// Does the remaining steps. Flushes the names of the finished steps again: a kill may have come between a rename and its flush.
  ///
  /// - Parameter held: the lock of the old file; nil where there was none.
  private func carryOut(_ intent: Intent, _ held: FileLock?, _ options: StoreOptions) throws {
    var held = held
    defer { withExtendedLifetime(held) {} }
    // A person may have removed the folder since.
    if let folder = kept(intent), isToBePlaced || DurableFile.isFolder(folder.path) {
      try DurableFile.makeFolder(folder)
      for suffix in isToBePlaced ? oldFiles : [] {
        // An opening that had looked before the intent was written may have made a new file.
        if held == nil { held = try lockStore(options) }
        try keep(suffix, folder.appendingPathComponent(files.url.lastPathComponent + suffix))
      }
      try DurableFile.flushFolder(of: folder.appendingPathComponent("reason.txt"))
    }
    try DurableFile.flushFolder(of: files.url)
    if isToBePlaced { try DurableFile.place(new, at: files.url) }
    guard DurableFile.stands(files.path) else {
      throw StoreError(.damaged, "a restore of \(files.path) was interrupted, and its new file is gone")
    }
    StoreHealth.change(files) { $0.damage = nil }
    noteForArchive(intent, options)
    // All names are flushed. If the intent cannot be removed, the next opening finds no step left.
    _ = try? DurableFile.remove(intentFile)
    try? DurableFile.flushFolder(of: intentFile)
    _ = try? DurableFile.remove(folder)
    try? DurableFile.flushFolder(of: folder)
  }

  /// The archive does not know the new file. This tells why, until the next opening makes a gap for it. Without it the gap only says that
  /// the file differs.
  private func noteForArchive(_ intent: Intent, _ options: StoreOptions) {
    let archive = ArchiveFolder(files)
    guard archive.exists else { return }
    let time = DateCodec.iso8601(DateCodec.milliseconds(options.now()) ?? 0, fraction: true)
    try? DurableFile.replace(archive.replaced, with: Data("\(intent.reason) at \(time), while the store was closed".utf8))
  }

  private func keep(_ suffix: String, _ place: URL) throws {
    let file = files.beside(suffix)
    // On a volume without exclusive renames, a kill may have left both names.
    if DurableFile.isSame(file.path, place.path) {
      try DurableFile.flushFolder(of: place)
      try DurableFile.remove(file)
      return
    }
    // Another process made this file after the replacement was interrupted.
    var (free, number) = (place, 2)
    while DurableFile.stands(free.path) {
      free = URL(fileURLWithPath: "\(place.path)-\(number)")
      number += 1
    }
    try DurableFile.place(file, at: free)
  }

  /// Puts the old files back after a failed step, and removes the intent. Returns whether that succeeded.
  private func undo(_ intent: Intent) -> Bool {
    do {
      if !DurableFile.stands(new.path) { try DurableFile.place(files.url, at: new) }
      if let folder = kept(intent) {
        for suffix in StoreFiles.all.reversed() {
          let old = folder.appendingPathComponent(files.url.lastPathComponent + suffix)
          if DurableFile.stands(old.path) { try DurableFile.place(old, at: files.beside(suffix)) }
        }
        try DurableFile.flushFolder(of: files.url)
      }
      try DurableFile.remove(intentFile)
      try DurableFile.flushFolder(of: intentFile)
      return true
    } catch {
      return false
    }
  }

  /// The quarantine folder for the old files; nil where there were none.
  private func kept(_ intent: Intent) -> URL? { intent.kept.isEmpty ? nil : files.quarantine.appendingPathComponent(intent.kept) }
}
