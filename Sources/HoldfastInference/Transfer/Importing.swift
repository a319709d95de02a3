public import Foundation
public import Holdfast
public import HoldfastTransfer

extension InferenceStore: ImportingLibrary {
  /// Imports a source, and seals the API keys in it.
  ///
  /// Without a key `importLibrary(from:into:format:hints:options:storeOptions:)` imports everything else, and the report says that the API
  /// key was skipped. The API key is in no report and no quarantine, and no copy of such a source is kept. The source is never changed,
  /// still has the API key, and may be deleted when you are sure. Consent, policies and privacy come from the source; missing values get
  /// the private defaults. Events of the SDK's databases wait to be sent only if the store's configuration consents after the import.
  /// Other events are set aside, and the report counts them.
  /// - Parameter secretKey: seals the API keys; nil leaves them out.
  /// - Throws: `.wrongKey` when `secretKey` is not 32 bytes long; and what the form without a key throws.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, secretKey: SecretKey?, options: ImportOptions = ImportOptions(),
    storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(source, format: format)
    return try Store.importing(
      importer(for: source, secretKey: secretKey), from: source, into: store, schemas: [schema], options: options,
      storeOptions: storeOptions)
  }

  /// The same without blocking the caller. When the task is cancelled, the import ends with `.cancelled` at its next record.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, secretKey: SecretKey?, options: ImportOptions = ImportOptions(),
    storeOptions: StoreOptions = .production
  ) async throws -> ImportReport {
    try await options.importing { options in
      try importLibrary(from: source, into: store, format: format, secretKey: secretKey, options: options, storeOptions: storeOptions)
    }
  }

  /// The importer for a file of any readable format. The content decides, or `source.format` when it fits several. Leaves API keys out.
  public static func importer(for source: ImportSource) throws -> any ImportFormat { try importer(for: source, secretKey: nil) }

  /// The importer that seals the API keys in the source.
  ///
  /// - Parameter secretKey: seals the API keys in the source; nil leaves them out.
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource`, `.newerSource`; `.wrongKey` when `secretKey` is not 32 bytes
  ///   long.
  public static func importer(for source: ImportSource, secretKey: SecretKey?) throws -> any ImportFormat {
    try source.check(among: description.readable.filter { !modelNames.contains($0.name) })
    let format = source.format
    if format.map({ $0 != "holdfast" }) ?? SQLiteSource.isDatabase(source.url) {
      let database = try SQLiteSource(source)
      let isFirst = try InferenceDatabase.isFirst(database, named: source.url.path)
      let name = isFirst ? BlobScan.formatName : GRDBScan.formatName
      if let format, format != name {
        throw StoreError(.invalidSource, "\(source.url.path) is not \(format): it has the columns of \(name)")
      }
      return isFirst
        ? try InferenceImport<BlobScan>(database, secretKey)
        : try InferenceImport<GRDBScan>(database, secretKey)
    }
    guard try format == "holdfast" || PortableImport.recognises(source) else {
      throw StoreError(
        .invalidSource,
        "\(source.url.path) is no model's GGUF file or config.json, no database of the SDK, and no file that Holdfast exported",
        suggestion: "Choose another file; of a model in several files, such as .safetensors, the config.json beside them.")
    }
    return try InferencePortable(base: PortableImport(source.document(), schemas: [schema]))
  }
}
