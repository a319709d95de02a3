import Foundation
import Holdfast
import HoldfastTransfer

/// The library in a file, for a command that only reads.
///
/// - Throws: `.notFound` for a missing file and for one that holds nothing yet; `ambiguous` for one that holds several libraries.
func libraryToLook(_ file: FilePath, _ choice: LibraryOption, _ lock: LockOptions) throws -> LibraryDescription {
  try finishInterrupted(file, lock.storeOptions)
  let kinds = try Store.kinds(at: file.url, options: lock.storeOptions)
  guard !kinds.isEmpty else { throw nothing(at: file) }
  return try Libraries.one(of: kinds, in: file.path, named: choice.library)
}

/// Finishes a way back that was interrupted, and says so.
func finishInterrupted(_ store: FilePath, _ options: StoreOptions) throws {
  guard let notice = try StoreFiles(store.url).finishReplacement(options) else { return }
  let kept = notice.kept.map { "; the former files are in \($0.path)" } ?? ""
  Console().note(DisplayText.printable("note: \(notice.message)\(kept)"))
}

/// The error of a file that is missing or holds nothing yet. It tells how to bring the store back from copies that lie beside it.
func nothing(at file: FilePath) -> StoreError {
  let error = DurableFile.stands(file.path) ? StoreError(.notFound, "\(file.path) holds no library yet") : DurableFile.noFile(file.path)
  guard let files = try? StoreFiles(file.url) else { return error }
  return error.recoverable(files)
}

/// Refuses a new store where the archive or snapshots of one are: most likely its file was lost. An app makes a new store there, and tells so.
///
/// - Parameter outcome: what the error says of the work.
/// - Throws: `.damaged`, with what brings the old store back.
func refuseBesideCopies(_ store: FilePath, _ outcome: String) throws {
  let files = try StoreFiles(store.url)
  guard DurableFile.size(files.path) == 0 else { return }
  let state = DurableFile.stands(files.path) ? "\(store.path) is empty" : "there is no file at \(store.path)"
  let error = StoreError(
    .damaged, "\(state), and an archive or snapshots of a store are beside it, in \(files.folder.path); \(outcome)",
    suggestion: "Move that folder to another place, to make a new store here."
  ).recoverable(files)
  if !error.recoveryOptions.isEmpty || (try? Archive(of: store.url, options: LockOptions.defaults)) != nil { throw error }
}

/// Opens the library in a file for a command that only reads, and closes it afterwards.
///
/// Creates nothing, migrates nothing and changes no byte of the file. Waits only for a process that replaces or recovers the file.
/// - Parameter full: opens for writing, still without migrations.
func withLibrary<T>(
  _ file: FilePath, _ choice: LibraryOption, _ lock: LockOptions, full: Bool = false,
  _ body: (LibraryDescription, Store) throws -> T
) throws -> T {
  var options = lock.storeOptions
  options.createsIfMissing = false
  options.opensReadOnly = !full
  options.migrating = .never
  options.opensOneConnection = true
  var library = try libraryToLook(file, choice, lock)
  let store = try Store.open(at: file.url, schemas: library.schemas, options: options)
  for notice in store.notices { Console().note(DisplayText.printable("note: \(notice.message)")) }
  return try closing(store) {
    if !library.isKnown { library = try store.read { [library] in try PlainTables.described(library, in: $0) } }
    return try body(library, store)
  }
}

/// Closes the store after `body`.
func closing<T>(_ store: Store, _ body: () throws -> T) throws -> T {
  let result: T
  do {
    result = try body()
  } catch {
    // The first error is the one that matters.
    try? store.close()
    throw error
  }
  try store.close()
  return result
}

/// Refuses a newer store for a command that writes. Such a store opens read-only, and the person must learn why.
func refuseNewer(_ store: FilePath, _ kinds: [String: Int], _ known: StoreSchema) throws {
  guard let version = kinds[known.name], version > known.version else { return }
  throw StoreError(
    .newerSchema, "\(store.path) was written by a newer version of this program; nothing was changed", recoveryOptions: [.updateApp])
}

/// Opens a store for a command that works on the whole of it, with every library in it that this program knows. Migrates nothing.
///
/// - Parameters:
///   - reads: opens read-only: changes no byte.
///   - archiving: whether an archive is begun.
///   - snapshots: the folder of the snapshots. Nil: the usual one.
/// - Throws: `.notFound` for a missing file and for one that holds nothing yet; what opening throws.
func openWhole(
  _ store: FilePath, _ lock: LockOptions, reads: Bool = false, archiving: ArchiveOptions.Mode = .continues, snapshots: URL? = nil
) throws -> Store {
  var options = lock.storeOptions
  options.createsIfMissing = false
  options.migrating = .never
  options.opensReadOnly = reads
  options.archive.mode = archiving
  options.snapshots.folder = snapshots
  try finishInterrupted(store, options)
  let kinds = try Store.kinds(at: store.url, options: options)
  guard !kinds.isEmpty else { throw nothing(at: store) }
  return try Store.open(at: store.url, schemas: Libraries.schemas(kinds), options: options)
}
