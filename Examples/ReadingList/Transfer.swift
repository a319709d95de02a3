public import Foundation
public import Holdfast
public import HoldfastTransfer

// snippet: own-transfer
extension ReadingList {
  /// Imports a file of books, or what `export(to:)` wrote, into the list at `store`, and makes it when there is none.
  ///
  /// - Throws: `.notFound`, `.invalidSource`, `.newerSource`, and what `Store.importing` throws; the store is then as before.
  public static func importBooks(
    from source: URL, into store: URL, options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(source)
    return try Store.importing(
      importer(for: source), from: source, into: store, schemas: [schema], options: options, storeOptions: storeOptions)
  }

  private static func importer(for source: ImportSource) throws -> any ImportFormat {
    let document = try source.document()
    if PortableImport.recognises(document) { return try PortableImport(document, schemas: [schema]) }
    return try BooksJSON.importer(document)
  }

  /// Writes everything to a file that `importBooks(from:into:)` brings back equal.
  ///
  /// - Throws: what `Store.export(to:)` throws; an existing file is then as before.
  public func export(to url: URL) throws -> ExportReport { try store.export(to: url) }
}
// end

// snippet: own-legacy
extension ReadingList {
  /// Opens the list at `url`, and imports the file in which the app kept its books before, once.
  ///
  /// If that fails, or `progress` returns false, and there is no store yet, the list is in memory and read-only, with the books that can be
  /// read. `opened.importFailure` says why, and the next opening tries again.
  public static func open(
    at url: URL, legacy: URL, options: StoreOptions = .production, progress: (@Sendable (OpeningProgress) -> Bool)? = nil
  ) throws -> (list: ReadingList, opened: OpenedStore) {
    let opened = try Store.open(at: url, legacy: legacy, schemas: [schema], options: options, progress: progress) {
      try importer(for: $0)
    }
    return (ReadingList(opened.store), opened)
  }
}
// end
