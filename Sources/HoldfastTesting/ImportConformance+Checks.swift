import Foundation
import Holdfast
import HoldfastTransfer

extension ImportConformance {
  func checkWhole(_ world: World) throws {
    let report = try importing(whole, world)
    try expectClean(report)
    for kind in kinds {
      let samples = whole.filter { ($0.parent == nil) == (kind.name == records.name) }
      try expect(report.counts[kind.name]?.imported, samples.count, "the number of imported \(kind.name)")
    }
    try expectTitles(whole, world, "after an import")
  }

  func checkAgain(_ world: World) throws {
    _ = try importing(whole, world)
    let before = try contents(world)
    try expectNothingNew(try world.report())
    try expectSame(try contents(world), before, "importing the same again")
  }

  func checkOrphans(_ world: World) throws {
    guard children != nil else { return }
    let (kept, orphan) = ([record(10), child(11, of: 10)], child(91, of: 90))
    _ = try importing(kept + [orphan], world)
    try expectTitles(kept, world, "after an import with a child of no record")
    try expectQuarantined([orphan], world)
  }

  func checkDamaged(_ world: World) throws {
    _ = try importing(damaged, world)
    let (kept, lost) = (
      damaged.filter { [10, 11].map(title).contains($0.title) }, damaged.filter { ![10, 11].map(title).contains($0.title) }
    )
    try expectTitles(kept, world, "after an import with damaged records")
    try expectQuarantined(lost, world)
    let before = try contents(world)
    _ = try world.report()
    try expectSame(try contents(world), before, "importing damaged records again")
  }

  func checkRetried(_ world: World) throws {
    _ = try importing(damaged, world)
    let kept = try world.quarantine().count
    var options = ImportOptions()
    options.retries = try world.lines("SELECT DISTINCT import_id FROM holdfast_quarantine").first
    let mended = damaged.map { sample in changed(sample) { $0.isDamaged = false } }
    let report = try importing(mended, world, options)
    try expectTitles(mended, world, "after the damaged records were mended")
    try expect(try world.quarantine(), [], "the quarantine after the damaged records were mended")
    try expect(report.released, kept, "the number of entries that left the quarantine")
  }

  func checkTwice(_ world: World) throws {
    let once = [record(10)] + (children == nil ? [] : [child(11, of: 10)])
    try expectClean(try importing(once.flatMap { [$0, $0] }, world))
    try expectTitles(once, world, "after an import of each record twice")
  }

  func checkTwiceDifferently(_ world: World) throws {
    let first = [record(10)] + (children == nil ? [] : [child(11, of: 10)])
    let others = retitled(first, "Another")
    _ = try importing(zip(first, others).flatMap { [$0, $1] }, world)
    try expectTitles(first, world, "after an import of two records with one id")
    try expectQuarantined(others, world)
  }

  func checkIDsAsBytes(_ world: World) throws {
    try put(whole, world)
    guard SQLiteSource.isDatabase(world.source) else { return }
    _ = try world.report()
    let bytes = try self.world()
    try put(whole, bytes)
    try RawDatabase.storeIDsAsBytes(in: bytes.source)
    _ = try bytes.report()
    try expectSame(try bytes.rows(), try world.rows(), "storing the source's ids as bytes")
  }

  func checkCancelled(_ world: World) throws {
    try checkCancelled(world, "without a store")
    let filled = try self.world()
    _ = try importing([record(80)], filled)
    try checkCancelled(filled, "into a store with a record")
  }

