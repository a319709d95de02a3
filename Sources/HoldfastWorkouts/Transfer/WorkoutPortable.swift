import Foundation
import Holdfast
import HoldfastTransfer

/// The documented export of a log. If this log has a workout in progress, it stays, and the file's one is imported as history
/// without an end, as from every other source.
struct WorkoutPortable: PortableFormat {
  let base: PortableImport

  func scan(_ reader: Reader, _ visit: (Scanned<PortableImport.Row>, Int) throws -> Void) throws {
    try base.scan(reader) { scanned, position in
      guard case .record(var record) = scanned else { return try visit(scanned, position) }
      if record.kind == ActiveRow.table, try !goesOn(record[text: "workout_id"], in: reader) {
        let reason = "its workout cannot be continued in this log: another one is in progress, or this one is finished"
        return try visit(.skipped(kind: record.kind, path: record.path, reason: reason), position)
      }
      if record.kind == WorkoutRow.table, record[text: "state"] == WorkoutState.active.rawValue, try !goesOn(record[text: "id"], in: reader)
      {
        record[text: "state"] = WorkoutState.finished.rawValue
      }
      try visit(.record(record), position)
    }
  }

  /// Whether the file's workout in progress is or becomes the one in this log: it already is the one, or it is unknown and the
  /// log has none.
  private func goesOn(_ id: String?, in reader: Reader) throws -> Bool {
    guard let id = id.flatMap(IDCodec.parse) else { return true }
    if let current = try WorkoutLog.active(in: reader) { return current.workoutID == id }
    guard let stored = try reader.find(WorkoutRow.self, id: id) else { return true }
    return stored.state == .active
  }

  /// - Throws: `.constraint` for a row that would end this log's workout in progress.
  func write(_ record: SourceRecord<PortableImport.Row>, in tx: Writer) throws {
    if record.kind == WorkoutRow.table, let id = record[text: "id"].flatMap(IDCodec.parse),
      record[text: "state"] != WorkoutState.active.rawValue, try WorkoutLog.active(in: tx)?.workoutID == id
    {
      throw StoreError(.constraint, "the workout is in progress in this log, but finished in the source")
    }
    try base.write(record, in: tx)
  }
}
