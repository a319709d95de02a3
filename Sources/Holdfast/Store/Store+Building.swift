package import Foundation

// What is not finished has a name of its own, and gets the right one when it is whole.

extension Store {
  /// What stands where an import is to fill a store.
  package enum Site {
    case missing
    case emptyFile
    /// Without a table: somebody may have it open.
    case emptyDatabase
    case filled
  }

  package static func site(at url: URL, options: StoreOptions) throws -> Site {
    switch try FileLook(url.path, busyTimeout: options.busyTimeout, key: options.key).content {
    case .missing: .missing
    case .empty: FileLook.size(url.path) == 0 ? .emptyFile : .emptyDatabase
    case .foreign, .store: .filled
    }
  }

  /// Makes a store under a name of its own, lets `body` fill it, and renames it in.
  package static func building<T>(at url: URL, schemas: [StoreSchema], options: StoreOptions, _ body: (Store) throws -> T) throws -> T {
    try OpeningPlan.checkName(url.path)
    let working = working(beside: url, "building")
    func discard() {
      for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: working.path + suffix) }
    }
    do {
      let store = try open(at: working, schemas: schemas, options: options)
      let result: T
      do {
        result = try body(store)
        // Closing would move the log into the file, too, and would not say that there was no room for it.
        try store.checkpoint(.truncate)
        try store.close()
        guard FileLook.size(working.path + "-wal") == 0 else {
          throw StoreError(.inputOutput, "\(working.path) could not be written whole")
        }
      } catch {
        try? store.close()
        throw error
      }
      try DurableFile.flush(working)
      try DurableFile.place(working, at: url)
      return result
    } catch {
      discard()
      var failure = StoreError(error)
      // The person asked for the store, not for the name that it is built under.
      failure.message = failure.message.replacingOccurrences(of: working.path, with: url.path)
      throw failure
    }
  }

  /// A name for what is not finished, after what processes that were killed have left of the same is removed.
  package static func working(beside url: URL, _ purpose: String) -> URL {
    let folder = url.deletingLastPathComponent()
    let prefix = ".\(url.lastPathComponent).\(purpose)-"
    removeAbandoned(in: folder, prefix: prefix)
    return folder.appendingPathComponent("\(prefix)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
  }

  /// What processes that were killed have left: they are gone.
  package static func removeAbandoned(in folder: URL, prefix: String) {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names where name.hasPrefix(prefix) {
      let process = name.dropFirst(prefix.count).prefix { $0.isNumber }
      guard let id = Int32(process), kill(id, 0) != 0, errno == ESRCH else { continue }
      try? FileManager.default.removeItem(at: folder.appendingPathComponent(name))
    }
  }
}

extension StoreError {
  /// The person asked for the one file, and knows nothing of the name that it is written under.
  package func naming(_ url: URL, insteadOf working: URL) -> StoreError {
    var error = self
    error.message = message.replacingOccurrences(of: working.path, with: url.path)
    return error
  }
}
