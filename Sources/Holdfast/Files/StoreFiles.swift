package import Foundation

/// The files of one store: the database, SQLite's files beside it, the folder of snapshots and quarantine, and working files.
///
/// The only code that knows their names. Looking: `StoreLook.swift`; a log that was left: `LeftLog.swift`; setting files aside:
/// `StoreFiles+Quarantine.swift`; replacing the store: `Replacement.swift`.
package struct StoreFiles: Sendable {
  /// The database's real path; links are already followed.
  package let url: URL

  /// The folder of the snapshots. It may be on another volume.
  let snapshots: URL

  /// - Parameter folder: `SnapshotOptions.folder`.
  /// - Throws: the errors of `DurableFile.real`. Links are followed because SQLite keeps the log beside the real file.
  package init(_ url: URL, snapshots folder: URL? = nil) throws { self.init(real: try DurableFile.real(url), snapshots: folder) }

  init(real url: URL, snapshots folder: URL? = nil) {
    self.url = url
    snapshots =
      folder?.appendingPathComponent(url.lastPathComponent + ".snapshots")
      ?? URL(fileURLWithPath: url.path + ".holdfast").appendingPathComponent("snapshots")
  }

  package var path: String { url.path }
  /// The log: commits that are not in the file yet.
  package var log: URL { beside("-wal") }
  /// SQLite's index of the log. SQLite can make it anew.
  var index: URL { beside("-shm") }
  /// The rollback journal of a program that uses no log: it undoes a transaction.
  var journal: URL { beside("-journal") }
  /// The folder for snapshots, for files set aside, and for a replacement under way.
  package var folder: URL { beside(".holdfast") }
  var quarantine: URL { folder.appendingPathComponent("quarantine") }
  /// Every commit, for going back to any moment; see `Archiver`.
  var archive: URL { folder.appendingPathComponent("archive") }
  /// Empty; locked by the process that syncs the store.
  var sync: URL { folder.appendingPathComponent("sync") }
  var parent: URL { url.deletingLastPathComponent() }

  var noArchive: StoreError {
    if let taken = [folder, archive].first(where: { DurableFile.stands($0.path) && !DurableFile.isFolder($0.path) }) {
      return StoreError(
        .cannotCreate, "\(path) has no archive: \(taken.path) is not a folder, and the archive's folder should be there",
        suggestion: "Move it to another place, and begin the archive then.")
    }
    return StoreError(
      .notFound, "\(path) has no archive",
      suggestion: "Open the store with `options.archive.mode = .begins`; earlier states are not kept.")
  }

  /// The suffixes of SQLite's files beside the database; the log first.
  package static let sidecars = logs + ["-shm"]
  /// The sidecars and then the database.
  static let all = sidecars + [""]
  /// The suffixes of files that hold committed content, or that undo an unfinished transaction.
  package static let logs = ["-wal", "-journal"]

  var archivedElsewhere: StoreError {
    StoreError(
      .busy, "another process archives \(path)",
      suggestion: "Let that program do it, in an app for example with `Store.rewind(to:)`, or close that program and try again.",
      recoveryOptions: [.retry])
  }

  package func beside(_ suffix: String) -> URL { URL(fileURLWithPath: url.path + suffix) }

  /// The size of the database and its log, in bytes.
  package var bytes: Int64 { DurableFile.size(path) + DurableFile.size(log.path) }

  var hasLog: Bool { DurableFile.size(log.path) > 0 }
  var hasJournal: Bool { DurableFile.size(journal.path) > 0 }

  /// Whether there is an index, or room for one. SQLite makes it beside the file even for a read; a failed try would leave empty files.
  var hasRoomForIndex: Bool { DurableFile.size(index.path) > 0 || DurableFile.freeBytes(in: parent).map { $0 >= 65_536 } ?? true }

  /// - Throws: `.cannotCreate` when a folder was chosen for the snapshots and is not there: a new one could hide that its volume is missing.
  func makeSnapshotFolder(_ options: StoreOptions) throws {
    let parent = snapshots.deletingLastPathComponent()
    guard parent.path == folder.path || DurableFile.isFolder(parent.path) else {
      throw StoreError(
        .cannotCreate, "there is no folder \(parent.path) for snapshots of \(path)", suggestion: "Connect its volume, or make the folder.")
    }
    try DurableFile.makeFolder(snapshots)
    try leaveOutOfBackups(snapshots, options)
  }

  /// Whether the snapshot folder holds a snapshot, or cannot be read.
  var mayHaveSnapshots: Bool {
    guard DurableFile.stands(snapshots.path) else { return false }
    let names = try? FileManager.default.contentsOfDirectory(atPath: snapshots.path)
    return names?.contains { $0.hasSuffix(".sqlite") || $0.hasSuffix(".json") } ?? true
  }

  /// Shows whether another process wrote to the store meanwhile: number, size and time of the file and, unless `withoutLog`, of its log.
  struct State: Equatable, Sendable {
    private let numbers: [Int64]

    init(_ files: StoreFiles, withoutLog: Bool = false) {
      numbers = (withoutLog ? [files.path] : [files.path, files.log.path]).flatMap {
        [Int64(bitPattern: DurableFile.number($0)), DurableFile.size($0), DurableFile.changedAt($0)]
      }
    }
  }

  /// The error of a way back whose new content was made of files that have changed since.
  var changedMeanwhile: StoreError {
    StoreError(
      .busy, "\(path) was changed by another program while its new content was made; nothing was replaced",
      suggestion: "Do the same again.",
      recoveryOptions: [.retry])
  }

  /// Call after reading without a lock. Throws `.busy` when another process has written since `state`: the reading then mixes two states.
  func checkUnchanged(since state: State) throws {
    guard State(self) != state else { return }
    throw StoreError(
      .busy, "\(path) was changed by another program while it was read without a lock", suggestion: "Open it again.",
      recoveryOptions: [.retry])
  }

  /// The longest path for a new store, in bytes. SQLite opens no file whose path has more than 504, and the longest one of a working file, in
  /// the folder of a salvage in the folder of a healing, has up to 124 bytes more than the store's.
  static let longestPathBytes = 360

  var pathIsTooLong: StoreError {
    StoreError(
      .invalidValue,
      "the path of \(path) is too long: SQLite opens none of more than 504 bytes, and those of a store's working files are longer",
      suggestion: "Choose a path of at most \(Self.longestPathBytes) bytes. Move a store that is there already, with its folder .holdfast.")
  }

  /// - Throws: `.invalidValue` for a path longer than `longestPathBytes`, for a name that leaves no room for the folder's, and for a name like
  ///   `X-wal` beside a database `X`: SQLite would delete the store when it opens `X`.
  func checkName() throws {
    for suffix in Self.sidecars where path.hasSuffix(suffix) {
      let database = String(path.dropLast(suffix.count))
      guard DurableFile.stands(database) else { continue }
      throw StoreError(
        .invalidValue, "SQLite would delete \(path) as a file of \(database)", suggestion: "Choose another name for the store.")
    }
    // A copy in a working folder has a longer path than the store that it is made for.
    guard path.utf8.count <= Self.longestPathBytes || path.contains("/" + WorkingFolder.prefix) else { throw pathIsTooLong }
    // File systems allow 255 bytes for a name. With a longer one, no snapshot could be made later.
    guard folder.lastPathComponent.utf8.count <= 255 else {
      throw StoreError(
        .invalidValue, "the name of \(path) is too long: no folder could be called \(folder.lastPathComponent)",
        suggestion: "Choose a name of at most 246 bytes.")
    }
  }

  // MARK: What may be written

  /// Call before a replacement of the store is built.
  ///
  /// - Throws: `.permissionDenied` where this process may not write to the file or its folder; as `checkOneName`.
  package func checkMayReplace() throws {
    for place in [path, parent.path] { try checkPermission(place) }
    try checkOneName()
  }

  func checkPermission(_ place: String) throws {
    guard DurableFile.stands(place), !DurableFile.mayWrite(place) else { return }
    throw StoreError(
      .permissionDenied, "\(place) may not be written to",
      suggestion: "Get the permission to write to the file and its folder, or copy the store to another folder and use the copy.")
  }

  /// Call before anything is written to the store. First removes the names that an interrupted placing of ours left.
  ///
  /// - Throws: `.invalidValue` where the file has other names: SQLite keeps the log beside the name by which it opens the file. Under a second
  ///   name the log's commits are missing, and what is written there mixes with them.
  func checkOneName() throws {
    guard DurableFile.hardLinks(path) > 1, !Replacement.isPending(self) else { return }
    WorkingFolder.removeAbandoned(in: parent)
    Replacement.tidy(self)
    guard let words = otherNames else { return }
    throw StoreError(
      .invalidValue, words,
      suggestion:
        "Remove the other names, which `find -samefile` finds, or copy the file with its -wal file, if it has one, and use the copy.")
  }

  /// Says that the file has other names (hard links); nil where it has none but those that an interrupted placing of ours left.
  package var otherNames: String? {
    let all = DurableFile.hardLinks(path)
    guard all > 1 else { return nil }
    let working = ((try? FileManager.default.contentsOfDirectory(atPath: parent.path)) ?? []).filter { $0.hasPrefix(WorkingFolder.prefix) }
    let own =
      working.map { parent.appendingPathComponent($0).appendingPathComponent(url.lastPathComponent) } + [Replacement.newFile(self)]
    let others = all - 1 - own.count { DurableFile.isSame($0.path, path) }
    guard others > 0 else { return nil }
    return
      "\(path) has \(others == 1 ? "another name" : "\(others) other names") (hard links), and commits may be in a log beside another name"
  }

  /// - Throws: `.misuse` when writing to `target` would overwrite the store or a file of its own.
  package func checkIsNotOwn(_ target: URL) throws {
    // `target` need not exist, and its folders may be links.
    let place = target.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(target.lastPathComponent)
    let own = [url, log, index, journal, folder, snapshots].map(\.path)
    // Compares files as well as paths: some volumes treat STORE.sqlite and store.sqlite as one name.
    func isOwn(_ path: String) -> Bool { own.contains { $0 == path || DurableFile.isSame($0, path) } }
    func isInside(_ url: URL) -> Bool {
      var url = url
      while url.pathComponents.count > 1 {
        if isOwn(url.path) { return true }
        url.deleteLastPathComponent()
      }
      return false
    }
    guard !isInside(place), !isInside(place.resolvingSymlinksInPath()) else {
      throw StoreError(.misuse, "\(target.path) belongs to the store itself", suggestion: "Choose another file to write to.")
    }
  }

  /// Call before a copy of the store is made beside it and the same amount is written to the log.
  func checkFreeSpace(for what: String) throws {
    try DurableFile.checkFreeSpace(copyingBytes, in: parent, for: "\(what) of \(path)")
  }

  /// The bytes of such a copy, and of the same amount in the log.
  var copyingBytes: Int64 { bytes > Int64.max / 2 ? .max : 2 * bytes }

  /// As `copy`, while nothing writes to the store; where there is no file, copies its log. Returns the state of the copied files.
  ///
  /// - Throws: also `.busy` when another connection has the file open for the whole timeout, or has changed one that cannot be locked here.
  func copyUnchanged(to target: URL, _ options: StoreOptions, withoutLog: Bool = false) throws -> State {
    let isThere = DurableFile.stands(path)
    let lock = isThere && DurableFile.mayWrite(path) ? try FileLock.waiting(self, options) : nil
    defer { withExtendedLifetime(lock) {} }
    let state = State(self)
    if isThere {
      try copy(to: target, withoutLog: withoutLog)
    } else if !withoutLog, hasLog {
      try DurableFile.copy(log, to: StoreFiles(real: target).log)
    }
    if lock == nil { try checkUnchanged(since: state) }
    return state
  }

  /// Copies the database with its log and journal to `target`, where no file may exist yet.
  package func copy(to target: URL, withoutLog: Bool = false) throws {
    for suffix in withoutLog ? [""] : [""] + Self.logs where suffix.isEmpty || DurableFile.size(path + suffix) > 0 {
      try DurableFile.copy(beside(suffix), to: URL(fileURLWithPath: target.path + suffix))
    }
  }
}
