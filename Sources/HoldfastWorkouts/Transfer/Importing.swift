public import Foundation
public import Holdfast
public import HoldfastTransfer

extension WorkoutLog {
  /// What `importLibrary` can read, by the name that its `format` takes.
  public static let readableFormats: [(name: String, what: String)] = description.readable.map { ($0.name, $0.what) }

  /// Imports a source of any readable format into the log at `store`, and makes it when there is none.
  ///
  /// The format is recognised by content; `format` settles doubt. `hints` are for what the source does not say: the time zone of times
  /// without one, the unit of weights without one, and the encoding of a text without a byte order mark. A workout in progress goes on
  /// where none is, and becomes history without an end where one is; a source that has its end finishes it, unless a verb changed it here.
  /// Its start and its end are the source's, never now.
  /// - Throws: `.notFound`, `.invalidSource` with the offset, `.newerSource`, and what
  ///   `Store.importing(_:from:into:schemas:options:storeOptions:)` throws; the store is then as before.
  public static func importLibrary(
    from source: URL, into store: URL, format: String? = nil, hints: SourceHints = SourceHints(),
    options: ImportOptions = ImportOptions(), storeOptions: StoreOptions = .production
  ) throws -> ImportReport {
    let source = try ImportSource(source)
    return try Store.importing(
      recognised(source, format, hints), from: source, into: store, schemas: [schema], options: options, storeOptions: storeOptions)
  }

  /// The reader for what the file holds.
  package static func recognised(
    _ source: ImportSource, _ format: String? = nil, _ hints: SourceHints = SourceHints()
  ) throws -> any ImportFormat {
    try source.check(format, among: readableFormats.map(\.name))
    if format.map(WorkoutSQLite.names.contains) ?? SQLiteSource.isDatabase(source.url) {
      return try WorkoutSQLite(SQLiteSource(source), named: source.url.path, as: format)
    }
    if let found = try csv(source, format, hints) { return found }
    // Whatever its content: the bytes are read once, and the kit proves that they are those that were copied.
    let document = try source.document()
    let name = try format ?? (PortableImport.recognises(document) ? "holdfast" : WorkoutJSON.name(of: document))
    switch name {
    case "holdfast": return try WorkoutPortable(PortableImport(document, schemas: [schema]))
    case WorkoutTemplateJSON.formatName: return try WorkoutTemplateJSON(document, hints)
    default: return try WorkoutJSON(document, as: name)
    }
  }
}
