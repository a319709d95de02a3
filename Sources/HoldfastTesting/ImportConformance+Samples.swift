import Foundation
import Holdfast
import HoldfastTransfer

extension ImportConformance {
  var kinds: [ImportKind] { [records] + (children.map { [$0] } ?? []) }
  var day: TimeInterval { 86_400 }

  func title(_ number: Int) -> String { "Sample \(number)" }
  func record(_ number: Int) -> ImportSample { sample(number, nil) }
  func child(_ number: Int, of parent: Int) -> ImportSample { sample(number, id(parent)) }

  /// Three records, and three children of two of them.
  var whole: [ImportSample] {
    [10, 20, 30].map(record) + (children == nil ? [] : [child(11, of: 10), child(12, of: 10), child(21, of: 20)])
  }

  /// A record and its child, a damaged record and its child, and a damaged child.
  var damaged: [ImportSample] {
    let all = [record(10), record(20)] + (children == nil ? [] : [child(11, of: 10), child(12, of: 10), child(21, of: 20)])
    return all.map { sample in changed(sample) { $0.isDamaged = [20, 12].map(title).contains($0.title) } }
  }

  func changed(_ sample: ImportSample, _ change: (inout ImportSample) -> Void) -> ImportSample {
    var changed = sample
    change(&changed)
    return changed
  }

  /// The samples with another first word of their titles, changed some seconds later.
  func retitled(_ samples: [ImportSample], _ word: String, at seconds: TimeInterval = 0) -> [ImportSample] {
    samples.map { sample in
      changed(sample) {
        $0.title = "\(word) \($0.title.suffix(2))"
        $0.modifiedAt += seconds
      }
    }
  }

  private func id(_ number: Int) -> UUID { NewID.derived(from: title(number)) }
  private func sample(_ number: Int, _ parent: UUID?) -> ImportSample {
    ImportSample(id: id(number), parent: parent, title: title(number), modifiedAt: Date(timeIntervalSince1970: 1_735_689_600))
  }

  func put(_ samples: [ImportSample], _ world: World) throws {
    try? FileManager.default.removeItem(at: world.source)
    try write(samples, world.source)
  }

  func importing(_ samples: [ImportSample], _ world: World, _ options: ImportOptions = ImportOptions()) throws -> ImportReport {
    try put(samples, world)
    return try world.report(options: options)
  }

  /// Changes every title in the store, some seconds after the samples were.
  func edit(_ world: World, at seconds: TimeInterval) throws {
    let time = DateCodec.milliseconds(record(10).modifiedAt + seconds)
    try world.withLibrary { library in
      try library.store.write { tx in
        for kind in kinds {
          try tx.execute("UPDATE \(raw: kind.table) SET \(raw: kind.title) = 'Edited ' || substr(\(raw: kind.title), -2)")
          if let column = kind.modifiedAt { try tx.execute("UPDATE \(raw: kind.table) SET \(raw: column) = \(time)") }
        }
      }
    }
  }

  /// The rows of the store, the ledger and the quarantine.
  func contents(_ world: World) throws -> [String] {
    try world.rows()
      + world.lines("SELECT 'ledger: ' || kind || ' ' || key || ' ' || fingerprint FROM holdfast_imported ORDER BY kind, key")
      + world.lines("SELECT 'quarantine: ' || kind || ' ' || path || ' ' || original_sha256 FROM holdfast_quarantine ORDER BY id")
  }

  func expectTitles(_ samples: [ImportSample], _ world: World, _ when: String) throws {
    for kind in kinds {
      let titles = samples.filter { ($0.parent == nil) == (kind.name == records.name) }.map(\.title)
      let found = try world.lines("SELECT \(raw: kind.title) FROM \(raw: kind.table)")
      try expect(found.sorted(), titles.sorted(), "the \(kind.name) of the store \(when)")
    }
  }

  /// Every title is in the bytes of a quarantined record.
  func expectQuarantined(_ samples: [ImportSample], _ world: World) throws {
    let kept = try world.quarantine()
    let lost = samples.map(\.title).filter { title in !kept.contains { $0.contains(title) } }
    try expect(lost, [], "the records that are neither in the store nor in the quarantine, which has \(kept)")
  }

  func expectClean(_ report: ImportReport) throws {
    try expect(report.problems.map { "\($0.path): \($0.reason)" }, [], "the problems of an import of sound records")
  }

  func expectNothingNew(_ report: ImportReport) throws {
    let new = report.counts.filter { $0.value.skipped != $0.value.source }.keys.sorted()
    try expect(new, [], "the kinds that did not skip every record")
  }

  func expectSame(_ found: [String], _ before: [String], _ what: String) throws {
    guard found != before else { return }
    let (more, less) = (Set(found).subtracting(before).sorted(), Set(before).subtracting(found).sorted())
    throw StoreError(.verificationFailed, "\(what) changed the store: it has now \(more), and has no longer \(less)")
  }
}
