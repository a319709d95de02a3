import Foundation

/// Replaces the file of a store that no connection has open.
///
/// Several files have several names, so this takes several steps, and a kill or power loss may come between any two. Before the first
/// step an intent is written; whoever finds it does the steps that are left. `<store>.holdfast/replacement/` holds the new file and, once
/// that is whole, `intent.json`: from then on the replacement happens.
///
/// 1. `new.sqlite` and `intent.json`, both flushed. 2. The store's files move to the quarantine, the log first. 3. `new.sqlite` gets the
/// store's name. 4. `intent.json` is removed, and then the folder.
///
/// A file that another process made since, where a replacement was interrupted, moves to the quarantine, too: as `<name>-2` where there
/// is a `<name>`.
struct Replacement {
  private struct Intent: Codable {
    /// The hash of the new file.
    var sha256: String
    /// The folder in the quarantine that the old files move to.
    var kept: String
    /// Why, for people.
    var reason: String
  }

  private let files: StoreFiles
  private let folder: URL
  private let lock: FolderLock

  private var new: URL { folder.appendingPathComponent("new.sqlite") }
  private var intentFile: URL { Self.intentFile(files) }

  private static func intent(of file: URL) throws -> Intent { try JSONDecoder().decode(Intent.self, from: Data(contentsOf: file)) }

  private static func intentFile(_ files: StoreFiles) -> URL { place(files).appendingPathComponent("intent.json") }

  static func isPending(_ files: StoreFiles) -> Bool { DurableFile.stands(intentFile(files).path) }

  private static func place(_ files: StoreFiles) -> URL { files.folder.appendingPathComponent("replacement") }

  /// - Throws: `.busy` when somebody else replaces this store.
  private init(_ files: StoreFiles) throws {
    self.files = files
    folder = Self.place(files)
    lock = try FolderLock(folder, busy: StoreError(.busy, "\(files.path) is being restored already", recoveryOptions: [.retry]))
  }

  /// Replaces the store by a copy of `source`, and returns the folder with the files that stood there; nil when there were none.
  ///
  /// - Throws: `.busy` when somebody has the store open; `.verificationFailed` when the copy is not what `sha256` says. Everything is then
  ///   as before.
  static func run(
    _ files: StoreFiles, by source: URL, sha256: String, because reason: String, _ options: StoreOptions
  ) throws -> URL? {
    // One that was interrupted comes first. Where it was to put the same content there, it is what was asked for.
    let interrupted = try? intent(of: intentFile(files))
    if let finished = try finish(files, options), interrupted?.sha256 == sha256 { return finished.kept }
    let replacement = try Replacement(files)
    defer { withExtendedLifetime(replacement.lock) {} }
    do {
      _ = try DurableFile.remove(replacement.new)
      try DurableFile.copy(source, to: replacement.new)
      try StoreFiles(real: replacement.new).protect(options)
      guard try SHA256Hex.ofFile(at: replacement.new) == sha256 else {
        throw StoreError(.verificationFailed, "the copy of \(source.path) differs from it")
      }
      // Held until the new file stands: nobody opens the old one meanwhile.
      let held = try replacement.lockStore(options)
      defer { withExtendedLifetime(held) {} }
      let intent = try replacement.write(Intent(sha256: sha256, kept: "", reason: reason), options)
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

  /// Does what an interrupted replacement left to do. Returns what was done; nil when there was none.
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
          .abandonedRestore, "\(intent.reason): this was interrupted, and its new file is damaged; what stood there before stays")
      }
      // The replacement began without an old file. Another process made one since.
      if intent.kept.isEmpty, !replacement.oldFiles.isEmpty { intent = try replacement.write(intent, options) }
    }
    try replacement.carryOut(intent, held, options)
    return StoreNotice(
      .finishedRestore, "\(intent.reason): this was interrupted, and is finished now", kept: replacement.kept(intent))
  }

  /// Removes the new file of a replacement that was killed before its intent was whole: nothing had begun.
  static func tidy(_ files: StoreFiles) {
    guard DurableFile.stands(place(files).path), !isPending(files), let replacement = try? Replacement(files) else { return }
    defer { withExtendedLifetime(replacement.lock) {} }
    if !isPending(files) { _ = try? DurableFile.remove(replacement.folder) }
  }

  private var oldFiles: [String] { StoreFiles.all.filter { DurableFile.stands(files.path + $0) } }

  /// Writes the intent, and makes a folder in the quarantine first where old files stand.
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

  /// Others would go on writing into the file that is moved away. Nil where there is none.
  private func lockStore(_ options: StoreOptions) throws -> FileLock? {
    try DurableFile.stands(files.path) ? FileLock.waiting(files, options) : nil
  }

  private var isToBePlaced: Bool { DurableFile.stands(new.path) && !DurableFile.isSame(new.path, files.path) }

  /// Does the steps that are left. The names of those that were done are flushed again: a kill may have come between a name and its flush.
  ///
  /// - Parameter held: the lock of the old file; nil where none stood.
  private func carryOut(_ intent: Intent, _ held: FileLock?, _ options: StoreOptions) throws {
    var held = held
    defer { withExtendedLifetime(held) {} }
    // A person may have taken the folder away since.
    if let folder = kept(intent), isToBePlaced || DurableFile.isFolder(folder.path) {
      try DurableFile.makeFolder(folder)
      for suffix in isToBePlaced ? oldFiles : [] {
        // An opening that had looked before the intent was written may have made a file.
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
    // All names are on the disk. Where the intent cannot be removed, the next opening finds nothing left to do.
    _ = try? DurableFile.remove(intentFile)
    try? DurableFile.flushFolder(of: intentFile)
    _ = try? DurableFile.remove(folder)
    try? DurableFile.flushFolder(of: folder)
  }

  private func keep(_ suffix: String, _ place: URL) throws {
    let file = files.beside(suffix)
    // On a volume that knows only links, a kill may have left both names.
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

  /// After a step that failed: puts the old files back and forgets the intent. Returns whether that could be done.
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

  /// The folder in the quarantine; nil where nothing had to be kept.
  private func kept(_ intent: Intent) -> URL? { intent.kept.isEmpty ? nil : files.quarantine.appendingPathComponent(intent.kept) }
}
