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
    let document = try source.document()
    let format: any ImportFormat =
      if PortableImport.recognises(document) { try PortableImport(document, schemas: [schema]) } else { try BooksJSON.importer(document) }
    return try Store.importing(format, from: source, into: store, schemas: [schema], options: options, storeOptions: storeOptions)
  }

  /// Writes everything to a file that `importBooks(from:into:)` brings back equal.
  ///
  /// - Throws: what `Store.export(to:)` throws; an existing file is then as before.
  public func export(to url: URL) throws -> ExportReport { try store.export(to: url) }
}
// end
