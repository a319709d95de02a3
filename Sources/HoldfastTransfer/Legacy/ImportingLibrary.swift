public import Foundation
public import Holdfast

/// A library that names its importer. Importing, exporting, and opening beside a legacy file come with it.
///
/// ```swift
/// extension ReadingList: ImportingLibrary {
///   public static func importer(for source: ImportSource) throws -> any ImportFormat { try BooksJSON.importer(source.document()) }
/// }
/// ```
public protocol ImportingLibrary: Library {
  /// The importer for a source. The content decides, never the file's name.
  ///
  /// - Throws: `.invalidSource` with the offset, `.newerSource`.
  static func importer(for source: ImportSource) throws -> any ImportFormat
}

extension ImportingLibrary {
  /// Imports a source into the library at `store`, and makes the library when there is none.
  ///
  /// - Throws: `.notFound`, `.invalidSource`, `.newerSource`, and what `Store.importing` throws; the store is then as before.
  public static func importLibrary(
    from source: URL, into store: URL, options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(source)
    return try Store.importing(
      importer(for: source), from: source, into: store, schemas: [schema], options: options, storeOptions: storeOptions)
  }

  /// The same without blocking the caller. When the task is cancelled, the import ends with `.cancelled` at its next record.
  public static func importLibrary(
    from source: URL, into store: URL, options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) async throws -> ImportReport {
    try await options.importing { options in
      try importLibrary(from: source, into: store, options: options, storeOptions: storeOptions)
    }
  }

  /// Opens the library at `url`, and imports the file in which the app kept its data before, once.
  ///
  /// If that fails, or `progress` returns false, and there is no store yet, the library is in memory and read-only, with the records that
  /// can be read. `opened.importFailure` says why, and the next opening tries again.
  ///
  /// - Parameter progress: called during migrations and during the import, on this thread. False cancels the import; a migration always ends.
  /// - Throws: what `Store.open(at:legacy:schemas:options:progress:holdsNothing:damaged:importer:)` throws.
  public static func open(
    at url: URL, legacy: URL, options: StoreOptions = .production, progress: (@Sendable (OpeningProgress) -> Bool)? = nil
  ) throws -> (library: Self, opened: OpenedStore) {
    let opened = try Store.open(at: url, legacy: legacy, schemas: [schema], options: options, progress: progress) {
      try importer(for: $0)
    }
    return (Self(opened.store), opened)
  }

  /// Writes everything to a file that `PortableImport` reads back equal.
  ///
  /// - Throws: what `Store.export(to:)` throws; an existing file is then as before.
  public func export(to url: URL) throws -> ExportReport { try store.export(to: url) }
}
