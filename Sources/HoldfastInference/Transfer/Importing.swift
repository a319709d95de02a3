public import Foundation
public import Holdfast
public import HoldfastTransfer

extension InferenceStore {
  /// The formats that `importLibrary` can read, by the name that its `format` takes.
  public static let readableFormats: [(name: String, what: String)] =
    description.readable.filter { !modelNames.contains($0.name) }.map { ($0.name, $0.what) }

  /// Imports a source of any readable format into the store at `store`; creates the store if there is none.
  ///
  /// The format is recognised by content; `format` decides when the content fits several. An API key in the source is sealed
  /// with `secretKey`. Without `secretKey` everything else is imported, and the report says that the key was skipped. The key
  /// is in no report and no quarantine, and no copy of such a source is kept. The source is never changed, still has the key,
  /// and may be deleted when you are sure. Consent, policies and privacy come from the source; missing values get the private
  /// defaults. Events of the SDK's databases wait to be sent only if the store's configuration consents after the import. Other
  /// events are set aside, and the report counts them. These formats use no `hints`.
  /// - Throws: `.notFound`, `.invalidSource`, `.newerSource`; `.wrongKey` when `secretKey` is not 32 bytes long; and what
  ///   `Store.importing(_:from:into:schemas:options:storeOptions:)` throws; the store is then as before.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, hints: SourceHints = SourceHints(), secretKey: SecretKey? = nil,
    options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(source)
    return try Store.importing(
      importer(for: source, format: format, secretKey: secretKey), from: source, into: store, schemas: [schema], options: options,
      storeOptions: storeOptions)
  }

  /// The same without blocking the caller. When the task is cancelled, the import ends with `.cancelled` at its next record.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, hints: SourceHints = SourceHints(), secretKey: SecretKey? = nil,
    options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) async throws -> ImportReport {
    try await options.importing { options in
      try importLibrary(
        from: source, into: store, format: format, hints: hints, secretKey: secretKey, options: options, storeOptions: storeOptions)
    }
  }

  /// The importer for a file of any readable format, for `Store.importing`. The content decides, or `format` when it fits several.
  ///
  /// - Parameter secretKey: seals the API keys in the source; nil leaves them out.
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource`, `.newerSource`; `.wrongKey` when `secretKey` is not 32 bytes
  ///   long.
  public static func importer(
    for source: ImportSource, format: String? = nil, secretKey: SecretKey? = nil
  ) throws -> any ImportFormat {
    try source.check(format, among: readableFormats.map(\.name))
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
      throw StoreError(.invalidSource, "\(source.url.path) is neither the SDK's database nor a file that Holdfast exported")
    }
    return try InferencePortable(PortableImport(source.document(), schemas: [schema]))
  }
}
