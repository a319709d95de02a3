import Foundation
internal import GRDB
import Logging

/// Decides from a look at a store's path how to open the store, and opens it.
struct Opening {
  let files: StoreFiles
  let schemas: [StoreSchema]
  let options: StoreOptions
  private let retries: Retries
  /// There is no store yet.
  private(set) var isNew = false
  private(set) var needsMigration = false
  /// Every migration ran, but these objects that the schemas declare or created are missing, different or unreadable.
  private var notAsDeclared: [String] = []
  /// The file ran migrations that this code does not know.
  private(set) var isNewer = false
  private(set) var readOnlyReason: String?
  /// How a read-only store is read.
  private(set) var reading = Reading.file
  /// A log must be settled before the file is opened for writing.
  private var settles = false
  /// A killed process left a log.
  private var hasLeftLog = false
  /// That an interrupted replacement was finished.
  private var finished: [StoreNotice] = []
  /// The log belongs to another file.
  private var ignoresLog = false
  /// The notices of an opening that repairs nothing.
  private var found: [StoreNotice] = []

  enum Reading {
    case file
    /// Without its log and without a lock: this process may not write to the file or its folder, or the log belongs to another file.
    case immutable
    /// From a recovered private copy.
    case recovered
  }

  /// Looks at the path; changes nothing.
  init(_ files: StoreFiles, _ schemas: [StoreSchema], _ options: StoreOptions) throws {
    (self.files, self.schemas, self.options) = (files, schemas, options)
    retries = Retries(options)
    try MigrationRunner.validate(schemas)
    let look = try StoreLook(files, options)
    let path = files.path
    hasLeftLog = look.hasLeftLog
    finished = look.finished.map { [$0] } ?? []
    found = look.notices(files)
    switch look.content {
    case .missing, .logWithoutFile:
      guard options.createsIfMissing, !options.opensReadOnly else { throw Self.notFound(look, path).recoverable(files) }
      guard DurableFile.isFolder(files.parent.path) else {
        throw StoreError(.cannotCreate, "\(path) cannot be made: there is no folder \(files.parent.path)")
      }
      try files.checkName()
      (isNew, needsMigration, settles) = (true, true, true)
    case .empty:
      if options.opensReadOnly {
        guard look.log == .sound else { throw Self.nothingWithoutLog(files) }
        throw StoreError(.notFound, "\(path) holds no library yet")
      }
      (isNew, needsMigration, settles) = (true, true, look.log != .sound)
    case .foreign(let tables): throw Self.foreign(path, tables)
    case .store(let bookkeeping, let shape):
      settles = look.log != .sound
      do {
        try decide(look, bookkeeping, shape)
        guard isNewer || needsMigration && notAsDeclared.isEmpty, !bookkeeping.isWhole else { return }
      } catch let error as StoreError where [.wrongKind, .editedMigration].contains(error.code) && !bookkeeping.isWhole {
        throw StoreError(.damaged, "\(path): the kit's record of the schemas is damaged: \(error.message)", cause: error)
      }
      throw StoreError(
        .damaged, "\(path): the kit's record of the schemas is damaged: \(readOnlyReason ?? "migrations that ran are missing")")
    }
  }

