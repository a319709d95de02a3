import Holdfast
public import HoldfastTransfer

// snippet: own-transfer
extension ReadingList: ImportingLibrary {
  /// The importer for a file of books, or for what `export(to:)` wrote.
  public static func importer(for source: ImportSource) throws -> any ImportFormat {
    let document = try source.document()
    if PortableImport.recognises(document) { return try PortableImport(document, schemas: [schema]) }
    return try BooksJSON.importer(document)
  }
}
// end
