import Foundation
import Logging

/// Replaces the file of a store that no connection has open: the ending of every way back of a closed store.
///
/// A store has several files, so a replacement takes several steps, and a kill or power loss may come between any two.
/// `<store>.holdfast/replacement/` holds the new file and what else was made with it, and then `intent.json`, which names all of it. From then
/// on the replacement is certain: whoever next looks at the store does the remaining steps, whatever began them.
///
/// 1. Move the new files into the folder, and write `intent.json`. 2. Move the store's files to the quarantine, the log first, and what is to
/// be kept with them. 3. Rename `new.sqlite` to the store's name. 4. Remove `intent.json`, and then the folder.
///
/// If another process has made a file since a replacement was interrupted, that file moves to the quarantine, too: as `<name>-2` where
/// `<name>` exists.
struct Replacement {
  private struct Intent: Codable {
    /// The hash of the new file.
    var sha256: String
    /// The folder in the quarantine that the old files and `aside` move to; empty where there are none.
    var kept: String
    /// What was done, for people.
    var reason: String
    /// The names of the other new files.
    var aside: [String]?
  }

  private let files: StoreFiles
  private let folder: URL
  private let lock: FolderLock

  private var new: URL { Self.newFile(files) }
  private var intentFile: URL { Self.intentFile(files) }

  // Read without SQLite: the JSON of an intent.
  private static func intent(of file: URL) throws -> Intent { try JSONDecoder().decode(Intent.self, from: DurableFile.content(of: file)) }

  private static func intentFile(_ files: StoreFiles) -> URL { place(files).appendingPathComponent("intent.json") }

  static func newFile(_ files: StoreFiles) -> URL { place(files).appendingPathComponent("new.sqlite") }

  static func isPending(_ files: StoreFiles) -> Bool { DurableFile.stands(intentFile(files).path) }

  private static func place(_ files: StoreFiles) -> URL { files.folder.appendingPathComponent("replacement") }

  /// - Parameter wait: how long to wait for another process; nil: does not wait.
  /// - Throws: `.busy` when another process replaces this store.
  private init(_ files: StoreFiles, _ wait: LockWait? = nil) throws {
    self.files = files
    folder = Self.place(files)
    lock = try FolderLock(
      folder, wait, busy: StoreError(.busy, "another process is replacing \(files.path)", recoveryOptions: [.retry]))
  }

  /// Replaces the store's file by the new content. Returns the quarantine folder with the replaced files; nil when there were none.
  ///
  /// - Throws: `.busy` when another connection has the store open, or has changed it since `way.since`. Nothing has changed then.
  static func run(_ way: WayBack) throws -> URL? {
    let (files, options) = (way.files, way.options)
    // Finishes an interrupted replacement first. If that one did the same, nothing else is left to do.
    let interrupted = try? intent(of: intentFile(files))
    if let done = try finish(files, options), done.kind == .finishedRestore, interrupted?.reason == way.reason { return done.kept }
    try files.checkMayReplace()
    let replacement = try Replacement(files)
    defer { withExtendedLifetime(replacement.lock) {} }
    do {
      try replacement.take(way)
      // Held until the new file is in place, so that no process opens the old one meanwhile.
      let held = try replacement.lockStore(options)
      defer { withExtendedLifetime(held) {} }
      if let state = way.since, StoreFiles.State(files) != state { throw files.changedMeanwhile }
      let aside = way.aside.map(\.lastPathComponent)
      let intent = try replacement.write(
        Intent(sha256: SHA256Hex.ofFile(at: replacement.new), kept: "", reason: way.reason, aside: aside.isEmpty ? nil : aside), options)
      do {
        try replacement.carryOut(intent, held, options)
      } catch {
        guard replacement.undo(intent) else {
          throw StoreError(
            .inputOutput, "replacing \(files.path) was interrupted; the next command or opening finishes it", cause: error)
        }
        throw error
      }
      return replacement.kept(intent)
    } catch {
      if !isPending(files) { _ = try? DurableFile.remove(replacement.folder) }
      throw error
    }
  }

  /// Moves the new files into the folder.
  private func take(_ way: WayBack) throws {
    _ = try DurableFile.remove(new)
    try StoreFiles(real: way.file).protect(way.options)
    try DurableFile.flush(way.file)
    try DurableFile.place(way.file, at: new)
    for file in way.aside { try DurableFile.move(file, over: folder.appendingPathComponent(file.lastPathComponent)) }
  }

  /// Finishes an interrupted replacement, or undoes it where its new file is damaged. Returns what was done; nil when there was none.
  ///
  /// - Throws: `.busy` while another process is at work; what keeps this process from finishing it.
  static func finish(_ files: StoreFiles, _ options: StoreOptions) throws -> StoreNotice? {
    guard isPending(files) else { return nil }
    do {
      let replacement = try Replacement(files, LockWait(options))
      defer { withExtendedLifetime(replacement.lock) {} }
      guard isPending(files) else { return nil }
      let notice = try replacement.finish(options)
      options.logger.notice("\(notice.message)", metadata: ["path": "\(files.path)"])
      return notice
    } catch var error as StoreError where [.permissionDenied, .cannotCreate].contains(error.code) {
      error.message = "replacing \(files.path) was interrupted, and cannot be finished: \(error.message)"
      error.suggestion = "Give this program permission to write to \(files.folder.path) and to the folder of the store."
      throw error
    }
  }

