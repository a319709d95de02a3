import Foundation
import Holdfast
import HoldfastTransfer

extension WorkoutLog {
  /// The error for a table with weights but without a unit, or with both units, when `hints.weightUnit` is nil.
  ///
  /// - Parameter place: the first row with a weight.
  static func unitQuestion(_ place: CSVPlace, hasBothUnits: Bool) -> StoreError {
    let problem =
      hasBothUnits
      ? "the file gives its weights in kilograms and in pounds, and does not say which of the two were rounded"
      : "the file does not say whether its weights are kilograms or pounds"
    var error = StoreError(
      .invalidSource, "\(problem); the first is in line \(place.line)",
      suggestion: "Import it again and name the unit: kg or lb, as the app that wrote the file showed it. Nothing was changed.")
    (error.column, error.row, error.offset) = (unitColumn, String(place.line), place.offset)
    return error
  }

  /// The column of that error; no other refusal of a source has it.
  private static let unitColumn = "weight_unit"

  /// Whether an import was refused because the unit of weights is unknown: `hints.weightUnit` answers it.
  static func asksForUnit(_ error: StoreError) -> Bool { error.code == .invalidSource && error.column == unitColumn }

  private static let languageColumn = "language"

  /// Whether an import was refused because the months are of no one language: `hints.language` answers it.
  static func asksForLanguage(_ error: StoreError) -> Bool { error.code == .invalidSource && error.column == languageColumn }

  /// The reader for a table, by the format's name or the header; nil for any other file.
  ///
  /// - Throws: `.misuse` for a hint that is not a unit of weight; `.invalidSource` when the file does not have the named format.
  static func csv(_ source: ImportSource) throws -> (any ImportFormat)? {
    let (format, hints) = (source.format, source.hints)
    guard format.map({ name in Self.dialects.contains { $0.name == name } }) ?? true else { return nil }
    let unit = try hints.weightUnit.map { text in
      guard let unit = WeightUnit(spelled: text) else {
        throw StoreError(.misuse, "there is no unit of weight \(text)", suggestion: "Use kg or lb.")
      }
      return unit
    }
    guard let file = try table(source) else { return nil }
    if let program = Self.dialects.first(where: { (format == nil || $0.name == format) && $0.isHeader(file.header) }) {
      let clock = try WallClock(timeZone: hints.timeZone ?? ownTimeZone(), months: months(of: file, hints))
      @Sendable func dialect(_ clock: WallClock) throws -> any TrainingDialect { try program.init(file, clock, unit) }
      return try TrainingCSV(file, dialect(clock), clock, again: hints.timeZone == nil ? dialect : nil)
    }
    guard format != nil || looksLikeTable(file.header) else { return nil }
    throw notKnown(file.header, format, source.url.path)
  }

  /// The time zone of this computer.
  ///
  /// - Throws: `.misuse` where the environment names one that does not exist: Foundation then silently takes UTC.
  static func ownTimeZone(_ environment: [String: String] = ProcessInfo.processInfo.environment) throws -> TimeZone {
    guard let name = environment["TZ"], !name.isEmpty, !name.hasPrefix(":"), TimeZone(identifier: name) == nil else { return .current }
    throw StoreError(.misuse, "TZ=\(name) is not the name of a time zone", suggestion: "Set TZ to a name such as Europe/Berlin.")
  }

  /// The names of the months in a table's dates. One language reads all of them, because half a history would be worse than none. Where a
  /// person has named the language, a row with another month is a row that cannot be read.
  ///
  /// - Throws: `.invalidSource` where no language does, or two do and differ; `.misuse` for a language that is not known.
  private static func months(of file: CSVTable, _ hints: SourceHints) throws -> MonthNames {
    if let language = hints.language, !MonthNames.languages.contains(language) {
      throw StoreError(
        .misuse, "the months of the language \(language) are not known",
        suggestion: "Use one of \(MonthNames.languages.joined(separator: ", ")).")
    }
    let columns = file.header.indices.filter { index in
      let name = CSVColumns.folded(file.header[index])
      return name.hasPrefix("date") || name.contains("time")
    }
    struct Enough: Error {}
    var (words, first, plain): (Set<String>, CSVPlace?, Int) = ([], nil, 0)
    do {
      try file.lines { line, _ in
        guard case .row(let cells, let place) = line else { return }
        let dates = columns.compactMap { cells.indices.contains($0) ? cells[$0] : nil }.filter { !$0.isEmpty }
        let found = dates.flatMap(WallTime.monthWords)
        // Most tables have numbers alone, and are not read twice.
        if found.isEmpty, !dates.isEmpty { plain += 1 }
        if words.isEmpty, plain == 1_000 { throw Enough() }
        if !found.isEmpty, first == nil { first = place }
        words.formUnion(found)
      }
    } catch is Enough {}
    guard let first else { return hints.language.flatMap { MonthNames(reading: [], in: $0) } ?? .usual }
    if let names = MonthNames(reading: words, in: hints.language) { return names }
    let shown = words.sorted().prefix(12).joined(separator: ", ")
    var error = StoreError(
      .invalidSource, "the months of the file are of no one language that is known, or of several that differ: \(shown)",
      suggestion: "Import it again and name the language, as the app that wrote the file was set: one of "
        + "\(MonthNames.languages.joined(separator: ", ")). Nothing was changed.")
    (error.column, error.row, error.offset) = (languageColumn, String(first.line), first.offset)
    throw error
  }

