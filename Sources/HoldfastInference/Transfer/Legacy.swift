public import Foundation
public import Holdfast
import HoldfastTransfer

extension InferenceStore {
  /// Opens the store at `url`, and imports the SDK's legacy database once.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` has the result. If the import fails and there is no
  /// store yet, the readable part is loaded into memory. `access` is `.readOnly` with the reason, because the SDK's files are only read.
  /// If the import fails and there is a store, the store is opened and `importFailure` says why. The next opening tries again. An API key
  /// that was skipped for lack of a `secretKey` is not tried again; call `importLibrary` for it.
  /// - Throws: what `open(at:secretKey:secretProperties:options:)` throws for an existing store; `.cancelled` when the task is
  ///   cancelled; `.permissionDenied` or `.inputOutput` when the legacy file cannot be read either.
  public static func open(
    at url: URL, legacy: URL, secretKey: SecretKey? = nil, secretProperties: SecretProperties = .standard,
    options: StoreOptions = .production
  ) throws -> InferenceStore {
    InferenceStore(
      opened: try Store.open(
        at: url, legacy: legacy, schemas: [schema], options: options, holdsNothing: holdsNothing,
        // Everything but keys can be read with an invalid key for secrets.
        damaged: { try recognised($0, nil, SourceHints(), nil) },
        recognised: { try recognised($0, nil, SourceHints(), secretKey) }),
      secretKey: secretKey, secretProperties: secretProperties)
  }

  /// Whether the SDK made the file and never wrote to it, or could not migrate it: the second database's migration failed on
  /// the first database's tables, and its first version always failed.
  private static func holdsNothing(_ source: ImportSource) -> Bool {
    if source.bytes == 0 { return true }
    guard let database = try? SQLiteSource(source) else { return false }
    return database.tables.allSatisfy { table in
      InferenceDatabase.bookkeeping.contains(table.asciiLowercased) || (try? database.count(of: table)) == 0
    }
  }
}
