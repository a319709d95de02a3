import Foundation
internal import GRDB

/// What opening will do, decided from a look at the file alone.
struct OpeningPlan {
  var isNew = false
  var needsMigration = false
  /// The file ran migrations that this code does not know.
  var isNewer = false
  var readOnlyReason: String?
  /// How SQLite has to be asked for the file when it is opened read-only; nil: by its path.
  var readOnlyName: String?

  init(path: String, schemas: [StoreSchema], options: StoreOptions) throws {
    try MigrationRunner.validate(schemas)
    let runner = MigrationRunner(schemas)
    switch try FileLook(path, busyTimeout: options.busyTimeout, key: options.key).content {
    case .missing:
      guard options.createsIfMissing, !options.opensReadOnly else { throw StoreError(.notFound, "there is no file at \(path)") }
      try Self.checkFolder(of: path)
      try Self.checkName(path)
      isNew = true
      needsMigration = true
    case .empty:
      isNew = true
      needsMigration = true
      if options.opensReadOnly { throw StoreError(.notFound, "\(path) holds no library yet") }
    case .foreign(let tables): throw Self.foreign(path, tables)
    case .store(let versions, let ran, let shape):
      let mine = Set(schemas.map(\.name))
      let kinds = Set(versions.keys).subtracting([StoreSchema.kit.name])
      guard !mine.isDisjoint(with: kinds) || kinds.isEmpty || mine.isEmpty else {
        throw StoreError(
          .wrongKind, "\(path) holds \(kinds.sorted().joined(separator: ", ")), not \(mine.sorted().joined(separator: ", "))")
      }
      let unknown = runner.unknown(ran)
      let pending = unknown.isEmpty ? try runner.pending(after: ran) : []
      needsMigration = !pending.isEmpty
      if !unknown.isEmpty {
        isNewer = true
        readOnlyReason = "the file was written by a newer version, which ran \(unknown.joined(separator: ", "))"
      } else if options.opensReadOnly {
        readOnlyReason = "it was asked for"
      } else if access(path, W_OK) != 0 {
        readOnlyReason = "the file may not be written to"
      } else if access(Self.folder(of: path), W_OK) != 0 {
        readOnlyReason = "its folder may not be written to"
      } else if needsMigration, options.migrating == .never {
        readOnlyReason = "\(pending.map(\.name).joined(separator: ", ")) did not run yet"
      }
      if readOnlyReason != nil {
        let missing = shape.missingColumns(of: try runner.expectedShape())
        guard missing.isEmpty else {
          throw StoreError(
            unknown.isEmpty ? .readOnly : .newerSchema,
            "\(path) cannot be read by this version: it lacks \(missing.joined(separator: ", "))",
            recoveryOptions: unknown.isEmpty ? [] : [.updateApp])
        }
        // SQLite reads a file in WAL mode only where it can make an index beside it, or with a promise that nobody writes.
        // The index would inherit a write-protected file's protection, and stand in every later writer's way.
        let isProtected = access(Self.folder(of: path), W_OK) != 0 || access(path, W_OK) != 0
        if isProtected, FileLook.size(path + "-wal") == 0 { readOnlyName = FileLook.immutable(path) }
      }
    }
  }

  static func foreign(_ path: String, _ tables: [String]) -> StoreError {
    StoreError(.wrongKind, "\(path) is another program's database (its tables: \(tables.prefix(8).joined(separator: ", ")))")
  }

  /// What SQLite calls what it keeps beside a database, the next program that opens that one removes.
  static func checkName(_ path: String) throws {
    for suffix in ["-wal", "-shm", "-journal"] where path.hasSuffix(suffix) {
      let database = String(path.dropLast(suffix.count))
      guard FileManager.default.fileExists(atPath: database) else { continue }
      throw StoreError(
        .invalidValue, "\(path) is where SQLite keeps what belongs to \(database)", suggestion: "Choose another name for the store.")
    }
  }

  private static func folder(of path: String) -> String { URL(fileURLWithPath: path).deletingLastPathComponent().path }

  private static func checkFolder(of path: String) throws {
    let folder = folder(of: path)
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw StoreError(.cannotCreate, "\(path) cannot be made: there is no folder \(folder)")
    }
  }
}
