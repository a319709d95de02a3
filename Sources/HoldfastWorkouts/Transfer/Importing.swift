public import Foundation
public import Holdfast
public import HoldfastTransfer

extension WorkoutLog {
  /// The formats that `importLibrary` can read, by the name that its `format` takes.
  public static let readableFormats: [(name: String, what: String)] = description.readable.map { ($0.name, $0.what) }

  /// Imports a source of any readable format into the log at `store`; creates the log if there is none.
  ///
  /// The format is recognised by content; `format` decides when the content fits several. `hints` give facts that the source lacks: the
  /// time zone of times, the unit of weights, and the encoding of a text without a byte order mark. The source's workout in progress
  /// becomes the log's, if the log has none; otherwise it becomes history without an end. A later source with its end finishes it, unless
  /// a verb has changed it here. Its start and end are the source's, never the time of the import.
  /// - Throws: `.notFound`, `.invalidSource` with the offset, `.newerSource`, and what
  ///   `Store.importing(_:from:into:schemas:options:storeOptions:)` throws; the store is then as before.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, hints: SourceHints = SourceHints(),
    options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(source)
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
  /// - Throws: `.misuse` for a format or a unit that does not exist; `.invalidSource` with the offset, `.newerSource`.
  public static func importer(
    for source: ImportSource, format: String? = nil, hints: SourceHints = SourceHints()
  ) throws -> any ImportFormat {
    try source.check(format, among: readableFormats.map(\.name))
    if format.map(WorkoutSQLite.names.contains) ?? SQLiteSource.isDatabase(source.url) {
      return try WorkoutSQLite(SQLiteSource(source), named: source.url.path, as: format)
    }
    if let found = try csv(source, format, hints) { return found }
    // The kit compares the hash of these bytes with the copy, whatever their content.
    let document = try source.document()
    let name = try format ?? (PortableImport.recognises(document) ? "holdfast" : WorkoutJSON.name(of: document))
    switch name {
    case "holdfast": return try WorkoutPortable(PortableImport(document, schemas: [schema]))
    case WorkoutTemplateJSON.formatName: return try WorkoutTemplateJSON(document, hints)
    default: return try WorkoutJSON(document, as: name)
    }
  }
}
