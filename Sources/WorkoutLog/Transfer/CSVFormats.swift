import Foundation
package import Holdfast

extension WorkoutLog {
  /// The tables that other programs write, as `readableFormats` has them.
  static let csvFormats: [(name: String, what: String)] = [
    ("strong-csv", "the table that Strong exports, in any of its versions"),
    ("hevy-csv", "the table that Hevy exports"),
    ("fitnotes-csv", "the table that FitNotes exports"),
    ("stronglifts-csv", "the table that StrongLifts exports"),
  ]

  /// What a table is refused with that has weights and no unit, while `hints.weightUnit` is nil.
  package static let unitQuestion = StoreError(
    .invalidSource, "the file does not say whether its weights are kilograms or pounds",
    suggestion: "Import it again and say it: kg or lb, as the app that wrote it showed them. Nothing was changed.")

  /// The reader for a file of one of these, by the name of its format or else by its header; nil when it is none.
  ///
  /// - Throws: `.misuse` for a hint that names no unit of weight; `.invalidSource` when the format was named and the file is something else.
  package static func csv(_ source: ImportSource, _ format: String?, _ hints: SourceHints) throws -> (any ImportFormat)? {
    guard format == nil || csvFormats.contains(where: { $0.name == format }) else { return nil }
    let unit = try hints.weightUnit.map { text in
      guard let unit = WeightUnit(spelled: text) else {
        throw StoreError(.misuse, "there is no unit of weight \(text)", suggestion: "Use kg or lb.")
      }
      return unit
    }
    if format == nil, try beginsOtherwise(source) { return nil }
    let clock = WallClock(timeZone: hints.timeZone ?? .current)
    let file: CSVFile
    do {
      file = try CSVFile(source, encoding: hints.encoding)
    } catch let error as StoreError where format == nil && error.code == .invalidSource {
      return nil
    }
    let dialects: [(any TrainingDialect)?] = [
      Strong(file, clock, unit), Hevy(file, clock, unit), FitNotes(file, clock, unit), StrongLifts(file, clock, unit),
    ]
    if let found = dialects.lazy.compactMap({ $0 }).first(where: { format == nil || $0.name == format }) {
      return TrainingCSV(file, found, clock)
    }
    let header = file.header.joined(separator: ", ")
    var error = StoreError(.invalidSource, "\(source.url.path) has not the header of \(format ?? "a known table"): \(header)")
    error.suggestion = "Export it again with the app's language set to English."
    error.offset = 0
    guard format == nil else { throw error }
    // Other text has no such line at its beginning.
    let isHeader = file.header.count >= 4 && file.header.allSatisfy { 1...60 ~= $0.count && !$0.contains { "{}[]:".contains($0) } }
    if isHeader { throw error }
    return nil
  }

  /// Whether a row is the header of any of these tables.
  static func isHeader(_ cells: [String]) -> Bool {
    Strong.isHeader(cells) || Hevy.isHeader(cells) || FitNotes.isHeader(cells) || StrongLifts.isHeader(cells)
  }

  /// A database or JSON, which have readers of their own.
  private static func beginsOtherwise(_ source: ImportSource) throws -> Bool {
    let file = try FileHandle(forReadingFrom: source.url)
    defer { try? file.close() }
    guard let start = try file.read(upToCount: 64) else { return true }
    let text = String(decoding: start, as: UTF8.self)
    let first = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" }
    return text.hasPrefix("SQLite format 3") || first.map { "{[<".contains($0) } ?? true
  }
}
