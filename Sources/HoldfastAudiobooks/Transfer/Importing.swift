public import Foundation
public import Holdfast
public import HoldfastTransfer

extension AudiobookLibrary {
  /// The formats that `importLibrary` can read, by the name that its `format` takes.
  public static let readableFormats: [(name: String, what: String)] = description.readable.map { ($0.name, $0.what) }

  /// Imports a source of any readable format into the library at `store`; creates the library if there is none.
  ///
  /// The format is recognised by content; `format` decides when the content fits several. If `library.json` is missing, but a
  /// crash of the player left `library.json.tmp`, the import reads that file.
  /// - Throws: `.notFound`, `.invalidSource` with the offset, `.newerSource`, and what
  ///   `Store.importing(_:from:into:schemas:options:storeOptions:)` throws; the store is then as before.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, options: ImportOptions = ImportOptions(),
    storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(present(source))
    return try Store.importing(
      importer(for: source, format: format), from: source, into: store, schemas: [schema], options: options, storeOptions: storeOptions)
  }

  /// The same without blocking the caller. When the task is cancelled, the import ends with `.cancelled` at its next record.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, options: ImportOptions = ImportOptions(),
    storeOptions: StoreOptions = .production
  ) async throws -> ImportReport {
    try await options.importing { options in
      try importLibrary(from: source, into: store, format: format, options: options, storeOptions: storeOptions)
    }
  }

  /// The file itself, or the file that a crash during the player's save has left.
  static func present(_ source: URL) -> URL {
    let files = FileManager.default
    let left = URL(fileURLWithPath: source.path + ".tmp")
    return !files.fileExists(atPath: source.path) && files.fileExists(atPath: left.path) ? left : source
  }

  /// The importer for a file of any readable format, for `Store.importing`. The content decides, or `format` when it fits several.
  ///
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource` with the offset, `.newerSource`.
  public static func importer(for source: ImportSource, format: String? = nil) throws -> any ImportFormat {
    try source.check(format, among: readableFormats.map(\.name))
    if format == "library-sqlite" || format == nil && SQLiteSource.isDatabase(source.url) {
      return try LibrarySQLite(SQLiteSource(source), named: source.url.path)
    }
    let document = try source.document()
    if format == "holdfast" || format == nil && PortableImport.recognises(document) {
      return try PortableImport(document, schemas: [schema])
    }
    return try LibraryJSON(document)
  }
}