  private mutating func decide(_ look: StoreLook, _ bookkeeping: Bookkeeping, _ shape: SchemaShape) throws {
    let (path, ran) = (files.path, bookkeeping.ran)
    let mine = Set(schemas.map(\.name))
    let kinds = Set(bookkeeping.versions.keys).subtracting([StoreSchema.kit.name])
    guard !mine.isDisjoint(with: kinds) || kinds.isEmpty || mine.isEmpty else {
      throw StoreError(
        .wrongKind, "\(path) holds \(kinds.sorted().joined(separator: ", ")), not \(mine.sorted().joined(separator: ", "))")
    }
    let runner = MigrationRunner(schemas)
    let unknown = runner.unknown(ran)
    let pending = unknown.isEmpty ? try runner.pending(after: ran) : []
    let expected = try pending.isEmpty && !runner.hasAllCreated(shape) ? runner.expectedShape() : nil
    notAsDeclared = unknown.isEmpty && pending.isEmpty ? runner.notAsDeclared(in: shape, expected ?? shape) : []
    // Without a plain index, reads take longer, and nothing else changes.
    if options.migrating == .never { notAsDeclared.removeAll { expected?.objects[$0]?.sql.hasPrefix("CREATE INDEX") == true } }
    needsMigration = !pending.isEmpty || !notAsDeclared.isEmpty
    // A record without its column is either a mistake of the app, which this throws, or a column that the file has lost.
    if unknown.isEmpty, pending.isEmpty, expected == nil, (try? runner.checkRecords(in: shape)) == nil { _ = try runner.expectedShape() }
    isNewer = !unknown.isEmpty
    let isProtected = !DurableFile.mayWrite(path) || !DurableFile.mayWrite(files.parent.path)
    if isNewer {
      readOnlyReason = "the file was written by a newer version, which ran \(unknown.joined(separator: ", "))"
    } else if options.opensReadOnly {
      readOnlyReason = "the options ask for it"
    } else if !DurableFile.mayWrite(path) {
      readOnlyReason = "the file may not be written to"
    } else if isProtected {
      readOnlyReason = "its folder may not be written to"
    } else if needsMigration, options.migrating == .never {
      readOnlyReason =
        pending.isEmpty ? isNotAsDeclared : "\(pending.map(\.name).joined(separator: ", ")) did not run yet"
    }
    // SQLite reads a file in WAL mode only if it can make an index beside it, or with the promise that no program writes. An index beside a
    // write-protected file would be write-protected, too, and every later writer would fail. Under another name of the file, a program may
    // move its log's pages into the file: only this way notices that. A migration's plan, too, reads so.
    if isProtected || files.otherNames != nil || !files.hasRoomForIndex, !files.hasLog { reading = .immutable }
    if case .foreign = look.log { (reading, ignoresLog) = (.immutable, true) }
    if look.needsRecovery { reading = .recovered }
    guard readOnlyReason != nil else { return }
    let missing = try shape.missingColumns(of: expected ?? runner.expectedShape())
    guard missing.isEmpty else {
      let what = "it lacks \(missing.joined(separator: ", "))"
      if !isNewer, !needsMigration { throw StoreError(.damaged, "\(path) ran every migration, and \(what)") }
      throw StoreError(
        isNewer ? .newerSchema : .readOnly, "\(path) cannot be read by this version: \(what)",
        recoveryOptions: isNewer ? [.updateApp] : [])
    }
  }

  /// Calls `body` with the way to read the file; again with another one where there is no room for an index after all, for example by a quota.
  func read<T>(_ body: (Reading) throws -> T) throws -> T {
    do { return try body(reading) } catch {
      guard case .file = reading, StoreError(error).code == .diskFull else { throw error }
      return try body(files.hasLog ? .recovered : .immutable)
    }
  }

  private var isNotAsDeclared: String {
    let names = notAsDeclared.count > 3 ? notAsDeclared.prefix(3) + ["\(notAsDeclared.count - 3) more"] : notAsDeclared[...]
    return "\(names.joined(separator: ", ")) \(notAsDeclared.count == 1 ? "is" : "are") not as the schema declares"
  }

  static func nothingWithoutLog(_ files: StoreFiles) -> StoreError {
    StoreError(.damaged, "\(files.path) holds nothing without its log, and the log is damaged at its beginning").recoverable(files)
  }

  static func foreign(_ path: String, _ tables: [String]) -> StoreError {
    StoreError(.wrongKind, "\(path) is another program's database (its tables: \(tables.prefix(8).joined(separator: ", ")))")
  }

  private static func notFound(_ look: StoreLook, _ path: String) -> StoreError {
    guard case .logWithoutFile = look.content else { return DurableFile.noFile(path) }
    return StoreError(
      .damaged, "there is no file at \(path), but its log is there and has content",
      suggestion: "Restore a snapshot, or put the file back beside its log. Opening for writing sets the log aside and makes a new store.")
  }

  // MARK: Opening

  /// Opens the store as decided. Throws with the file unchanged.
  func open(ownedFolder: WorkingFolder? = nil) throws -> Store {
    guard readOnlyReason == nil else { return try openReadOnly(notices: finished + found) }
    var notices = finished
    try files.checkOneName()
    let lock = settles ? try files.lockOfOrphans(options) : nil
    defer { withExtendedLifetime(lock) {} }
    if settles { notices += try files.settleLog(options) }
    if isNew, let newest = try? Snapshot.all(files).first {
      notices.append(
        .init(.snapshotsWithoutFile, "there was no file at \(files.path), and there are snapshots of one; the newest is \(newest.id)"))
    }
    return try opened(notices, ownedFolder)
  }

