import Foundation
import Holdfast
import HoldfastTransfer

/// A mistake that is planted in an importer, in the reading of a server's answers, or beside a salvage, to prove that the fuzzer finds it.
enum Fault: String, CaseIterable, Sendable {
  /// The importer does not write records of the last kind.
  case forgetsToWrite
  /// The scan omits every third track, exercise or event without a report. The kit's own counts still add up.
  case dropsTracks
  /// The scan omits every third set of a table without a report.
  case dropsSets
  /// The scan, or the salvage, changes its source file.
  case changesSource
  /// The first reading of a stored record gives wrong fields, so a second import writes it again.
  case neverEqual
  /// Every row of a request counts as accepted, whatever the answer says.
  case takesUnnamed
  /// The errors of verbs are not the kit's.
  case throwsOthers
  /// The content of a refusal is used as if the answer were a success.
  case takesRefused
}

/// A format with a planted fault.
struct Faulty<Base: ImportFormat>: ImportFormat {
  let base: Base
  let fault: Fault
  let source: URL
  private let seen = Seen()

  /// The keys of the records that were read back.
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
    // At the second import, the first reading of a record decides whether the import writes it.
    if fault == .neverEqual, record.kind == kinds.first?.name, try reader.count("SELECT count(*) FROM holdfast_imports") == 1,
      seen.keys.insert(record.key).inserted
    {
      // Other names make the fields differ. The fingerprint stays equal, because it does not contain names.
      return shape.map { shape in
        StoredShape(
          fields: shape.fields.map { SourceField($0.name + "?", $0.value, isPlace: $0.isPlace) }, modifiedAt: shape.modifiedAt)
      }
    }
    return shape
  }
}
