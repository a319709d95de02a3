public import Foundation

/// A way back for the store at a path, whether it is sound, damaged or gone: first planned, so that a person can agree, then carried out.
///
///     let way = try PlannedWayBack(at: url, to: .moment(.label("before the move"))) { _ in [schema] }
///     defer { way.close() }
///     show(way.tables)
///     try way.go()
///
/// A sound store is opened, and its content is replaced while others have it open, too; a damaged one is replaced as a file, and must not be
/// open. In both cases the replaced state is kept.
public final class PlannedWayBack {
  /// An earlier state of a store.
  public enum State: Sendable, Equatable {
    /// A snapshot, by its id.
    case snapshot(String)
    /// A moment of the archive.
    case moment(Moment)
  }

  /// What undoes it.
  public enum Undo: Sendable, Equatable {
    /// The snapshot of the replaced state: `.snapshot(id)` goes back to it. If the store equalled the chosen snapshot, that one.
    case snapshot(Snapshot)
    /// The label of the replaced state: `.moment(.label(text))` goes back to it.
    case label(String)
    /// The replaced files are in this folder; nil where there were none.
    case files(URL?)
  }

  /// The snapshot that the store gets; nil for a moment.
  public private(set) var snapshot: Snapshot?
  /// The commit that the store gets; nil for a snapshot.
  public private(set) var commit: ArchivedCommit?
  /// The tables that would differ: `added` are rows that come back. Nil where the present file cannot be opened for writing, and is replaced.
  public private(set) var tables: [TableDifference]?
  /// What the checks of that state found, as in `RewindPlan`.
  public private(set) var findings: [String] = []
  /// A doubt, for people: a time may not tell which commits were made before it, as in `RewindPlan`; or the file is so damaged that
  /// nothing proves that the state is of this store. Nil without a doubt.
  public private(set) var warning: String?
  /// Opening the store may make its archive smaller.
  private var pin: [FolderLock] = []
  private let url: URL
  private let options: StoreOptions
  /// Nil where the file is replaced.
  private var store: Store?

  /// Plans the way. Verifies the state, and changes nothing but what opening a store changes; runs no migration.
  ///
  /// - Parameters:
  ///   - schemas: the schemas of the libraries that the file names, by name and version.
  ///   - isDry: `go()` will not be called. Then another process may be archiving.
  /// - Throws: the errors of `Store.restorePlan(snapshot:)` and `Store.rewindPlan(to:)`; `.newerSchema` for a store of a newer version,
  ///   `.misuse` for a sound store that is connected to a space, where it cannot be opened for writing with all of its schemas: the other
  ///   devices would not go back; `.permissionDenied` for a file that may not be written to, and what else keeps the file from being replaced,
  ///   such as `.busy`.
  public init(
    at url: URL, to state: State, options: StoreOptions = .production, isDry: Bool = false,
    schemas: ([String: Int]) -> [StoreSchema]
  ) throws {
    (self.url, self.options) = (url, options)
    if case .moment = state {
      let archive = try Archive(of: url, options: options)
      pin = archive.pin()
      // Another program may be writing the archive. Then this fails now, before the person waits or is asked.
      if !isDry { try archive.checkIsFree() }
    }
    if let open = try Self.openIfSound(url, options, schemas) {
      do {
        try open.checkKnowsWhatSyncs(StoreFiles(url))
        switch state {
        case .snapshot(let id):
          snapshot = try Snapshot.all(of: url, in: options.snapshots.folder).first { $0.id == id }
          tables = try open.restorePlan(snapshot: id)
        case .moment(let moment):
          if !isDry { try open.checkIsArchived() }
          let plan = try open.rewindPlan(to: moment)
          (commit, tables, findings, warning) = (plan.commit, plan.tables, plan.findings, plan.warning)
        }
        store = open
        return
      } catch let error as StoreError where [.damaged, .verificationFailed, .notADatabase, .decoding].contains(error.code) {
        // The content is so damaged that it cannot be compared. Its log stays a log: moved into the file, it would overwrite pages.
        try? open.close(checkpoints: false)
      } catch {
        try? open.close()
        throw error
      }
    }
    // The state is built or read once before anybody is asked: it must be there, and be sound.
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    let folder = try WorkingFolder(beside: files.url, "comparing")
    switch state {
    case .snapshot(let id):
      let chosen = try Snapshot.verify(id, of: url, options: options)
      snapshot = chosen
      warning = try Self.doubt(chosen.file(files), files, options, folder)
    case .moment(let moment):
      let archive = try Archive(of: url, options: options)
      let file = folder.file("built.sqlite")
      let built = try archive.built(moment, at: file)
      (commit, warning) = (built, try archive.warning(of: moment, leadingTo: built) ?? Self.doubt(file, files, options, folder))
    }
    try Store.checkIsRecovery(files, options)
  }

