import Foundation
import Holdfast
public import HoldfastTransfer

extension WorkoutLog {
  /// The library's formats, lists, kinds and counts, for the command line.
  public static let description: LibraryDescription = {
    var library = LibraryDescription(schema)
    @Sendable func isDatabase(_ source: SourceLook) -> FormatDescription.Likeness? {
      source.tables?.isSuperset(of: ["workouts", "exercises"]) == true ? .certain : nil
    }
    @Sendable func isJSON(_ source: SourceLook) -> FormatDescription.Likeness? {
      let keys = source.elementKeys.union(source.members.map(\.key))
      return keys.contains("exercises") && !keys.isDisjoint(with: ["start_timestamp", "startTimestamp", "title"]) ? .certain : nil
    }
    library.readable = [
      FormatDescription("goonlytics-sqlite", "the first app's database, db.sqlite", likeness: isDatabase),
      FormatDescription("thiccc-sqlite", "the app's database, thiccc.sqlite, in both its forms", likeness: isDatabase),
      FormatDescription("goonlytics-json", "the first app's current-workout.json", likeness: isJSON),
      FormatDescription("thiccc-json", "the app's JSON: current-workout.json, workout-backups, a history", likeness: isJSON),
      FormatDescription("workout-template-json", "the first app's template", likeness: isJSON),
      FormatDescription("strong-csv", "the table that Strong exports, in any of its versions", options: csvOptions, likeness: isTable),
      // The likeness of `strong-csv` recognises all of these tables.
      FormatDescription("hevy-csv", "the table that Hevy exports", options: csvOptions),
      FormatDescription("fitnotes-csv", "the table that FitNotes exports", options: csvOptions),
      FormatDescription("stronglifts-csv", "the table that StrongLifts exports", options: csvOptions),
      FormatDescription("fitbod-csv", "the table that Fitbod exports", options: csvOptions),
      FormatDescription("jefit-csv", "the tables that Jefit exports in one file", options: csvOptions),
      FormatDescription("gymrun-csv", "the table that GymRun exports", options: csvOptions),
      .portable,
    ]
    func table(_ format: CSVFormat, _ what: String) -> FormatDescription {
      FormatDescription(format.rawValue, what, options: [writtenUnit, writtenTimeZone], ending: "csv")
    }
    library.writable = [
      .documentedExport, FormatDescription("json", "the finished workouts as the app's JSON"),
      table(.strong, "the sets that were completed as the table that Strong exports"), table(.hevy, "the same as Hevy's"),
    ]
    library.counted = [("workouts", "workout", "workouts"), ("exercise_sets", "set", "sets")]
    library.lists = [
      ListDescription("workouts", "newest first", ShownWorkouts.workouts) {
        try $0.count("SELECT count(*) FROM workouts WHERE state = 'finished'")
      } page: {
        try workouts(after: $1, limit: $2, in: $0)
      },
      ListDescription("exercises", "by name", ShownWorkouts.exercises) {
        try $0.count("SELECT count(*) FROM (SELECT name_key FROM exercises UNION SELECT name_key FROM custom_exercises)")
      } page: {
        try exerciseNames(after: $1, limit: $2, in: $0)
      },
      ListDescription("templates", "by name", ShownWorkouts.templates) {
        try $0.count("SELECT count(*) FROM workouts WHERE state = 'template'")
      } page: {
        try templates(after: $1, limit: $2, in: $0)
      },
    ]
    library.kinds = ShownWorkouts.kinds
    library.searched = "workouts by name and notes, and by those of their exercises; exercises by name"
    library.search = ShownWorkouts.search
    library.info = ShownWorkouts.info
    library.stats = ShownWorkouts.stats
    library.importing = { wanted in
      do {
        return try importLibrary(wanted)
      } catch var error as StoreError where asksForUnit(error) {
        error.suggestion = "--unit kg, or --unit lb, as the app that wrote it showed them"
        throw error
      } catch var error as StoreError where asksForLanguage(error) {
        error.suggestion = "--language, as the app that wrote it was set: one of \(MonthNames.languages.joined(separator: ", "))"
        throw error
      }
    }
    library.exporting = { store, url, format, values in
      let log = WorkoutLog(store)
      guard let table = CSVFormat(rawValue: format) else { return try format == "json" ? log.exportJSON(to: url) : log.export(to: url) }
      return try log.exportCSV(
        table, to: url, unit: values[writtenUnit.name].map(WeightUnit.init(rawValue:)) ?? .kilograms,
        timeZone: values[writtenTimeZone.name].flatMap { TimeZone(identifier: $0) } ?? .current)
    }
    return library
  }()

  private static let units = FormatDescription.Option.Values.words([WeightUnit.kilograms, .pounds].map(\.rawValue))
  private static let csvOptions: [FormatDescription.Option] = [
    .init("unit", "The unit of a table's weights, if the table does not name it: kg or lb.", units), .timeZone, .encoding,
    .init("language", "The language of a table's months, if no one language reads them: de, fr.", .words(MonthNames.languages)),
  ]
  private static let writtenUnit = FormatDescription.Option("unit", "The unit of the weights in a table. Default: kg.", units)
  private static let writtenTimeZone = FormatDescription.Option(
    "time-zone", "The time zone of the times in a table, as Europe/Berlin. Default: this computer's.", .timeZone)

  private static func isTable(_ source: SourceLook) -> FormatDescription.Likeness? {
    guard source.looksLikeText, source.members.isEmpty, source.elementKeys.isEmpty else { return nil }
    return try? likeness(ofTable: ImportSource(source.url))
  }
}
