public import Foundation
internal import GRDB

/// What opening a store would do to it, found on a copy.
public struct MigrationPlan: Sendable, Equatable, Codable {
  /// One table before and after.
  public struct Table: Sendable, Equatable, Codable {
    /// The table's name.
    public var name: String
    /// Rows now; nil when the table does not exist yet.
    public var before: Int?
    /// Rows afterwards; nil when the table is gone or has another name then.
    public var after: Int?
  }

  /// The migrations that did not run yet, in the order in which they will. Empty: nothing is to be done.
  public var pending: [String]
  /// Every ordinary table of the file, by name, the kit's own included.
  public var tables: [Table]
}

extension Store {
  /// Runs the migrations that are pending on a temporary, checked copy of the file, and says what they would do.
  ///
  /// The file itself is only read, in one read transaction: others may go on writing to it. Needs room for the copy and
  /// for the log of its migration in the temporary folder.
  /// - Throws: `.notFound`; what opening throws for files that are not of these schemas; `.newerSchema`; and
  ///   `.migrationFailed`, `.migrationLostRows`, `.editedMigration` when opening would throw them.
  public static func plan(at url: URL, schemas: [StoreSchema], options: StoreOptions = .production) throws -> MigrationPlan {
    let url = try DurableFile.real(url)
    var looking = options
    looking.createsIfMissing = false
    looking.migrating = .automatically
    looking.opensReadOnly = false
    let opening = try OpeningPlan(path: url.path, schemas: schemas, options: looking)
    if opening.isNewer, let reason = opening.readOnlyReason {
      throw StoreError(.newerSchema, "\(url.path) cannot be migrated: \(reason)", recoveryOptions: [.updateApp])
    }
    return try withCopy(of: url, opening, options) { copy in try rehearse(copy, runner(schemas, options)) }
  }

  /// Runs `body` on a copy of a file that has to be migrated; nil for one that has not.
  package static func rehearsing<T>(_ url: URL, schemas: [StoreSchema], options: StoreOptions, _ body: (URL) throws -> T) throws -> T? {
    let opening = try OpeningPlan(path: url.path, schemas: schemas, options: options)
    guard opening.needsMigration, !opening.isNew, opening.readOnlyReason == nil else { return nil }
    return try withCopy(of: url, opening, options, body)
  }

  private static func withCopy<T>(of url: URL, _ opening: OpeningPlan, _ options: StoreOptions, _ body: (URL) throws -> T) throws -> T {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-plan-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      defer { try? FileManager.default.removeItem(at: folder) }
      let copy = folder.appendingPathComponent("copy.sqlite")
      if FileLook.size(url.path) > 0 { try duplicate(opening.readOnlyName ?? url.path, to: copy, options) }
      return try body(copy)
    } catch {
      throw StoreError(error, path: url.path)
    }
  }

  private static func duplicate(_ name: String, to copy: URL, _ options: StoreOptions) throws {
    _ = try DurableFile.create(copy.path)
    // Without a log there is nothing to fold in, and a connection that may write takes its index away again when it closes.
    let readOnly = FileLook.size(name + "-wal") > 0 || !FileManager.default.isWritableFile(atPath: name)
    let source = try DatabaseQueue(path: name, configuration: configuration(options, readOnly: readOnly))
    defer { try? source.close() }
    let target = try DatabaseQueue(path: copy.path)
    defer { try? target.close() }
    try source.read { db in try target.writeWithoutTransaction { try db.backup(to: $0) } }
    let answer = try target.writeWithoutTransaction { db in try String.fetchOne(db, sql: "PRAGMA quick_check(1)") }
    guard answer == "ok" else { throw StoreError(.damaged, "the file failed its check: \(answer ?? "")") }
  }

  private static func rehearse(_ copy: URL, _ runner: MigrationRunner) throws -> MigrationPlan {
    let queue = try DatabaseQueue(path: copy.path)
    defer { try? queue.close() }
    return try queue.writeWithoutTransaction { db in
      let pending = try runner.pending(after: MigrationRunner.ran(db.texts)).map(\.name)
      let before = try db.rowCounts()
      if !pending.isEmpty { try runner.migrate(db) }
      let after = try db.rowCounts()
      let names = Set(before.keys).union(after.keys).sorted()
      return MigrationPlan(pending: pending, tables: names.map { .init(name: $0, before: before[$0], after: after[$0]) })
    }
  }
}
