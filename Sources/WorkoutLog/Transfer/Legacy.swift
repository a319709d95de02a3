public import Foundation
public import Holdfast

extension WorkoutLog {
  /// Opens the log at `url`, and brings in the app's legacy file the first time it is found.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` says what became of it. When that fails and there
  /// is no store yet, the log is loaded from the legacy file, where that is whole, and lives in memory: `access` is `.readOnly` with the
  /// reason, because the app's files are only read; of a damaged file nothing is loaded. When the import fails and there is a store, or
  /// nothing stands in the file, the store is opened and `importFailure` says why. The next opening tries again.
  /// - Throws: what `open(at:options:)` throws for a store that is there; `.cancelled` when the task is; `.permissionDenied`,
  ///   `.inputOutput` when the legacy file cannot be read either.
  public static func open(at url: URL, legacy: URL, options: StoreOptions = .production) throws -> WorkoutLog {
    WorkoutLog(
      opened: try Store.open(
        at: url, legacy: legacy, schemas: [schema], options: options,
        holdsNothing: { source in (try? source.document()).map(WorkoutJSON.holdsNothing) == true }, recognised: { try recognised($0) }))
  }
}
