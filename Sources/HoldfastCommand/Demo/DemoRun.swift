import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer

/// The accidents of `holdfast demo`, in their order, on one library.
struct DemoRun {
  /// What was lost, and what came back.
  struct Accident {
    var name: String
    /// Collections that are not as they were.
    var lost: Int
    var seconds: Double

    var document: JSONValue { .object(["accident": .string(name), "lost": .integer(Int64(lost)), "seconds": .double(seconds)]) }
  }

  private let url: URL
  private let say: (String) throws -> Void

  init(_ url: URL, say: @escaping (String) throws -> Void) { (self.url, self.say) = (url, say) }

  func accidents() throws -> [Accident] {
    var options = StoreOptions.production
    options.archive.mode = .begins
    let library = try AudiobookLibrary.open(at: url, options: options)
    let first: [Accident]
    do {
      let books = try DemoLibrary.fill(library)
      // Returns when the archive has its first copy.
      _ = try library.store.archive()
      try say("A sample library: \(books.count) collections, \(books.count * DemoLibrary.tracks) tracks. Its archive keeps every commit.")
      first = [try deletion(library), try badImport(library)]
    } catch {
      // The first error is the one that matters.
      try? library.store.close()
      throw error
    }
    try library.store.close()
    return try first + [kill(), damage()]
  }

  private func deletion(_ library: AudiobookLibrary) throws -> Accident {
    try DemoLibrary.listen(library, commits: 100)
    guard let book = try library.store.read({ try AudiobookLibrary.collections(in: $0) }).first else {
      throw StoreError(.verificationFailed, "the sample library is empty")
    }
    let before = Date()
    _ = try library.store.write { try AudiobookLibrary.deleteCollection(book.id, in: $0) }
    try DemoLibrary.listen(library, commits: 100)
    try say("\n1. The collection “\(book.title)” is deleted, with \(book.tracks.count) tracks. Then the app goes on: 100 more commits.")
    var wanted = try DemoLibrary.content(of: library)
    wanted[book.id] = book
    return try told("a deleted collection", "The collection is back, with its tracks and positions, and the later commits stay") {
      _ = try library.store.bringBack("collections", where: ["id": .id(book.id)], from: .time(before))
      return DemoLibrary.lost(wanted, try DemoLibrary.content(of: library))
    }
  }

  private func badImport(_ library: AudiobookLibrary) throws -> Accident {
    let wanted = try DemoLibrary.content(of: library)
    let file = url.deletingLastPathComponent().appendingPathComponent("library.json")
    try DemoLibrary.writeBadly(library, to: file)
    let source = try ImportSource(file)
    var options = ImportOptions()
    options.keepsCopy = false
    _ = try library.store.importing(AudiobookLibrary.importer(for: source), from: source, options: options)
    guard DemoLibrary.lost(wanted, try DemoLibrary.content(of: library)) == wanted.count,
      let snapshot = try library.store.snapshots().first(where: { $0.label == "before the import of library.json" })
    else { throw StoreError(.verificationFailed, "the bad import of the demo did not overwrite the library, or made no snapshot") }
    try say(
      "\n2. A bad import: a library.json calls all \(wanted.count) collections “\(DemoLibrary.wrongTitle)”, and renames every track.")
    var replaced = ""
    let accident = try told("a bad import", "The snapshot that the import made first is restored: the whole library is as it was before") {
      replaced = try library.store.restore(snapshot: snapshot.id).id
      return DemoLibrary.lost(wanted, try DemoLibrary.content(of: library))
    }
    try say("   The snapshot that would undo this: \(replaced).")
    return accident
  }

  private func kill() throws -> Accident {
    let expected = try DemoWriter.expected(at: url)
    try DemoWriter.runAndKill(url)
    try say(
      "\n3. A program reports \(DemoWriter.commits) commits, begins to overwrite every name, and is killed (SIGKILL) in the middle of that."
    )
    return try told(
      "a killed program", "The store opens with every reported commit, in the file and in its archive, and nothing of the last write"
    ) {
      let library = try AudiobookLibrary.open(at: url)
      defer { try? library.store.close() }
      guard try library.store.integrityCheck().isHealthy else { return expected.count }
      let now = try DemoLibrary.content(of: library)
      let copy = url.deletingLastPathComponent().appendingPathComponent("copy.sqlite")
      try library.store.archive().restore(to: .time(Date()), at: copy)
      let archived = try AudiobookLibrary.open(at: copy)
      defer { try? archived.store.close() }
      return DemoWriter.lost(expected, now) + DemoLibrary.lost(now, try DemoLibrary.content(of: archived))
    }
  }

  private func damage() throws -> Accident {
    let library = try AudiobookLibrary.open(at: url)
    defer { try? library.store.close() }
    let wanted = try DemoLibrary.content(of: library)
    try library.store.checkpoint(.truncate)
    let pages = try DemoDamage.overwrite(url)
    try say("\n4. While the app has the store open, another program overwrites \(pages) pages of its file.")
    guard let damage = try library.store.lookForDamage() else {
      throw StoreError(.verificationFailed, "the overwritten pages of the demo were not found")
    }
    try say("   The store finds it: \(damage.message.split(separator: "/").last ?? "").")
    var healed = ""
    let accident = try told("overwritten pages", "The open store is healed from its archive, and the app goes on: 100 more commits") {
      let report = try library.store.heal()
      healed = "what was overwritten came from \(report.source ?? "nowhere"); the damaged file is kept"
      let lost = DemoLibrary.lost(wanted, try DemoLibrary.content(of: library))
      try DemoLibrary.listen(library, commits: 100)
      return try library.store.integrityCheck().isHealthy ? lost : wanted.count
    }
    try say("   The report: \(healed).")
    return accident
  }

  /// Runs what brings back, and says what was lost and how long that took.
  private func told(_ name: String, _ done: String, _ bringBack: () throws -> Int) throws -> Accident {
    let began = ContinuousClock.now
    let lost = try bringBack()
    let seconds = (ContinuousClock.now - began).inSeconds
    let time = String(format: "%.2f s", seconds)
    try say(lost == 0 ? "   \(done).\n   Lost: nothing. Took \(time)." : "   LOST: \(lost) collections are not as they were. Took \(time).")
    return Accident(name: name, lost: lost, seconds: seconds)
  }
}
