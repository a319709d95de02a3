public import Foundation
public import Holdfast
public import HoldfastTransfer

extension InferenceStore {
  /// Registers the model that a file describes in the store at `store`; creates the store if there is none.
  ///
  /// The format is recognised by content; `format` decides when the content fits several. The model's id is the name of its
  /// file, or of the folder of its `config.json`, with a number if another model has this id. Values without a field are in
  /// `capabilities`, under their names in the source; of long lists, such as a vocabulary, only type and count. The model's
  /// file is not moved: of GGUF only the header is read, hashed and entered into the ledger, and no copy is made.
  /// - Throws: `.notFound`, `.invalidSource` with the offset, `.newerSource`, and what
  ///   `Store.importing(_:from:into:schemas:options:storeOptions:)` throws; the store is then as before.
  public static func importModels(
    from source: URL, into store: URL, format: String? = nil,
    options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let (source, format) = try model(at: source, format)
    return try Store.importing(format, from: source, into: store, schemas: [schema], options: options, storeOptions: storeOptions)
  }

  /// Registers the model that a file describes in this store.
  public func importModels(from source: URL, format: String? = nil, options: ImportOptions = ImportOptions()) throws -> ImportReport {
    let (source, format) = try Self.model(at: source, format)
    return try store.importing(format, from: source, options: options)
  }

  /// The formats of models among all readable formats.
  static let modelNames: Set = ["gguf", "hf-config"]

  private static func model(at url: URL, _ format: String?) throws -> (ImportSource, any ImportFormat) {
    // Of GGUF, the rest of the file must not be read.
    let isGGUF = format.map { $0 == "gguf" } ?? GGUF.recognises(url)
    // A file that cannot be read has 0 bytes here, and is reported below.
    if !isGGUF { try HuggingFaceConfig.checkSize(ModelFiles.sizeBytes(of: url.path), url) }
    var source = try isGGUF ? GGUF.source(url) : ImportSource(url)
    source.format = format
    return (source, try modelImporter(for: source))
  }

  /// The importer for a file that describes a model, for `Store.importing`. The content decides, or `source.format` when it fits several.
  ///
  /// - Parameter source: of GGUF the header is enough; see `ImportSource(_:leadingBytes:)`. `importModels` finds its length.
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource` with the offset.
  public static func modelImporter(for source: ImportSource) throws -> any ImportFormat {
    try source.check(among: description.readable.filter { modelNames.contains($0.name) })
    if source.format.map({ $0 == "gguf" }) ?? GGUF.recognises(source.url) { return try GGUF.format(source) }
    if try source.format == "hf-config" || !SQLiteSource.isDatabase(source.url) && HuggingFaceConfig.recognises(source) {
      return try HuggingFaceConfig.format(source)
    }
    throw StoreError(
      .invalidSource, "\(source.url.path) describes no model", offset: 0,
      suggestion: "Use a GGUF file, or the config.json in the folder of a model.")
  }
}
