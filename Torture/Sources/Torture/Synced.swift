import Foundation
import Holdfast
import HoldfastSync

/// The workload `synced`: commits of a store that is connected to a space. What a transaction changes, and the note that it has to be sent, are
/// one commit. No server is there, so all stays noted.
enum Synced {
  static let schema = LibrarySchema(
    "torture", migrations: [Library.first],
    declarations: Library.old.declarations + [.synced("batches", key: ["number"]), .synced("lines", key: ["batch", "place"])])

  static func prepare(_ url: URL, _ options: StoreOptions, seed: UInt64) throws {
    let store = try Store.open(at: url, schemas: [schema], options: options)
    // Half of the batches are noted by connecting, the others by their triggers.
    for number in 1...Workload.prepared {
      if number == Workload.prepared / 2 { try connect(store) }
      try store.write { try Library.save(Batch(number: number, seed: seed), in: $0) }
    }
    try store.close()
  }

  /// A second time it changes nothing.
  static func connect(_ store: Store) throws {
    guard let nowhere = URL(string: "http://127.0.0.1:1") else { throw POSIXError(.EINVAL) }
    let sync = try StoreSync(store, server: .init(nowhere, space: "torture") { nil })
    let (isDone, failure) = (DispatchSemaphore(value: 0), FirstFailure())
    Task.detached {
      do { try await sync.connect(.merge) } catch { failure.keep(error) }
      isDone.signal()
    }
    isDone.wait()
    if let error = failure.error { throw error }
  }

  /// Rows without a note, and notes without a row. None must be there, whenever the power went. Read before the product opens the file,
  /// because an opening notes what has no note.
  static let differing = """
    WITH rows(key) AS (SELECT '' || number FROM batches UNION ALL SELECT batch || '/' || place FROM lines),
      notes AS (SELECT key FROM holdfast_sync_row WHERE generation = 1 AND dirty = 1)
    SELECT * FROM (SELECT key FROM rows EXCEPT SELECT key FROM notes)
    UNION ALL SELECT * FROM (SELECT key FROM notes EXCEPT SELECT key FROM rows)
    """
}
