import Foundation
import Holdfast
public import HoldfastTransfer

extension WorkoutLog: ImportingLibrary {
  /// The importer for a file of any readable format. The content decides, or `source.format` when it fits several.
  ///
  /// `source.hints` give facts that the source lacks: the time zone of times, the unit of weights, and the encoding of a text without a byte
  /// order mark. The source's workout in progress becomes the log's, if the log has none; otherwise it becomes history without an end. A
  /// later source with its end finishes it, unless a verb has changed it here. Its start and end are the source's, never the time of the
  /// import.
  /// - Throws: `.misuse` for a format or a unit that does not exist; `.invalidSource` with the offset, `.newerSource`.
  public static func importer(for source: ImportSource) throws -> any ImportFormat {
    try source.check(among: description.readable)
    let format = source.format
    if format.map(WorkoutSQLite.names.contains) ?? SQLiteSource.isDatabase(source.url) {
      return try WorkoutSQLite(SQLiteSource(source), named: source.url.path, as: format)
    }
    if let found = try csv(source) { return found }
    // The kit compares the hash of these bytes with the copy, whatever their content.
    let document = try source.document()
    let name = try format ?? (PortableImport.recognises(document) ? "holdfast" : WorkoutJSON.name(of: document))
    switch name {
    case "holdfast": return try WorkoutPortable(base: PortableImport(document, schemas: [schema]))
    case WorkoutTemplateJSON.formatName: return try WorkoutTemplateJSON(document, source.hints)
    default: return try WorkoutJSON(document, as: name)
    }
  }
}