  private func finish(_ options: StoreOptions) throws -> StoreNotice {
    var intent: Intent
    do {
      intent = try Self.intent(of: intentFile)
    } catch {
      throw StoreError(
        .damaged, "replacing \(files.path) was interrupted, and \(intentFile.path) cannot be read",
        suggestion: "The old files are in \(files.quarantine.path) or still in their place; \(new.path) is the new one.",
        cause: error)
    }
    var held: FileLock?
    defer { withExtendedLifetime(held) {} }
    if isToBePlaced {
      held = try lockStore(options)
      guard try SHA256Hex.ofFile(at: new) == intent.sha256 else {
        guard undo(intent) else {
          throw StoreError(
            .damaged, "replacing \(files.path) was interrupted, and its new file \(new.path) is damaged",
            suggestion: "The old files are in \(files.quarantine.path). Move \(folder.path) away to go on with them.")
        }
        _ = try? DurableFile.remove(folder)
        return StoreNotice(
          .abandonedRestore, "\(intent.reason): this was interrupted, and its new file is damaged; the old files stay in place")
      }
      // The replacement began without an old file. Another process made one since.
      if intent.kept.isEmpty, !oldFiles.isEmpty { intent = try write(intent, options) }
    }
    try carryOut(intent, held, options)
    return StoreNotice(.finishedRestore, "\(intent.reason): this was interrupted, and is finished now", kept: kept(intent))
  }

  /// Removes the new file of a replacement that was killed before its intent was whole. No store file had been moved then.
  static func tidy(_ files: StoreFiles) {
    guard DurableFile.stands(place(files).path), !isPending(files), let replacement = try? Replacement(files) else { return }
    defer { withExtendedLifetime(replacement.lock) {} }
    if !isPending(files) { _ = try? DurableFile.remove(replacement.folder) }
  }

  private var oldFiles: [String] { StoreFiles.all.filter { DurableFile.stands(files.path + $0) } }

  /// Writes the intent. Where there is something to keep, names a quarantine folder for it, which `carryOut` makes.
  private func write(_ intent: Intent, _ options: StoreOptions) throws -> Intent {
    var intent = intent
    let keeps = !oldFiles.isEmpty || intent.aside != nil
    intent.kept = keeps ? files.freeQuarantine(at: options.now()).lastPathComponent : ""
    try DurableFile.replace(intentFile, with: try JSONEncoder().encode(intent))
    return intent
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
    let aside = (intent.aside ?? []).map(folder.appendingPathComponent).filter { DurableFile.stands($0.path) }
    // A person may have removed the folder since.
    if let kept = kept(intent), isToBePlaced || !aside.isEmpty || DurableFile.isFolder(kept.path) {
      try files.makeQuarantine(kept, because: intent.reason)
      for suffix in isToBePlaced ? oldFiles : [] {
        // An opening that had looked before the intent was written may have made a new file.
        if held == nil { held = try lockStore(options) }
        try keep(files.beside(suffix), kept.appendingPathComponent(files.url.lastPathComponent + suffix))
      }
      for file in aside { try keep(file, kept.appendingPathComponent(file.lastPathComponent)) }
    }
    try DurableFile.flushFolder(of: files.url)
    if isToBePlaced { try DurableFile.place(new, at: files.url) }
    guard DurableFile.stands(files.path) else {
      throw StoreError(.damaged, "replacing \(files.path) was interrupted, and its new file is gone")
    }
    try? StoreHealth.change(files) { $0.damage = nil }
    noteForArchive(intent, options)
    // All names are flushed. If the intent cannot be removed, the next opening finds no step left.
    _ = try? DurableFile.remove(intentFile)
    try? DurableFile.flushFolder(of: intentFile)
    _ = try? DurableFile.remove(folder)
    try? DurableFile.flushFolder(of: folder)
  }

  /// Tells the archive, until the next opening makes a gap, why the file is another. Otherwise the gap only says that it differs.
  private func noteForArchive(_ intent: Intent, _ options: StoreOptions) {
    let archive = ArchiveFolder(files)
    guard archive.exists else { return }
    let time = DateCodec.iso8601(DateCodec.milliseconds(options.now()) ?? 0, fraction: true)
    try? DurableFile.replace(archive.replaced, with: Data("\(intent.reason) at \(time), while the store was closed".utf8))
  }

  private func keep(_ file: URL, _ place: URL) throws {
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
        try files.removeQuarantine(folder, with: intent.aside ?? [])
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

extension StoreFiles {
  /// Finishes a way back that was interrupted, as every opening does. Returns what was done; nil when there was none.
  package func finishReplacement(_ options: StoreOptions) throws -> StoreNotice? { try Replacement.finish(self, options) }
}
