import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The progress of an opening") struct OpeningProgressTests {
  private let world: LegacyWorld
  private let books = LegacyWorld.books

  init() throws { world = try LegacyWorld() }

  /// Opens the library, and gives the steps as words.
  private func open(until stop: String? = nil) throws -> (library: AudiobookLibrary, steps: [String]) {
    let steps = Recorder<String>()
    let library = try AudiobookLibrary.open(at: world.store, legacy: world.legacy) { step in
      let word =
        switch step {
        case .migrating(let done, let total): "migrating \(done) of \(total)"
        case .importing(let now): "\(now.phase.rawValue) \(now.done == now.total ? "all" : "a part")"
        }
      steps.append(word)
      return stop.map { !word.hasPrefix($0) } ?? true
    }
    return (library, steps.values)
  }

  @Test("migrations and the import are told, each to its end; where there is nothing to do, nothing is told")
  func told() throws {
    try world.write(books)
    let (library, steps) = try open()
    let migrating = steps.prefix { $0.hasPrefix("migrating") }
    #expect(migrating.count > 1 && Array(migrating) == (0..<migrating.count).map { "migrating \($0) of \(migrating.count - 1)" })
    #expect(
      steps.dropFirst(migrating.count) == ["importing a part", "importing all", "verifying a part", "verifying all", "finishing all"])
    #expect(library.importReport?.isClean == true)
    try library.store.close()
    #expect(try open().steps == [])
  }

  @Test(
    "not now, at whichever step: the old file stays in use, no store is made, and the next opening imports",
    arguments: ["migrating", "importing a part", "importing all", "verifying", "finishing"])
  func putOff(at step: String) throws {
    let bytes = try world.write(books)
    let library = try open(until: step).library
    #expect(library.accessWords.kind == "legacy" && library.importFailure?.code == .cancelled && library.importReport == nil)
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == books)
    #expect(try Data(contentsOf: world.legacy) == bytes && world.folder.contents() == ["library.json", "stores"])
    _ = try library.store.write { try AudiobookLibrary.renameCollection(books[1].id, to: "Kept", in: $0) }
    #expect(try world.read().collections.map(\.title) == ["三体", "Kept"])
    let next = try open().library
    #expect(next.access == .readWrite && next.importReport?.isClean == true && next.importFailure == nil)
    #expect(try next.store.read { try AudiobookLibrary.collections(in: $0) }.map(\.title) == ["三体", "Kept"])
  }

  @Test("not now, beside a store: the store opens as it is, and the next opening imports")
  func putOffBesideStore() throws {
    try world.write([books[0]])
    try open().library.store.close()
    try world.write(books)
    let (library, steps) = try open(until: "importing")
    #expect(library.access == .readWrite && library.importFailure?.code == .cancelled && steps == ["importing a part"])
    #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) } == [books[0]])
    try library.store.close()
    #expect(try open().library.store.read { try AudiobookLibrary.collections(in: $0) } == books)
  }

  @Test("a cancelled task is no answer: nothing opens", arguments: [false, true])
  func cancelledTask(answersNotNow: Bool) async throws {
    try world.write(books)
    let task = Task { [world] in
      withUnsafeCurrentTask { $0?.cancel() }
      return try AudiobookLibrary.open(at: world.store, legacy: world.legacy) { _ in !answersNotNow }.accessWords.kind
    }
    #expect(await asyncCode { _ = try await task.value } == .cancelled)
  }
}
