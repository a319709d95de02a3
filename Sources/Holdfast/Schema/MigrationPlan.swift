public import Foundation
internal import GRDB

/// The effect of opening a store, found on a copy.
public struct MigrationPlan: Sendable, Equatable, Codable {
  /// The number of rows of one table, before and after.
  public struct Table: Sendable, Equatable, Codable {
    /// The table's name.
    public var name: String
    /// Rows now; nil when the table does not exist yet.
    public var before: Int?
    /// Rows afterwards; nil when the table is removed or renamed.
    public var after: Int?
  }

  /// The migrations that have not run yet, in their order.
  public var pending: [String]
  /// The objects that opening would make again: declared ones that are missing, different or unreadable, and indexes, triggers and views
  /// that a migration created and that are missing. Empty while migrations are pending.
  public var notAsDeclared: [String]
  /// The objects in the file that the schemas declared once, and declare no longer. The next migration removes them, one of `pending` when
  /// there is any.
  public var declaredNoLonger: [String]
  /// All ordinary tables of the file, by name, including the kit's own.
  public var tables: [Table]
}

extension Store {
  /// Runs the pending migrations on a temporary, checked copy of the file, and returns their effect.
  ///
  /// Only reads the file, in one read transaction, so others may go on writing to it. Needs free space in the temporary folder for the copy
  /// and for the log of its migration.
  /// - Throws: `.notFound`; the errors of opening a file with other schemas; `.newerSchema`; and `.migrationFailed`, `.migrationLostRows`,
  ///   `.editedMigration` when opening would throw them.
  public static func plan(at url: URL, schemas: [StoreSchema], options: StoreOptions = .production) throws -> MigrationPlan {
    let files = try StoreFiles(url, snapshots: options.snapshots.folder)
    var looking = options
    looking.createsIfMissing = false
    looking.migrating = .automatically
    looking.opensReadOnly = false
    let opening = try Opening(files, schemas, looking)
    if opening.isNewer, let reason = opening.readOnlyReason {
      throw StoreError(.newerSchema, "\(files.path) cannot be migrated: \(reason)", recoveryOptions: [.updateApp])
    }
    return try withCopy(of: files, opening, options) { copy in try rehearse(copy, options, runner(schemas, options)) }
  }

  /// Whether opening would migrate the existing file.
  package static func needsMigration(_ files: StoreFiles, schemas: [StoreSchema], options: StoreOptions) throws -> Bool {
    let opening = try Opening(files, schemas, options)
    return opening.needsMigration && !opening.isNew && opening.readOnlyReason == nil
  }

  /// Runs `body` on a copy of the file.
  package static func withCopyToMigrate<T>(
    _ files: StoreFiles, schemas: [StoreSchema], options: StoreOptions, _ body: (URL) throws -> T
  ) throws -> T {
    try withCopy(of: files, try Opening(files, schemas, options), options, body)
  }

  private static func withCopy<T>(
    of files: StoreFiles, _ opening: Opening, _ options: StoreOptions, _ body: (URL) throws -> T
  ) throws -> T {
    try files.telling {
      let folder = try WorkingFolder(in: FileManager.default.temporaryDirectory, "plan")
      let copy = folder.file("copy.sqlite")
      if DurableFile.size(files.path) > 0 {
        try opening.read { reading in
          _ = try DurableFile.remove(copy)
          if case .recovered = reading { try files.copy(to: copy) } else { try duplicate(files, reading, to: copy, options) }
        }
      } else {
        _ = try DurableFile.create(copy.path)
      }
      return try body(copy)
    }
  }

  private static func duplicate(_ files: StoreFiles, _ reading: Opening.Reading, to copy: URL, _ options: StoreOptions) throws {
    _ = try DurableFile.create(copy.path)
    let factory = ConnectionFactory(files, options)
    let source: RawConnection
    if case .immutable = reading {
      source = try factory.copySource(ConnectionFactory.immutable(files.path))
    } else {
      // Without a log nothing needs merging. A connection that may write deletes the index that it made when it closes.
      source = try files.hasLog || !DurableFile.mayWrite(files.path) ? factory.copySource() : factory.examiner(tidies: true)
    }
    let target = try ConnectionFactory(copy.path, options).working()
    let state = StoreFiles.State(files)
    try PageCopy(from: source, to: target.handle).finish()
    if case .immutable = reading { try files.checkUnchanged(since: state) }
    if let found = try Snapshot.damage(target, quick: true).first { throw StoreError(.damaged, "the file failed its check: \(found)") }
  }

  private static func rehearse(_ copy: URL, _ options: StoreOptions, _ runner: MigrationRunner) throws -> MigrationPlan {
    let queue = try ConnectionFactory(copy.path, options).writer(keepsLog: false)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { db in
      let pending = try runner.pending(after: MigrationRunner.ran(db.texts)).map(\.name)
      let shape = try SchemaShape(db)
      let notAsDeclared = try runner.notAsDeclared(db.texts)
      let before = try rowCounts(db.texts)
      try runner.migrate(db)
      let (after, now) = (try rowCounts(db.texts), try SchemaShape(db))
      let names = Set(before.keys).union(after.keys).sorted()
      return MigrationPlan(
        pending: pending, notAsDeclared: notAsDeclared,
        declaredNoLonger: try runner.schemas.flatMap { try $0.declaredNoLonger(in: shape, now: now) },
        tables: names.map { .init(name: $0, before: before[$0], after: after[$0]) })
    }
  }
}
