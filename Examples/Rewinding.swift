import Foundation
import Holdfast

/// A store that keeps every commit.
func archivedNotes(at file: URL) throws -> Store {
  // snippet: archive
  var options = StoreOptions.production
  options.archive.mode = .begins
  let store = try Store.open(at: file, schemas: [Note.schema], options: options)
  // end
  return store
}

/// A name for the present state, one row that comes back, and the whole store that goes back.
func goingBack(_ store: Store, lost: UUID, yesterday: Date) async throws {
  // snippet: going-back
  try await store.label("before the import")
  try await store.bringBack(Note.self, id: lost, from: .time(yesterday))
  try await store.rewind(to: .label("before the import"))
  // end
}

/// A button that undoes a deletion.
func undoingDeletion(_ store: Store, of lost: UUID) async throws {
  // snippet: bring-back
  let before = try await store.moment()
  try await store.write { tx in _ = try tx.delete(Note.self, id: lost) }
  // The person presses Undo.
  try await store.bringBack(Note.self, id: lost, from: before)
  // end
}

/// Looks at what would change before it rewinds, and undoes the rewind.
func rewindingWithCare(_ store: Store, to moment: Date) async throws {
  // snippet: rewind
  let plan = try await store.rewindPlan(to: .time(moment))
  for table in plan.tables { print("\(table.table): \(table.added) come back, \(table.changed) change, \(table.removed) go") }

  let report = try await store.rewind(to: .commit(plan.commit.number))
  // An hour later, the person wants the other state back.
  try await store.rewind(to: .label(report.undo))
  // end
}

/// The newest state of a file that cannot be opened any more.
func replacingDamaged(_ file: URL) async throws -> Store {
  // snippet: replace-damaged
  let report = try await Store.heal(at: file, schemas: [Note.schema])
  for note in report.notes { print(note) }
  if let kept = report.kept { print("The store is healed. The damaged file is in \(kept.path).") }
  let store = try Store.open(at: file, schemas: [Note.schema])
  // end
  return store
}

func healWhileOpen(_ store: Store) async throws {
  // snippet: heal-open
  for await damage in store.damageUpdates() {
    guard let damage else { continue }
    print("The library is damaged: \(damage.message)")
    try await store.heal()
  }
  // end
}

/// What an app shows of its archive.
func watchingArchive(_ store: Store) throws {
  // snippet: archive-status
  if let status = try store.archiveStatus() {
    print(status.problem ?? "archived up to commit \(status.newestCommit), \(status.waitingCommits) wait, \(status.bytes) bytes")
    if let oldest = status.oldest { print("back to \(oldest), with \(status.gaps.count) gaps") }
    if let drill = status.lastDrill { print("last drill passed: \(drill)") }
  }
  // end
}

/// A row that must be nowhere any more.
func forgetting(_ store: Store, _ id: UUID) async throws {
  // snippet: purge
  let report = try await store.purge(Note.self, id: id)
  for backup in report.sourceBackups { print("This copy of an imported file may still hold the note: \(backup)") }
  // end
}