  /// How likely a file is such a table, by its first line.
  static func likeness(ofTable source: ImportSource) throws -> FormatDescription.Likeness? {
    guard let header = try table(source)?.header else { return nil }
    return isHeader(header) ? .certain : looksLikeTable(header) ? .possible : nil
  }

  /// The table in a file; nil when neither a name nor the file's beginning says that it is one.
  private static func table(_ source: ImportSource) throws -> CSVTable? {
    if source.format == nil, try beginsOtherwise(source) { return nil }
    do {
      return try CSVTable(source, encoding: source.hints.encoding)
    } catch let error as StoreError where source.format == nil && error.code == .invalidSource {
      return nil
    }
  }

  private static let dialects: [any TrainingDialect.Type] = [
    Strong.self, Hevy.self, FitNotes.self, StrongLifts.self, Fitbod.self, Jefit.self, GymRun.self,
  ]

  /// Other text has no such first line. If a table's first line is lost, the first line is a row with a time. Of two or three cells each must
  /// be a name, because a sentence may have a comma as well.
  private static func looksLikeTable(_ cells: [String]) -> Bool {
    (cells.count >= 4 || cells.count >= 2 && (cells.contains { CSVColumns.folded($0) == "date" } || cells.allSatisfy(isName)))
      && cells.allSatisfy { cell in
        cell.count <= 500 && !cell.contains { "{}[]".contains($0) } && !cell.contains(/:(?![0-9])/)
          && !cell.unicodeScalars.contains { $0.properties.generalCategory == .control && !$0.properties.isWhitespace }
      }
  }

  private static func isName(_ cell: String) -> Bool {
    cell.count <= 40 && cell.first?.isLetter == true && cell.split(separator: " ").count <= 3
      && cell.allSatisfy { $0.isLetter || $0.isNumber || " _-()%".contains($0) }
  }

  /// Names the columns that are missing for the named format, or for the nearest one.
  private static func notKnown(_ header: [String], _ format: String?, _ path: String) -> StoreError {
    let likenesses = dialects.filter { format == nil || $0.name == format }.map { (name: $0.name, likeness: $0.likeness(header)) }
    let nearest = likenesses.max { $0.likeness.known < $1.likeness.known }
    // A table with a date and a weight is not near to any of these.
    let isNear = nearest.map { $0.likeness.known > $0.likeness.missing.count } ?? false
    let begins = String(header.joined(separator: ", ").prefix(200))
    let missing = nearest?.likeness.missing.joined(separator: ", ") ?? ""
    let isOfBody = !Set(header.map(CSVColumns.folded)).isDisjoint(with: ["measurement", "measurement type", "body weight", "bodyweight"])
    let isMeasured = format == nil && nearest?.likeness.known ?? 0 <= 3 && isOfBody
    let message =
      if isMeasured {
        "\(path) is a table of body measurements, which a workout log cannot store: \(begins)"
      } else if let format {
        "\(path) does not have the header of \(format): \(begins); missing: \(missing)"
      } else if let nearest, isNear {
        "\(path) looks like a table, and its header is not a known one: \(begins); the nearest is \(nearest.name), missing: \(missing)"
      } else {
        "\(path) looks like a table, and its first line is not the header of a known one: \(begins)"
      }
    var error = StoreError(.invalidSource, message, offset: 0)
    error.suggestion =
      if isMeasured {
        "Export the workouts, not the measurements, from the same app."
      } else if let nearest, isNear, nearest.likeness.known >= 3 {
        // The other columns are known by their names, so the app's language is not the cause.
        "Export the workouts again and leave the columns as they are: a table without \(missing) is not imported."
      } else if isNear || format != nil {
        "Export it again with the app's language set to English, and leave its first line as it is."
      } else {
        "Use a table of Strong, Hevy, FitNotes, StrongLifts, Fitbod, Jefit or GymRun, exported with the app's language set to English and "
          + "with its first line."
      }
    return error
  }

  /// Whether a row is the header of any of these tables.
  static func isHeader(_ cells: [String]) -> Bool { dialects.contains { $0.isHeader(cells) } }

  /// Whether the file is a database, JSON or XML, which have their own readers.
  private static func beginsOtherwise(_ source: ImportSource) throws -> Bool {
    let text = String(decoding: try source.peek(64), as: UTF8.self)
    let first = text.first { !$0.isWhitespace && $0 != "\u{FEFF}" }
    return text.hasPrefix("SQLite format 3") || first.map { "{[<".contains($0) } ?? true
  }
}
