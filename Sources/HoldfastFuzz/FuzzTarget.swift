import Foundation
import Holdfast
import HoldfastTransfer

/// What is under test: how its sources are made and spoilt, and who runs them.
///
/// A new target is one file in `Targets` and a line in `FuzzTargets`.
protocol FuzzTarget: Sendable {
  /// As `--target` has it.
  var name: String { get }
  /// What a source is called; what is written of a finding has the same extension.
  var file: String { get }
  /// The mistakes that can be planted.
  var faults: [Fault] { get }

  /// The source of one case. Depends on `random` only.
  func source(_ random: inout SeededRandom) throws -> FuzzSource
  /// What one thread runs its cases on.
  func bench(_ name: String, fault: Fault?) throws -> any FuzzBench
}

/// Used by one thread for case after case.
protocol FuzzBench {
  /// Runs the case with this number, and says how it ended.
  ///
  /// - Throws: `Finding`.
  func run(_ seed: UInt64, _ number: Int) throws -> String
  /// Whether everything is as before the first case.
  func isEmpty() throws -> Bool
}

/// One format that is imported, and what only its library can say about it.
protocol ImportTarget: FuzzTarget {
  var schemas: [StoreSchema] { get }
  /// The library's tables, parents first.
  var tables: [String] { get }
  /// Kinds whose records the report may count as those of another, by name.
  var countedAs: [String: String] { get }
  /// Kinds of the report that no target counts.
  var uncounted: Set<String> { get }
  /// The codes with which a source may be refused.
  var refusals: Set<StoreError.Code> { get }
  /// Whether a source that is refused as invalid is refused with the byte.
  var saysWhere: Bool { get }

  func format(of source: ImportSource) throws -> any ImportFormat
  /// What a listener does between two imports.
  func edit(_ store: Store, _ random: inout SeededRandom) throws
}

extension FuzzTarget {
  /// The source of the case with this number, and the random numbers that are left for the rest of the case.
  func source(_ seed: UInt64, _ number: Int) throws -> (source: FuzzSource, random: SeededRandom) {
    var random = SeededRandom(seed: seed, number: number)
    return (try source(&random), random)
  }
}

extension ImportTarget {
  var countedAs: [String: String] { [:] }
  var uncounted: Set<String> { [] }
  var refusals: Set<StoreError.Code> { [.invalidSource, .newerSource] }
  var faults: [Fault] { [.forgetsToWrite, .dropsTracks, .changesSource, .neverEqual] }

  func bench(_ name: String, fault: Fault?) throws -> any FuzzBench { try Bench(name, self, fault: fault) }
}

enum FuzzTargets {
  static let all: [any FuzzTarget] =
    [
      AudiobookJSON(), AudiobookSQLite(), MusicJSON(), MusicSQLite(), ITunesXML(), M3U(), XSPF(), WorkoutJSON(), WorkoutTemplates(),
      WorkoutSQLite(),
    ] + WorkoutTables.all + [InferenceBlobs(), InferenceGRDB(), GGUF(), HuggingFaceConfig(), InferenceAnswers()]
}
