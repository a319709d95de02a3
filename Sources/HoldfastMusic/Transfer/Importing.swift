public import Foundation
public import Holdfast
public import HoldfastTransfer

extension MusicStore {
  /// The formats that `importLibrary` can read, by the name that its `format` takes.
  public static let readableFormats: [(name: String, what: String)] = description.readable.map { ($0.name, $0.what) }

  /// Imports a source of any readable format into the library at `store`; creates the library if there is none.
  ///
  /// The format is recognised by content; `format` decides when the content fits several. `hints` give facts that the source
  /// lacks: the time zone of times in old iTunes exports, and the encoding of an M3U without a byte order mark. The source may
  /// be the player's bundle `MusicPlayer.library`.
  /// - Throws: `.notFound`, `.invalidSource` with the offset, `.newerSource`, and what
  ///   `Store.importing(_:from:into:schemas:options:storeOptions:)` throws; the store is then as before.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, hints: SourceHints = SourceHints(),
    options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(file(of: source))
    return try Store.importing(
      importer(for: source, format: format, hints: hints), from: source, into: store, schemas: [schema], options: options,
      storeOptions: storeOptions)
  }

  /// The same without blocking the caller. When the task is cancelled, the import ends with `.cancelled` at its next record.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, hints: SourceHints = SourceHints(),
    options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) async throws -> ImportReport {
    try await options.importing { options in
      try importLibrary(from: source, into: store, format: format, hints: hints, options: options, storeOptions: storeOptions)
    }
  }

  /// The importer for a file of any readable format, for `Store.importing`. The content decides, or `format` when it fits several.
  ///
  /// - Parameter hints: facts that the source lacks; see `importLibrary`.
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource` with the offset, `.newerSource`.
  public static func importer(
    for source: ImportSource, format: String? = nil, hints: SourceHints = SourceHints()
  ) throws -> any ImportFormat {
    try source.check(format, among: readableFormats.map(\.name))
    if format == "music-sqlite" || format == nil && SQLiteSource.isDatabase(source.url) {
      return try MusicSQLite(SQLiteSource(source), named: source.url.path)
    }
    if let found = try interchange(source, format, hints) { return found }
    // The kit compares the hash of these bytes with the copy, whatever their content.
    let document = try source.document()
    switch format ?? name(of: document) {
    case "holdfast": return try PortableImport(document, schemas: [schema])
    default: return try MusicJSON(document)
    }
  }

  /// The format of a text file, by its content.
  private static func name(of document: JSONDocument) -> String {
    if PortableImport.recognises(document) { return "holdfast" }
    return "music-json"
  }
}