  private func opened(_ notices: [StoreNotice], _ ownedFolder: WorkingFolder?) throws -> Store {
    guard readOnlyReason == nil else { return try openReadOnly(notices: notices) }
    WorkingFolder.removeAbandoned(in: files.parent)
    WorkingFolder.removeAbandoned(in: files.snapshots)
    Replacement.tidy(files)
    let notices = try notices + files.settleArchive(options)
    var made = false
    do {
      if isNew {
        made = try DurableFile.create(files.path)
        try files.protect(options)
      }
      return try connect(notices, ownedFolder)
    } catch {
      let failure = StoreError(error, path: files.path)
      if made, failure.code != .busy { removeUnfilled() }
      // The snapshot or the migration failed, and the file is unchanged. The last two codes come from the folder of the snapshots.
      let passing: [StoreError.Code] = [
        .migrationFailed, .migrationLostRows, .diskFull, .outOfMemory, .inputOutput, .damaged, .verificationFailed, .cannotCreate,
        .permissionDenied, .notFound,
      ]
      guard needsMigration, !isNew, options.opensUnmigrated, passing.contains(failure.code) else { throw failure }
      return try openUnmigrated(because: failure, notices)
    }
  }

  /// Opens a file whose migration failed as it is, read-only. If that is enough for this code, people can still see their data.
  private func openUnmigrated(because failure: StoreError, _ notices: [StoreNotice]) throws -> Store {
    var looking = options
    looking.migrating = .never
    guard var plain = try? Opening(files, schemas, looking), plain.readOnlyReason != nil else { throw failure }
    options.logger.error("migrating failed", metadata: ["path": "\(files.path)", "code": "\(failure.code.rawValue)"])
    plain.readOnlyReason = failure.message
    return try plain.openReadOnly(openingError: failure.recoverable(files, options), notices: notices)
  }

  private func openReadOnly(openingError: StoreError? = nil, notices: [StoreNotice] = []) throws -> Store {
    try read { try openReadOnly($0, openingError: openingError, notices: notices) }
  }

  private func openReadOnly(_ reading: Reading, openingError: StoreError?, notices: [StoreNotice]) throws -> Store {
    var folder: WorkingFolder?
    var unlocked: StoreFiles.State?
    let queue: DatabaseQueue
    switch reading {
    case .file:
      // A read-only connection leaves -wal and -shm behind. A connection that may write deletes them at closing; it never writes, because
      // `write` is refused. A log that was there before stays.
      let tidies = !files.hasLog && DurableFile.mayWrite(files.path)
      queue = try retries.run("opening a connection") { try ConnectionFactory(files, options).onlyReader(tidies: tidies) }
    case .immutable:
      unlocked = StoreFiles.State(files)
      queue = try ConnectionFactory(files, options).reader(ConnectionFactory.immutable(files.path))
    case .recovered:
      let (copy, working) = try files.privateCopy(options, withoutLog: ignoresLog)
      queue = try ConnectionFactory(copy, options).writer(keepsLog: false)
      folder = working
    }
    return Store(
      writer: queue, files: files, schemas: schemas, options: options, access: .readOnly(reason: readOnlyReason ?? ""),
      ownedFolder: folder, openingError: openingError, notices: notices, unlocked: unlocked, retries: retries)
  }

