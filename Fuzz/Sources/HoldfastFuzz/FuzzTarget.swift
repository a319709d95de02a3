import Foundation
import Holdfast
import HoldfastTransfer

/// A part under test: makes damaged sources, and the bench that runs them.
///
/// A new target is one file in `Targets` and a line in `FuzzTargets`.
protocol FuzzTarget: Sendable {
  /// The name for `--target`.
  var name: String { get }
  /// The file name of a source. The source of a finding is written with the same extension.
  var file: String { get }
  /// The faults that the self-test plants.
  var faults: [Fault] { get }

  /// Makes the source of one case. The result depends on `random` only.
  func source(_ random: inout SeededRandom) throws -> FuzzSource
  /// Makes the bench on which one thread runs its cases.
  func bench(_ name: String, fault: Fault?) throws -> any FuzzBench
}

/// Runs cases one after the other, on one thread.
protocol FuzzBench {
  /// Runs the case with this number. Returns its outcome, as the summary counts it.
  ///
  /// - Throws: `Finding`.
  func run(_ seed: UInt64, _ number: Int) throws -> String
  /// Whether the store is as before the first case.
  func isEmpty() throws -> Bool
}

/// A target that imports one format.
protocol ImportTarget: FuzzTarget {
  var schemas: [StoreSchema] { get }
  /// The library's tables, parents first.
  var tables: [String] { get }
  /// Kinds whose records the report counts under another kind, with the name of that kind.
  var countedAs: [String: String] { get }
  /// Kinds of the report whose numbers are not compared.
  var uncounted: Set<String> { get }
  /// The error codes with which an import may refuse a source.
  var refusals: Set<StoreError.Code> { get }
  /// Whether the error for an invalid source has the offset of the byte.
  var saysWhere: Bool { get }

  func format(of source: ImportSource) throws -> any ImportFormat
  /// Edits the library as a user may do between two imports.
  func edit(_ store: Store, _ random: inout SeededRandom) throws
}

extension FuzzTarget {
  /// The source of the case with this number, and the random numbers for the rest of the case.
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
    ] + WorkoutTables.all + [InferenceBlobs(), InferenceGRDB(), GGUF(), HuggingFaceConfig(), InferenceAnswers(), DamagedStores()]
}
