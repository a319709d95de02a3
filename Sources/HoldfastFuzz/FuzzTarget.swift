import Foundation
import Holdfast

/// One format under test: how its sources are made and spoilt, and what only its library can say about them.
///
/// A new target is one file in `Targets` and a line in `FuzzTargets`.
protocol FuzzTarget: Sendable {
  /// As `--target` has it.
  var name: String { get }
  /// What a source is called; what is written of a finding has the same extension.
  var file: String { get }
  var schemas: [Schema] { get }
  /// The library's tables, parents first.
  var tables: [String] { get }
  /// Kinds whose records the report may count as those of another, by name.
  var countedAs: [String: String] { get }
  /// The codes with which a source may be refused.
  var refusals: Set<StoreError.Code> { get }
  /// Whether a source that is refused as invalid is refused with the byte.
  var saysWhere: Bool { get }
  /// The mistakes that can be planted in this importer.
  var faults: [Fault] { get }

  /// The source of one case. Depends on `random` only.
  func source(_ random: inout SeededRandom) throws -> FuzzSource
  func format(of source: ImportSource) throws -> any ImportFormat
  /// What a listener does between two imports.
  func edit(_ store: Store, _ random: inout SeededRandom) throws
}

extension FuzzTarget {
  var countedAs: [String: String] { [:] }
  var refusals: Set<StoreError.Code> { [.invalidSource, .newerSource] }
  var faults: [Fault] { Fault.allCases.filter { $0 != .dropsSets } }

  /// The source of the case with this number, and the random numbers that are left for the rest of the case.
  func source(_ seed: UInt64, _ number: Int) throws -> (source: FuzzSource, random: SeededRandom) {
    var random = SeededRandom(seed: seed, number: number)
    return (try source(&random), random)
  }
}

enum FuzzTargets {
  static let all: [any FuzzTarget] =
    [
      AudiobookJSON(), AudiobookSQLite(), MusicJSON(), MusicSQLite(), ITunesXML(), M3U(), XSPF(), WorkoutJSON(), WorkoutTemplates(),
      WorkoutSQLite(),
    ] + WorkoutTables.all + [InferenceBlobs(), InferenceGRDB(), GGUF(), HuggingFaceConfig()]
}