  private func checkCancelled(_ world: World, _ what: String) throws {
    let samples = [record(10)] + (children == nil ? [] : [child(11, of: 10)])
    try put(samples, world)
    let isThere = FileManager.default.fileExists(atPath: world.store.path)
    let rows = isThere ? try contents(world) : []
    // Without the folder for copies, which may stay behind with nothing in it.
    func files() throws -> [String] {
      try world.folder.contents().filter { !$0.hasSuffix(".holdfast") && !$0.hasSuffix(".holdfast/snapshots") }
    }
    let before = try files()
    var number = 0
    var wasCancelled = true
    while wasCancelled {
      number += 1
      let calls = Countdown(from: number)
      var options = ImportOptions()
      options.isCancelled = { calls.isOver() }
      do {
        _ = try world.report(options: options)
        wasCancelled = false
      } catch let error as StoreError where error.code == .cancelled {
        try expect(try files(), before, "the files after an import \(what) was cancelled at step \(number)")
        if isThere { try expectSame(try contents(world), rows, "cancelling an import \(what) at step \(number)") }
      }
    }
    // Before each record at both readings, and before the commit.
    let isEnough = number > 2 * samples.count + 1
    try expect(isEnough, "an import \(what) of \(samples.count) records could be cancelled only \(number - 1) times")
  }

  func checkCutOff(_ world: World) throws {
    _ = try importing([record(80)], world)
    let before = try contents(world)
    try put(whole, world)
    let bytes = try Data(contentsOf: world.source)
    let isDatabase = SQLiteSource.isDatabase(world.source)
    // The last page of a database may hold nothing, and then nothing is lost with it.
    let page = isDatabase ? try RawDatabase.with(world.source) { try $0.rows("PRAGMA page_size") } : []
    let end = bytes.count - (page.first?.first.flatMap(Int.init) ?? 0)
    for part in 1..<16 {
      let count = end * part / 16
      try bytes.prefix(count).write(to: world.source)
      let (error, what) = (try world.failure(), "a source that is cut off after \(count) of \(bytes.count) bytes")
      try expect(error.code, .invalidSource, "the error for \(what), which says “\(error.message)”")
      let isPlaced = error.offset.map { (0...count).contains($0) } ?? error.message.contains("at line ")
      try expect(isPlaced || isDatabase, true, "whether the error for \(what) says a place in it (\(error.message))")
    }
    try expectSame(try contents(world), before, "importing a source that is cut off")
  }

  func checkChanged(_ world: World) throws {
    _ = try importing(whole, world)
    let later = retitled(whole, "Other", at: -day)
    _ = try importing(later, world)
    try expectTitles(later, world, "after the source changed")
  }

  func checkNewer(_ world: World) throws {
    guard records.modifiedAt != nil else { return }
    _ = try importing(whole, world)
    try edit(world, at: day)
    let later = retitled(whole, "Other", at: 2 * day)
    _ = try importing(later, world)
    try expectTitles(later, world, "after the source changed later than the store")
  }

  func checkEdited(_ world: World) throws {
    _ = try importing(whole, world)
    try edit(world, at: day)
    _ = try importing(retitled(whole, "Other", at: day / 2), world)
    try expectTitles(retitled(whole, "Edited"), world, "after the source changed and the store later")
  }

  func checkDeleted(_ world: World) throws {
    _ = try importing(whole, world)
    var gone = [(records, 20)]
    if let children { gone.append((children, 12)) }
    try world.withLibrary { library in
      try library.store.write { tx in
        for (kind, number) in gone { try tx.execute("DELETE FROM \(raw: kind.table) WHERE \(raw: kind.title) = \(title(number))") }
      }
    }
    let left = whole.filter { [10, 11, 30].map(title).contains($0.title) }
    try expectTitles(left, world, "after records were deleted")
    let before = try contents(world)
    try expectNothingNew(try world.report())
    try expectSame(try contents(world), before, "importing records that were deleted since")
  }
}

// Unchecked because a lock guards the state.
/// Counts down, and is over at the given call and each later one.
private final class Countdown: @unchecked Sendable {
  private let lock = NSLock()
  private var left: Int

  init(from calls: Int) { left = calls }

  func isOver() -> Bool {
    lock.withLock {
      left -= 1
      return left <= 0
    }
  }
}