  /// That nothing proves whose a copy is, in words; nil where something does, or nothing can.
  ///
  /// - Throws: `.wrongKind` when it is another store's.
  private static func doubt(_ copy: URL, _ files: StoreFiles, _ options: StoreOptions, _ folder: WorkingFolder) throws -> String? {
    guard DurableFile.size(files.path) > 0 else { return nil }
    let owner: CopyOwner
    do {
      owner = try DamagedFile(copying: files, into: folder, options.key).owner(of: copy, options.key)
    } catch {
      // The way back itself may need less.
      if StoreError(error).code == .diskFull { return "there is no room to find out whose this state is" }
      // What cannot be read at all proves nothing.
      _ = try StoreError(error).ofContent()
      return nil
    }
    switch owner {
    case .same: return nil
    case .unproven:
      return "the file does not tell its id any more, and most of its pages are not as there, so nothing proves whose this state is"
    case .other(let owner, let own):
      throw StoreError(.wrongKind, "this state is of another store: that has the id \(owner), and \(files.path) has \(own)")
    }
  }

  deinit { close() }

  /// Closes the store if it is open. Ignores errors: the work is done.
  public func close() { try? store?.close() }

  /// Restores or rewinds to the planned state, also when its name, such as "10 minutes ago", means another state by now.
  ///
  /// - Throws: the errors of `Store.restore` and `Store.rewind`. The store is then unchanged.
  public func go() throws -> Undo {
    switch (store, snapshot, commit) {
    case (let store?, let snapshot?, _): .snapshot(try store.restore(snapshot: snapshot.id))
    case (let store?, nil, let commit?): .label(try store.rewind(to: .commit(commit.number)).undo)
    case (nil, let snapshot?, _): .files(try Store.restore(at: url, snapshot: snapshot.id, options: options))
    case (nil, nil, let commit?): .files(try Store.rewind(at: url, to: .commit(commit.number), options: options).kept)
    case (_, nil, nil): throw StoreError(.notFound, "\(url.path) has no such state")
    }
  }

  /// Opens a sound store for writing; nil for one that must be replaced as a file, because it is damaged or gone.
  private static func openIfSound(_ url: URL, _ options: StoreOptions, _ schemas: ([String: Int]) -> [StoreSchema]) throws -> Store? {
    var options = options
    (options.createsIfMissing, options.migrating) = (false, .never)
    do {
      // Nothing is built for a file that may not be replaced.
      try StoreFiles(url).checkMayReplace()
      // Opening would create tables in an empty file.
      let kinds = try Store.kinds(at: url, options: options)
      if kinds.isEmpty { return nil }
      let known = schemas(kinds)
      // Opening would move a left log into the damaged file, but the replaced file must be kept unchanged. The whole check: a quick one does not
      // see pages of an index that changed places.
      guard try Store.check(at: url, schemas: known, options: options).hasSoundFiles else { return nil }
      let open = try Store.open(at: url, schemas: known, options: options)
      if open.access == .readWrite { return open }
      try open.close()
      if known.contains(where: { kinds[$0.name] ?? 0 > $0.version }) {
        // It is sound, and must not be replaced.
        throw StoreError(
          .newerSchema, "\(url.path) was written by a newer version of this program; nothing was changed", recoveryOptions: [.updateApp])
      }
      return nil
    } catch let error as StoreError {
      switch try error.ofContent().code {
      // The key is right: it opens a copy. So the beginning of the file is what is damaged.
      case .wrongKey where try Encryption.opensCopies(of: StoreFiles(url, snapshots: options.snapshots.folder), options): return nil
      case .newerSchema, .invalidValue, .wrongKey, .keyNeeded, .notEncrypted, .encryptionUnavailable: throw error
      // Any other file may be replaced: what takes its place is verified, and the replaced file is kept.
      default: return nil
      }
    }
  }
}
