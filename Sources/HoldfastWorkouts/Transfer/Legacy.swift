public import Foundation
public import Holdfast
public import HoldfastTransfer

extension WorkoutLog {
  /// Opens the log at `url`, and imports the app's legacy file once.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` has the result.
  ///
  /// If the import fails and there is no store yet, the log is loaded from the legacy file as far as possible and lives in
  /// memory. `access` is `.readOnly` with the reason, because the app's files are only read. From JSON that is damaged or cut
  /// off, the log has every set, exercise and workout whose id, name and start stand before the damage; from a damaged database
  /// it has nothing. If the import fails and there is a store, or the file is empty, the store is opened and `importFailure`
  /// says why. The next opening tries again.
  ///
  /// For `progress` and errors see `Store.open(at:legacy:reading:as:schemas:options:progress:importer:)`.
  public static func open(
    at url: URL, legacy: URL, options: StoreOptions = .production, progress: (@Sendable (OpeningProgress) -> Bool)? = nil
  ) throws -> WorkoutLog {
    WorkoutLog(
      opened: try Store.open(
        at: url, legacy: legacy, schemas: [schema], options: options, progress: progress,
        holdsNothing: { source in (try? source.document()).map(WorkoutJSON.holdsNothing) == true },
        damaged: { try damaged($0) }, importer: { try importer(for: $0) }))
  }

  /// The reader for the part of the app's JSON before the damage.
  private static func damaged(_ source: ImportSource) throws -> any ImportFormat {
    let document = try source.document()
    let name = try WorkoutJSON.name(of: document)
    guard name == WorkoutTemplateJSON.formatName else { return try WorkoutJSON(damaged: document, as: name) }
    return WorkoutTemplateJSON(damaged: document)
  }
}
