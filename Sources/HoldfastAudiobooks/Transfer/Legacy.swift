public import Foundation
public import Holdfast
public import HoldfastTransfer

extension AudiobookLibrary {
  /// Opens the library at `url`, and imports the player's legacy file once.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` has the result.
  ///
  /// If the import fails and there is no store yet, the library opens in legacy mode, and `access` is `.legacy` with the
  /// reason. It is loaded from the legacy file as far as possible and lives in memory. Every change is first written to the
  /// legacy file in the player's format; if that write fails, the change throws and is undone. Before the first such write the
  /// legacy file is copied to `<name>.backup`. Records that could not be read stay in the file word for word, for the
  /// quarantine of a later import. A file of a newer version, a database or an export is only read.
  ///
  /// If the import fails and there is a store, the store is opened and `importFailure` says why. The next opening tries again.
  ///
  /// - Parameter progress: called during migrations and during the import, on this thread. False means "not now": the import is
  ///   cancelled with nothing changed, and the library opens as after a failed import; `importFailure` has the code `.cancelled`.
  ///   A migration always ends.
  /// - Throws: what `open(at:options:)` throws for an existing store; `.cancelled` when the task is cancelled;
  ///   `.permissionDenied` or `.inputOutput` when the legacy file cannot be read either.
  public static func open(
    at url: URL, legacy: URL, options: StoreOptions = .production, progress: (@Sendable (OpeningProgress) -> Bool)? = nil
  ) throws -> AudiobookLibrary {
    AudiobookLibrary(
      opened: try Store.open(
        at: url, legacy: legacy, reading: file(of: legacy), as: LibraryJSON.self, schemas: [schema], options: options, progress: progress,
        importer: { try importer(for: $0) }))
  }
}
