public import Foundation
public import Holdfast

extension AudiobookLibrary {
  /// Opens the library at `url`, and brings in the player's legacy file the first time it is found.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` says what became of it. When that
  /// fails and there is no store yet, people must be able to go on: the library is loaded from the legacy file as far as it
  /// can be read, lives in memory, and writes every change back to the file, in the player's own format, before the change
  /// counts. `access` is `.legacy` with the reason; before the first such write the file is kept as `<name>.backup`. A file of
  /// a newer version is only read. When it fails and there is a store, the store is opened and `importFailure` says why.
  /// The next opening tries again.
  ///
  /// - Throws: what `open(at:options:)` throws for a store that is there.
  public static func open(at url: URL, legacy: URL, options: StoreOptions = .production) throws -> AudiobookLibrary {
    let legacy = present(legacy)
    let files = FileManager.default
    guard files.fileExists(atPath: legacy.path) else { return try open(at: url, options: options) }
    if files.fileExists(atPath: url.path) {
      return importing(legacy, into: try Store.open(at: url, schemas: [schema], options: options))
    }
    do {
      let report = try importLibrary(from: legacy, into: url, storeOptions: options)
      return AudiobookLibrary(try Store.open(at: url, schemas: [schema], options: options), importReport: report)
    } catch {
      let failure = StoreError(error)
      return try LegacyMode.open(legacy, because: failure, options)
    }
  }

  private static func importing(_ legacy: URL, into store: Store) -> AudiobookLibrary {
    do {
      guard store.access == .readWrite, try !ImportSource.isKnown(legacy, to: store) else { return AudiobookLibrary(store) }
      let source = try ImportSource(legacy)
      guard try !source.wasImported(into: store) else { return AudiobookLibrary(store) }
      return AudiobookLibrary(store, importReport: try store.importing(recognised(source), from: source))
    } catch {
      return AudiobookLibrary(store, importFailure: StoreError(error))
    }
  }
}

/// A library in memory that is kept in the player's own file.
private enum LegacyMode {
  static func open(_ legacy: URL, because failure: StoreError, _ options: StoreOptions) throws -> AudiobookLibrary {
    var memoryOptions = options
    memoryOptions.key = nil
    let store = try Store.inMemory(schemas: [AudiobookLibrary.schema], options: memoryOptions)
    let isJSON = try load(legacy, into: store)
    guard failure.code != .newerSource, isJSON else {
      return AudiobookLibrary(store.readOnly(because: failure.message), importFailure: failure)
    }
    let kept = KeptOnce(legacy)
    store.beforeCommit { tx in
      try kept.keep()
      _ = try AudiobookLibrary.exportLibraryJSON(to: legacy, in: tx)
    }
    return AudiobookLibrary(store, access: .legacy(reason: failure.message), importFailure: failure)
  }

  /// Loads what can be read, record by record. Returns false for a file that could not be written back in its own format.
  private static func load(_ legacy: URL, into store: Store) throws -> Bool {
    let source = try ImportSource(legacy)
    guard let format = try? AudiobookLibrary.recognised(source) else {
      if SQLiteSource.isDatabase(legacy) { return false }
      try LibraryJSON(asFarAsReadable: JSONDocument(contentsOf: legacy)).map { try copy($0, into: store) }
      return true
    }
    try copy(format, into: store)
    return format is LibraryJSON
  }

  private static func copy(_ format: some ImportFormat, into store: Store) throws {
    try store.write { tx in
      do {
        try format.scan(tx) { scanned, _ in
          guard case .record(let record) = scanned else { return }
          do {
            try format.write(record, in: tx)
          } catch let error as StoreError where error.code == .constraint || error.code == .invalidValue {
            // Stays in the kept copy of the file, and is imported into quarantine when importing works again.
          }
        }
      } catch let error as StoreError where error.code == .invalidSource {
        // The file ends here for us; what came before is loaded.
      }
    }
  }
}

/// Keeps a copy of a file before it is written for the first time.
private final class KeptOnce: @unchecked Sendable {
  private let url: URL
  // Guarded by `lock`.
  private var isKept = false
  private let lock = NSLock()

  init(_ url: URL) { self.url = url }

  func keep() throws {
    try lock.withLock {
      guard !isKept else { return }
      try ImportSource(url).keepCopy()
      isKept = true
    }
  }
}
