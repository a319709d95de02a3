public import Foundation
public import Holdfast
import HoldfastTransfer

extension WorkoutLog {
  /// Opens the log at `url`, and brings in the app's legacy file the first time it is found.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` says what became of it. When that fails and there
  /// is no store yet, the log is loaded from the legacy file as far as it can be read, and lives in memory: `access` is `.readOnly` with
  /// the reason, because the app's files are only read. Of JSON that is damaged or cut off, that is every set, exercise and workout whose
  /// id, name and start stand before the damage; of a damaged database it is nothing. When the import fails and there is a store, or
  /// nothing stands in the file, the store is opened and `importFailure` says why. The next opening tries again.
  /// - Throws: what `open(at:options:)` throws for a store that is there; `.cancelled` when the task is; `.permissionDenied`,
  ///   `.inputOutput` when the legacy file cannot be read either.
  public static func open(at url: URL, legacy: URL, options: StoreOptions = .production) throws -> WorkoutLog {
    WorkoutLog(
      opened: try Store.open(
        at: url, legacy: legacy, schemas: [schema], options: options,
        holdsNothing: { source in (try? source.document()).map(WorkoutJSON.holdsNothing) == true },
        damaged: { try damaged($0) }, recognised: { try recognised($0) }))
  }

  /// The reader for what stands before the damage of the app's JSON.
  private static func damaged(_ source: ImportSource) throws -> any ImportFormat {
    let document = try source.document()
    let name = try WorkoutJSON.name(of: document)
    guard name == WorkoutTemplateJSON.formatName else { return try WorkoutJSON(damaged: document, as: name) }
    return WorkoutTemplateJSON(damaged: document)
  }
}
