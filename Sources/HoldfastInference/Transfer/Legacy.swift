public import Foundation
public import Holdfast
public import HoldfastTransfer

extension InferenceStore {
  /// Opens the store at `url`, and imports the SDK's legacy database once.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` has the result. If the import fails and there is no
  /// store yet, the readable part is loaded into memory. `access` is `.readOnly` with the reason, because the SDK's files are only read.
  /// If the import fails and there is a store, the store is opened and `importFailure` says why. The next opening tries again. An API key
  /// that was skipped for lack of a `secretKey` is not tried again; call `importLibrary` for it.
  ///
  /// For `progress` and errors see `Store.open(at:legacy:reading:as:schemas:options:progress:importer:)`.
  public static func open(
    at url: URL, legacy: URL, secretKey: SecretKey? = nil, secretProperties: SecretProperties = .standard,
    options: StoreOptions = .production, progress: (@Sendable (OpeningProgress) -> Bool)? = nil
  ) throws -> InferenceStore {
    InferenceStore(
      opened: try Store.open(
        at: url, legacy: legacy, schemas: [schema], options: options, progress: progress, holdsNothing: holdsNothing,
        // Everything but keys can be read with an invalid key for secrets.
        damaged: { try importer(for: $0) },
        importer: { try importer(for: $0, secretKey: secretKey) }),
      secretKey: secretKey, secretProperties: secretProperties)
  }

  /// Whether the SDK made the file and never wrote to it, or could not migrate it: the second database's migration failed on
  /// the first database's tables, and its first version always failed.
  private static func holdsNothing(_ source: ImportSource) -> Bool {
    if source.bytes == 0 { return true }
    return (try? SourceTables(SQLiteSource(source), own: []))?.total == 0
  }
}
