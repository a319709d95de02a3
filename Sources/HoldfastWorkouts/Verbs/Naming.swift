public import Foundation
public import Holdfast

extension WorkoutLog {
  /// Renames a workout or template: one row. The name may be empty.
  ///
  /// - Throws: `.notFound` when there is none with this id.
  public func renameWorkout(_ id: UUID, to name: String) async throws {
    try await store.write { try Self.renameWorkout(id, to: name, in: $0) }
  }

  /// Changes the note of a workout or template: one row. Nil removes it.
  ///
  /// - Throws: `.notFound` when there is none with this id.
  public func writeNote(_ note: String?, of id: UUID) async throws { try await store.write { try Self.writeNote(note, of: id, in: $0) } }

  /// Renames a workout or template inside your transaction; as `renameWorkout(_:to:)`.
  public static func renameWorkout(_ id: UUID, to name: String, in tx: Writer) throws {
    try change(id, in: tx) { $0.workout.name = name }
  }

  /// Changes the note of a workout or template inside your transaction; as `writeNote(_:of:)`.
  public static func writeNote(_ note: String?, of id: UUID, in tx: Writer) throws {
    try change(id, in: tx) { $0.workout.note = note }
  }

  private static func change(_ id: UUID, in tx: Writer, _ body: (inout WorkoutRow) -> Void) throws {
    let stored = try workoutRow(id, in: tx)
    var row = stored
    body(&row)
    if row != stored { try tx.upsert(row) }
    try recordActivity(Activity.ofWorkout, id, in: tx)
  }
}
