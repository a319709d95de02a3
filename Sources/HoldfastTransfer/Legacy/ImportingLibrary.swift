public import Foundation
public import Holdfast

/// A library that names its importer. Importing, exporting, and opening beside a legacy file come with it. A `LegacyLibrary` opens beside
/// its file in its own way.
///
/// ```swift
/// extension ReadingList: ImportingLibrary {
///   public static func importer(for source: ImportSource) throws -> any ImportFormat { try BooksJSON.importer(source.document()) }
/// }
/// ```
public protocol ImportingLibrary: Library {
  /// The importer for a source. The content decides, never the file's name; `source.format` decides when the content fits several formats.
  ///
  /// - Throws: `.invalidSource` with the offset, `.newerSource`; `.misuse` for a format or a hint that does not exist.
  static func importer(for source: ImportSource) throws -> any ImportFormat

  /// The file that is meant by a path, for example the library inside a bundle. Default: the file itself.
  ///
  /// - Throws: `.invalidSource` when several files may be meant.
  static func file(of source: URL) throws -> URL
}

extension ImportingLibrary {
  /// The file itself.
  public static func file(of source: URL) throws -> URL { source }

  /// Imports a source of any readable format into the library at `store`, and makes the library when there is none.
  ///
  /// - Parameters:
  ///   - format: the name of the format, for content that fits several; nil: the content decides.
  ///   - hints: facts that the source lacks, such as the time zone of its times. A format that needs none ignores them.
  /// - Throws: `.notFound`, `.invalidSource` with the offset, `.newerSource`, and what
  ///   `Store.importing(_:from:into:schemas:options:storeOptions:)` throws; the store is then as before.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, hints: SourceHints = SourceHints(),
    options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(file(of: source), format: format, hints: hints)
    return try Store.importing(
      importer(for: source), from: source, into: store, schemas: [schema], options: options, storeOptions: storeOptions)
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

  /// The same, as a program for several libraries asks for it; see `LibraryDescription.importing`.
  public static func importLibrary(_ wanted: LibraryImport) throws -> ImportReport {
    try importLibrary(
      from: wanted.source, into: wanted.store, format: wanted.format, hints: wanted.hints, options: wanted.options,
      storeOptions: wanted.storeOptions)
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