  private func connect(_ notices: [StoreNotice], _ ownedFolder: WorkingFolder?) throws -> Store {
    let factory = ConnectionFactory(files, options)
    let writer = try retries.run("opening a connection") { try factory.writer() }
    let madeAgain = StoreNotice(.declarationsMadeAgain, "\(isNotAsDeclared); it was made again")
    let readers = options.opensOneConnection ? nil : ReaderPool(factory, limit: options.readerCount, retries)
    let archiver = options.archive.isOn(files) ? Archiver(files, options) : nil
    let store = Store(
      writer: writer, readers: readers, files: files, schemas: schemas, options: options, access: .readWrite, ownedFolder: ownedFolder,
      notices: notAsDeclared.isEmpty ? notices : notices + [madeAgain], retries: retries, archiver: archiver,
      isNew: isNew)
    // The archive of a new store begins with the tables that the migrations make, and with the id that it gets.
    let beginsArchiveLast = isNew
    do {
      if !beginsArchiveLast { try store.beginArchiving() }
      if needsMigration {
        if !isNew {
          try files.checkFreeSpace(for: "a migration")
          _ = try store.snapshot(label: "before migration", isAutomatic: true)
        }
        try store.onWriter { db in
          try Store.runner(schemas, options).migrate(db, store.connections.connection(of: db), progress: options.onMigration)
        }
      }
      // What other programs see of the store depends on it, and no write does.
      if !needsMigration, options.migrating == .automatically {
        try? store.onWriter { db in
          guard try !StoreDescription.lacking(schemas, in: db.texts).isEmpty else { return }
          try Store.runner(schemas, options).describe(db, store.connections.connection(of: db))
        }
      }
      // The file of the store whose archive and snapshots lie here is gone: this one takes its place.
      if isNew, let owner = files.ownerOfCopies(options.key) {
        try store.onWriter { db in try db.execute(sql: "UPDATE holdfast_store SET id = ? WHERE place = 1", arguments: [owner]) }
      }
      if beginsArchiveLast { try store.beginArchiving() }
      // Moves a left log into the file, so that each opened store begins a new log. Frames behind a damage must not look like frames of the
      // new log, nor an older log like the present one. Without room for this, a later opening does it. Not before the archiver is there:
      // another process that made the store at the same time may archive it by now.
      if hasLeftLog { _ = try? store.checkpoint(.truncate) }
      try store.checkRetention()
      if !isNew { store.schedule?.opened() }
      store.damageWatch?.opened(afterCrash: hasLeftLog)
      return store
    } catch {
      // A failed opening changes nothing, so the log stays.
      try? store.close(checkpoints: false)
      throw error
    }
  }

  /// Removes the file that this opening made, unless another process has filled it meanwhile.
  private func removeUnfilled() {
    func isEmpty() -> Bool {
      // `StoreLook` would call an empty file beside snapshots damaged.
      if DurableFile.size(files.path) == 0, !files.hasLog, !files.hasJournal { return true }
      guard case .empty? = try? StoreLook(files, options).content else { return false }
      return true
    }
    let before = StoreFiles.State(files)
    guard isEmpty(), let lock = try? FileLock(files), StoreFiles.State(files) == before else { return }
    // The file last, because the lock is on this file.
    for suffix in StoreFiles.all { _ = try? DurableFile.remove(files.beside(suffix)) }
    withExtendedLifetime(lock) {}
  }
}

extension StoreError {
  /// Adds the recovery options that this file has, and a suggestion that names the first one. `options`: for their key.
  package func recoverable(_ files: StoreFiles, _ options: StoreOptions = .production) -> StoreError {
    // Only once: an inner call may have added them.
    guard recoveryOptions.isEmpty else { return self }
    var error = self
    error.store = files.path
    switch code {
    case .damaged, .notFound, .notADatabase:
      let snapshot = try? Snapshot.toRestore(files)
      if let snapshot { error.recoveryOptions.append(.restoreSnapshot(id: snapshot.id)) }
      if let reach = try? Archive(files, .production).reach(), let newest = reach.newest ?? reach.oldest {
        let isNewer = snapshot.map { newest >= $0.createdAt } ?? true
        error.recoveryOptions.insert(.rewind(newest: newest), at: isNewer ? 0 : 1)
      }
      // What is no database and has no copies beside it is more likely another file than a store.
      let mayHoldRows = code == .damaged && DurableFile.size(files.path) > 0
      if mayHoldRows || !error.recoveryOptions.isEmpty { error.recoveryOptions.insert(.heal, at: 0) }
      error.suggestion = suggestion ?? error.recoveryOptions.first.flatMap(advice)
    case .migrationFailed, .migrationLostRows, .editedMigration:
      // The file is unchanged, and so the archive's newest moment is the same. In a store that syncs, restoring is refused.
      if (try? StoreLook(files, options))?.isConnected != true, let newest = try? Snapshot.toRestore(files) {
        error.recoveryOptions.append(.restoreSnapshot(id: newest.id))
      }
      error.recoveryOptions.append(.openReadOnly)
    case .busy, .deviceLocked: error.recoveryOptions.append(.retry)
    default: break
    }
    return error
  }

  private func advice(_ option: RecoveryOption) -> String? {
    switch option {
    case .rewind(let newest):
      let time = DateCodec.iso8601(DateCodec.milliseconds(newest) ?? 0, fraction: false)
      return "Go back to the newest moment of the archive, \(time)\(code == .notFound ? "." : "; this file is kept.")"
    case .heal where code == .notFound: return "Heal the store: it comes back from its copies."
    case .heal where code == .notADatabase: return "Heal the store, or choose another file; this one is kept."
    case .heal: return "Heal the store; the damaged file is kept."
    default: return nil
    }
  }
}
