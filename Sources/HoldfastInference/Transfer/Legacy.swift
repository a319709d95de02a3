public import Foundation
public import Holdfast
import HoldfastTransfer

extension InferenceStore {
  /// Opens the store at `url`, and brings in the SDK's legacy database the first time it is found.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` says what became of it. When that fails and there is
  /// no store yet, what can be read of it is loaded into memory: `access` is `.readOnly` with the reason, because the SDK's files are only
  /// read. When the import fails and there is a store, the store is opened and `importFailure` says why. The next opening tries again. A
  /// key of the API that was skipped because there was no `secretKey` is not tried again: `importLibrary` does.
  /// - Throws: what `open(at:secretKey:secretProperties:options:)` throws for a store that is there; `.cancelled` when the task is;
  ///   `.permissionDenied`, `.inputOutput` when the legacy file cannot be read either.
  public static func open(
    at url: URL, legacy: URL, secretKey: SecretKey? = nil, secretProperties: SecretProperties = .standard,
    options: StoreOptions = .production
  ) throws -> InferenceStore {
    InferenceStore(
      opened: try Store.open(
        at: url, legacy: legacy, schemas: [schema], options: options, holdsNothing: holdsNothing,
        // Where the key for secrets is none, all else can be read.
        damaged: { try recognised($0, nil, SourceHints(), nil) },
        recognised: { try recognised($0, nil, SourceHints(), secretKey) }),
      secretKey: secretKey, secretProperties: secretProperties)
  }

  /// Whether a file is one that the SDK made and never wrote to, or could not migrate: on the tables of its first database the second one's
  /// migration failed, and that of the first version of the second always did.
  private static func holdsNothing(_ source: ImportSource) -> Bool {
    if source.bytes == 0 { return true }
    guard let database = try? SQLiteSource(source) else { return false }
    return database.tables.allSatisfy { table in
      InferenceDatabase.bookkeeping.contains(table.asciiLowercased) || (try? database.count(of: table)) == 0
    }
  }
}
