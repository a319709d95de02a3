import Foundation
import Holdfast
import HoldfastTransfer

/// A mistake planted in an importer, or in what reads answers, to prove that the fuzzer reports one.
enum Fault: String, CaseIterable, Sendable {
  /// A record of the last kind is not written.
  case forgetsToWrite
  /// Every third track, exercise or event is passed over in silence: everything that the kit sees still fits together.
  case dropsTracks
  /// Every third set of a table is passed over in silence.
  case dropsSets
  /// The scan writes into its source.
  case changesSource
  /// What is stored looks different at each look, so that a second import has something to do.
  case neverEqual
  /// Whatever an answer says, every row of its request counts as accepted.
  case takesUnnamed
  /// What comes with a refusal is taken all the same.
  case takesRefused
}

struct Faulty<Base: ImportFormat>: ImportFormat {
  let base: Base
  let fault: Fault
  let source: URL
  private let seen = Seen()

  /// The records that were looked at.
  private final class Seen { var keys: Set<String> = [] }

  init(base: Base, fault: Fault, source: URL) {
    self.base = base
    self.fault = fault
    self.source = source
  }

  var name: String { base.name }
  var version: Int { base.version }
  var kinds: [(name: String, table: String)] { base.kinds }
  var total: Int { base.total }
  var origin: String? { base.origin }

  func scan(_ reader: Reader, _ visit: (Scanned<Base.Content>, Int) throws -> Void) throws {
    if fault == .changesSource, let file = try? FileHandle(forWritingTo: source) {
      try file.seekToEnd()
      try file.write(contentsOf: Data(" ".utf8))
      try file.close()
    }
    let dropped =
      fault == .dropsTracks
      ? ["tracks", "exercises", "telemetry", "user_preferences", "model_metadata"] : fault == .dropsSets ? ["exercise_sets"] : []
    var count = 0
    try base.scan(reader) { scanned, position in
      if case .record(let record) = scanned, dropped.contains(record.kind) {
        count += 1
        if count % 3 == 0 { return }
      }
      try visit(scanned, position)
    }
  }

  func write(_ record: SourceRecord<Base.Content>, in transaction: Writer) throws {
    if fault == .forgetsToWrite, record.kind == kinds.last?.name { return }
    try base.write(record, in: transaction)
  }

  func readBack(_ record: SourceRecord<Base.Content>, in reader: Reader) throws -> StoredShape? {
    let shape = try base.readBack(record, in: reader)
    // The first look at a record of a second import decides what is done with it.
    if fault == .neverEqual, record.kind == kinds.first?.name, try reader.count("SELECT count(*) FROM holdfast_imports") == 1,
      seen.keys.insert(record.key).inserted
    {
      // With other names the fields are different ones, and their fingerprint is still that of the source.
      return shape.map { shape in
        StoredShape(
          fields: shape.fields.map { SourceField($0.name + "?", $0.value, isPlace: $0.isPlace) }, modifiedAt: shape.modifiedAt)
      }
    }
    return shape
  }
}
