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
  /// For `progress` and errors see `Store.open(at:legacy:reading:as:schemas:options:progress:importer:)`.
  public static func open(
    at url: URL, legacy: URL, options: StoreOptions = .production, progress: (@Sendable (OpeningProgress) -> Bool)? = nil
  ) throws -> AudiobookLibrary {
    AudiobookLibrary(
      opened: try Store.open(
        at: url, legacy: legacy, reading: file(of: legacy), as: LibraryJSON.self, schemas: [schema], options: options, progress: progress,
        importer: { try importer(for: $0) }))
  }
}
