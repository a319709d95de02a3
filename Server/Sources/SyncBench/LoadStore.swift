internal import Foundation
internal import Holdfast
internal import HoldfastSyncServer

/// Where the server that is measured keeps its spaces.
enum LoadStore: Sendable {
  case file(URL)
  case database(Database)

  var address: String {
    switch self {
    case .file(let url): url.path
    case .database(let database): database.address
    }
  }

  /// Seconds of the processor for PostgreSQL.
  func seconds() -> Double { if case .database(let database) = self { ProcessFigures.secondsWithChildren(of: database.id) } else { 0 } }

  /// Writes the rows of a space to a file, by COPY or with the kit's reader; returns the processor's seconds for it.
  func read(_ space: String, into file: URL) throws -> Double {
    let before = (seconds(), clock())
    switch self {
    case .database(let database): try database.copy("SELECT * FROM sync_row WHERE space = '\(space)'", into: file)
    case .file(let url):
      var options = StoreOptions.production
      options.opensReadOnly = true
      let store = try Store.open(at: url, schemas: [SyncServer.schema], options: options)
      defer { try? store.close() }
      try Data().write(to: file)
      let handle = try FileHandle(forWritingTo: file)
      defer { try? handle.close() }
      var part = Data()
      _ = try store.read { reader in
        try reader.values("SELECT space, tbl, key, sequence, body FROM sync_row WHERE space = \(space)") { row in
          let texts = try (row.text(), row.text(), row.text(), row.int64(), row.text())
          part.append(contentsOf: "\(texts.0)\t\(texts.1)\t\(texts.2)\t\(texts.3)\t\(texts.4)\n".utf8)
          guard part.count > 1 << 20 else { return }
          try handle.write(contentsOf: part)
          part.removeAll(keepingCapacity: true)
        }
      }
      try handle.write(contentsOf: part)
      return Double(clock() - before.1) / Double(CLOCKS_PER_SEC)
    }
    return seconds() - before.0
  }

  /// What the figures depend on.
  func settings() throws -> String {
    switch self {
    case .file: "SQLite: journal_mode=wal, synchronous=full (each push is flushed before its answer)"
    case .database(let database): "PostgreSQL: \(try database.settings())"
    }
  }
}
