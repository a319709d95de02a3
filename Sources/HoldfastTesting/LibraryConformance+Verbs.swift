import Foundation
import Holdfast

extension LibraryConformance {
  private var verbs: [LibraryVerb<Library, Known>] { reads + writes }

  func checkQueryPlans() async throws {
    var found: [String: Set<String>] = [:]
    // Reads change nothing, so they share a store.
    let shared = try await filled()
    for (place, verb) in verbs.enumerated() {
      let (world, known) = try await place < reads.count ? shared : filled()
      _ = world.statements.take()
      try await verb.run(world.library, known)
      let texts = Set(world.statements.take())
      guard !texts.isEmpty else { throw StoreError(.verificationFailed, "\(verb.name) runs no statement") }
      for text in texts {
        // Newer versions of SQLite say how many terms the right part has.
        let steps = try await world.store.read { try $0.queryPlan(text) }.map {
          $0.replacing(#/LAST (\d+ TERMS|TERM) OF/#, with: "RIGHT PART OF")
        }
        let sorts = steps.filter { $0.hasPrefix("USE TEMP B-TREE") }
        // A page after a key must not begin at the first row. Sorting or grouping reads all rows.
        let stopsAtLimit =
          text.contains(" LIMIT ") && ![" OFFSET ", ") > (", ") < ("].contains(where: text.contains)
          && !sorts.contains { $0.hasSuffix("BY") }
        let walked = steps.filter { step in
          step.hasPrefix("SCAN ") && !step.contains("CONSTANT ROW") && !step.contains("VALUES CLAUSE")
            && !step.contains("VIRTUAL TABLE")
            && !(stopsAtLimit && step.contains(" USING "))
        }
        if !(sorts + walked).isEmpty { found[verb.name, default: []].formUnion(sorts + walked) }
      }
    }
    for name in Set(found.keys).union(walks.keys).sorted() {
      let (does, declared) = (found[name, default: []], walks[name, default: []])
      guard does != declared else { continue }
      let (more, less) = (does.subtracting(declared).sorted(), declared.subtracting(does).sorted())
      // As it is pasted into a test.
      let entry = "\"\(name)\": \(does.sorted()),"
      throw StoreError(
        .verificationFailed, "“\(name)” does what `walks` does not name: \(more); it does not do: \(less); as an entry: \(entry)")
    }
  }

  func checkObservers() async throws {
    for verb in writes {
      let (world, known) = try await filled()
      let watches = try TableWatches(world.store, RecordCheck.tables(in: world.store))
      try await verb.run(world.library, known)
      try expect(watches.woken.sorted(), verb.changes.sorted(), "the tables that “\(verb.name)” changes")
      try expect(try await world.store.integrityCheck().findings.map(\.message), [], "the integrity check after “\(verb.name)”")
    }
  }

  func checkUpdates() async throws {
    var unchanged = Set(updates.indices)
    for verb in writes {
      let (world, known) = try await filled()
      var followed: [() async throws -> Bool] = []
      for update in updates { followed.append(try await update.follow(world.library, known)) }
      // Waits for the writer's queue, on which the watches begin.
      try await world.store.write { _ in }
      try await verb.run(world.library, known)
      for (place, changed) in followed.enumerated() {
        do {
          if try await changed() { unchanged.remove(place) }
        } catch {
          throw StoreError(.verificationFailed, "the updates “\(updates[place].name)” after “\(verb.name)”: \(error)", cause: error)
        }
      }
    }
    try expect(unchanged.sorted().map { updates[$0].name }, [], "the updates whose value no verb changes")
  }

  func checkReadOnly() async throws {
    let (world, known) = try await filled(inMemory: false)
    guard let url = world.store.url else { throw StoreError(.misuse, "a temporary store has no file") }
    var options = StoreOptions.testing
    options.opensReadOnly = true
    let store = try Store.open(at: url, schemas: [schema], options: options)
    defer { try? store.close() }
    for verb in reads { try await verb.run(library(store), known) }
    for verb in writes {
      do {
        try await verb.run(library(store), known)
        throw StoreError(.verificationFailed, "“\(verb.name)” wrote into a read-only store")
      } catch let error as StoreError where error.code == .readOnly {}
    }
  }

  func checkTogether() async throws {
    let (world, known) = try await filled(inMemory: false)
    let end = ContinuousClock.now + .milliseconds(ProofRun.isLong ? 10_000 : 300)
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask { [verbs] in
          var random = SeededGenerator(seed: UInt64(number))
          repeat {
            guard let verb = verbs.randomElement(using: &random) else { return }
            do { try await verb.run(world.library, known) } catch let error as StoreError where Self.gone.contains(error.code) {
            } catch { throw StoreError(.verificationFailed, "beside other tasks “\(verb.name)”: \(error)") }
          } while ContinuousClock.now < end
        }
      }
      try await group.waitForAll()
    }
    try expect(try await world.store.integrityCheck().findings.map(\.message), [], "the integrity check")
  }

  /// The errors that a verb may throw when other tasks have changed its rows.
  private static var gone: Set<StoreError.Code> { [.notFound, .constraint] }
}
