package import Foundation

/// The files of one store: the database, what SQLite keeps beside it, the folder of its copies, and what is under way.
///
/// The one place that knows their names. Looking: `StoreLook.swift`; a log that was left: `LeftLog.swift`; setting files aside:
/// `StoreFiles+Quarantine.swift`; putting another file in the place: `Replacement.swift`.
package struct StoreFiles: Sendable {
  /// The database; links are followed already.
  package let url: URL

  /// - Throws: as `DurableFile.real`: SQLite keeps the log beside the file that a link leads to.
  package init(_ url: URL) throws { self.init(real: try DurableFile.real(url)) }

  init(real url: URL) { self.url = url }

  package var path: String { url.path }
  /// What is committed and not in the file yet.
  package var log: URL { beside("-wal") }
  /// SQLite's index of the log, which it makes anew.
  var index: URL { beside("-shm") }
  /// What undoes a transaction of a program that uses no log.
  var journal: URL { beside("-journal") }
  /// For snapshots, files that were set aside, and a replacement under way.
  var folder: URL { beside(".holdfast") }
  var snapshots: URL { folder.appendingPathComponent("snapshots") }
  var quarantine: URL { folder.appendingPathComponent("quarantine") }
  var parent: URL { url.deletingLastPathComponent() }

  /// What belongs to the database beside it; the log first.
  package static let sidecars = logs + ["-shm"]
  /// The same and the database, which is the last.
  static let all = sidecars + [""]
  /// What holds committed content, or undoes a half-done transaction.
  package static let logs = ["-wal", "-journal"]

  package func beside(_ suffix: String) -> URL { URL(fileURLWithPath: url.path + suffix) }

  /// Of the file and its log.
  package var bytes: Int64 { DurableFile.size(path) + DurableFile.size(log.path) }

  package var hasLog: Bool { DurableFile.size(log.path) > 0 }
  var hasJournal: Bool { DurableFile.size(journal.path) > 0 }

  /// Whether the folder of snapshots holds one, or cannot be looked into.
  var mayHaveSnapshots: Bool {
    guard DurableFile.stands(snapshots.path) else { return false }
    let names = try? FileManager.default.contentsOfDirectory(atPath: snapshots.path)
    return names?.contains { $0.hasSuffix(".sqlite") || $0.hasSuffix(".json") } ?? true
  }

  /// Tells whether somebody wrote to the store since: which file it is, its size and its time, and the same of its log.
  struct State: Equatable, Sendable {
    private let numbers: [Int64]

    init(_ files: StoreFiles) {
      numbers = [files.path, files.log.path].flatMap {
        [Int64(bitPattern: DurableFile.number($0)), DurableFile.size($0), DurableFile.changedAt($0)]
      }
    }
  }

  /// For reading without a lock.
  ///
  /// - Throws: `.busy` where somebody has written to the store since: what was read is of two moments.
  func checkUnchanged(since state: State) throws {
    guard State(self) != state else { return }
    throw StoreError(
      .busy, "\(path) was written to by somebody else while it was read without a lock", suggestion: "Open it again.",
      recoveryOptions: [.retry])
  }

  /// - Throws: `.invalidValue` for a name that SQLite gives to what it keeps beside another database: it would remove the store.
  package func checkName() throws {
    for suffix in Self.sidecars where path.hasSuffix(suffix) {
      let database = String(path.dropLast(suffix.count))
      guard DurableFile.stands(database) else { continue }
      throw StoreError(
        .invalidValue, "\(path) is where SQLite keeps what belongs to \(database)", suggestion: "Choose another name for the store.")
    }
    // A file system's limit for one name. Snapshots could not be made later.
    guard folder.lastPathComponent.utf8.count <= 255 else {
      throw StoreError(
        .invalidValue, "the name of \(path) is too long: no folder could be called \(folder.lastPathComponent)",
        suggestion: "Choose a name of at most 246 bytes.")
    }
  }

  /// - Throws: `.misuse` when writing to `target` would end the store or be in the way of its copies.
  package func checkIsNotOwn(_ target: URL) throws {
    // The target itself need not exist, and its folders may be links.
    let place = target.deletingLastPathComponent().resolvingSymlinksInPath().appendingPathComponent(target.lastPathComponent)
    let own = [url, log, index, journal, folder].map(\.path)
    // By the file, too: some volumes take STORE.sqlite for store.sqlite.
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

  /// Before a copy of the store is made beside it, and as much again is written to the log.
  package func checkFreeSpace(for what: String) throws {
    try DurableFile.checkFreeSpace(bytes > Int64.max / 2 ? .max : 2 * bytes, in: parent, for: "\(what) of \(path)")
  }

  /// Copies the database with its log to `target`, where nothing may stand yet.
  package func copy(to target: URL, withoutLog: Bool = false) throws {
    for suffix in withoutLog ? [""] : [""] + Self.logs where suffix.isEmpty || DurableFile.size(path + suffix) > 0 {
      try DurableFile.copy(beside(suffix), to: URL(fileURLWithPath: target.path + suffix))
    }
  }
}
