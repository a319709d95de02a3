public import Foundation
public import Holdfast

extension InferenceStore {
  /// Opens the store at `url`, and brings in the SDK's legacy database the first time it is found.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` says what became of it. When that fails and there is
  /// no store yet, what can be read of it is loaded into memory: `access` is `.readOnly` with the reason, because the SDK's files are only
  /// read. When the import fails and there is a store, the store is opened and `importFailure` says why. The next opening tries again. A key
  /// of the API that was skipped because there was no `secretKey` is not tried again: `importLibrary` does.
  /// - Throws: what `open(at:secretKey:options:)` throws for a store that is there; `.cancelled` when the task is; `.permissionDenied`,
  ///   `.inputOutput` when the legacy file cannot be read either.
  public static func open(
    at url: URL, legacy: URL, secretKey: SecretKey? = nil, secretProperties: SecretProperties = .standard,
    options: StoreOptions = .production
  ) throws -> InferenceStore {
    InferenceStore(
      opened: try Store.open(
        at: url, legacy: legacy, schemas: [schema], options: options, holdsNothing: { _ in false },
        // Where the key for secrets is none, all else can be read.
        damaged: { try recognised($0) }, recognised: { try recognised($0, nil, SourceHints(), secretKey) }), secretKey: secretKey,
      secretProperties: secretProperties)
  }
}
