import Foundation
import Holdfast

/// The store for an import's records, decided from a look at the path.
enum ImportDestination {
  /// There is no store yet. It is built under a working name, and renamed when it is complete.
  case new(StoreFiles)
  /// An existing store, opened only for the import.
  case file(StoreFiles)
  /// A dry run of a store that must be migrated first: a copy of it.
  case copy(StoreFiles)
  /// A dry run without a store.
  case memory

  init(_ files: StoreFiles, _ schemas: [StoreSchema], _ options: ImportOptions, _ storeOptions: StoreOptions) throws {
    let isNew: Bool
    switch try StoreLook(files, storeOptions).content {
    case .missing, .logWithoutFile: isNew = true
    // A database without tables is filled in place, because another process may have it open.
    case .empty: isNew = options.dryRun || DurableFile.size(files.path) == 0
    case .foreign, .store: isNew = false
    }
    switch (isNew, options.dryRun) {
    case (true, true): self = .memory
    case (true, false): self = .new(files)
    case (false, false): self = .file(files)
    case (false, true): self = try Store.needsMigration(files, schemas: schemas, options: storeOptions) ? .copy(files) : .file(files)
    }
  }

  var isNew: Bool { if case .new = self { true } else { false } }

  /// Opens the store, lets `body` fill it, and closes it; after an error the store is unchanged.
  func fill<T>(
    _ schemas: [StoreSchema], _ storeOptions: StoreOptions, _ options: ImportOptions, _ body: (Store) throws -> T
  ) throws -> (result: T, notices: [StoreNotice]) {
    switch self {
    case .memory: return (try body(Store.inMemory(schemas: schemas, options: storeOptions)), [])
    case .copy(let files):
      return try Store.withCopyToMigrate(files, schemas: schemas, options: storeOptions) { copy in
        try Self.open(copy, schemas, storeOptions.forCopy, options, body)
      }
    case .file(let files): return try Self.open(files.url, schemas, storeOptions, options, body)
    case .new(let files):
      return try files.building(storeOptions) { working in
        try Self.open(working, schemas, storeOptions.forCopy, options) { store in
          let result = try body(store)
          // Closing would also move the log into the file, but would not report that there is no room for it.
          try store.checkpoint(.truncate)
          // The file has no name yet, so an import that fails here has left nothing.
          try store.close()
          return result
        }.result
      }
    }
  }

  private static func open<T>(
    _ url: URL, _ schemas: [StoreSchema], _ storeOptions: StoreOptions, _ options: ImportOptions, _ body: (Store) throws -> T
  ) throws -> (result: T, notices: [StoreNotice]) {
    var single = storeOptions
    single.opensOneConnection = true
    single.stopsWaiting = options.isCancelled
    do {
      let store = try Store.open(at: url, schemas: schemas, options: single)
      // An import into an existing store is committed then, so an error of closing must not say that it failed.
      defer { try? store.close() }
      return (try body(store), store.notices)
    } catch let error as StoreError where error.code == .busy && options.isCancelled() {
      throw StoreError(.cancelled, "the import was cancelled; the store is as before")
    }
  }
}
