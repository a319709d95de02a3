public import Foundation
public import Holdfast

/// Tests one library against the promises that every library keeps.
///
/// Say once how the library is filled and what its verbs are, and run each check as one case of one test:
///
/// ```swift
/// @Test("the list keeps what every library promises", arguments: ConformanceCheck.allCases)
/// func conforms(_ check: ConformanceCheck) throws {
///   try LibraryConformance(
///     ReadingList.schema, library: { ReadingList($0) },
///     fill: { world in
///       let book = Book(id: NewID.v7(), title: "Dune", addedAt: world.clock.now)
///       try world.library.save(book)
///       return book
///     },
///     reads: [LibraryVerb(name: "load a book") { list, book in _ = try list.book(book.id) }],
///     writes: [LibraryVerb(name: "delete", changes: ["books"]) { list, book in try list.delete(book.id) }],
///     sources: ["../../Sources/ReadingList"]
///   ).run(check)
/// }
/// ```
///
/// Every check works on stores of its own, and throws `.verificationFailed` with what it found.
public struct LibraryConformance<Library: Sendable, Known: Sendable>: Sendable {
  /// A store of the library.
  public typealias World = LibraryWorld<Library>

  let schema: StoreSchema
  let library: @Sendable (Store) -> Library
  let fill: @Sendable (World) throws -> Known
  let reads: [LibraryVerb<Library, Known>]
  let writes: [LibraryVerb<Library, Known>]
  /// The walks through whole tables and indexes, and the sorts in memory, that are allowed, by verb, as SQLite's query plan prints them.
  public var walks: [String: Set<String>] = [:]
  /// Statements that damage a filled store. `finding` is the beginning of the message that the integrity check must give.
  public var damages: [(sql: String, finding: String)] = []
  /// By each version before the newest, statements that put a row into every table of it. The verbs write the newest schema alone.
  public var olderRows: [Int: [String]] = [:]
  /// Tables whose rows no record reads.
  public var tablesWithoutRecord: Set<String> = []
  let sources: [URL]
  let tests: URL

  /// A description of the library.
  ///
  /// - Parameters:
  ///   - fill: puts a row into every table; returns the values that each verb's `run` gets.
  ///   - reads: every verb that changes nothing, with every list in two pages.
  ///   - writes: every verb that changes something, also where there is nothing for it to change. In `together` all of them share one store:
  ///     one that puts rows back keeps it from running empty.
  ///   - sources: Swift files, or folders of them, with the verbs: public methods in extensions of the library. Paths from the folder of
  ///     `file`.
  ///   - file: where this is called. `FrozenSchema`'s files are in `Fixtures` beside it, and the tests that call the verbs beside it or below.
  public init(
    _ schema: StoreSchema, library: @escaping @Sendable (Store) -> Library, fill: @escaping @Sendable (World) throws -> Known,
    reads: [LibraryVerb<Library, Known>], writes: [LibraryVerb<Library, Known>], sources: [String], file: String = #filePath
  ) {
    (self.schema, self.library, self.fill, self.reads, self.writes) = (schema, library, fill, reads, writes)
    tests = URL(fileURLWithPath: file).deletingLastPathComponent()
    self.sources = sources.map(tests.appendingPathComponent)
  }

  /// Makes one check.
  ///
  /// - Throws: `.verificationFailed` saying what does not hold; what the verbs and opening throw.
  public func run(_ check: ConformanceCheck) throws {
    let names = (reads + writes).map(\.name)
    guard Set(names).count == names.count else { throw StoreError(.misuse, "two verbs have one name") }
    switch check {
    case .frozenSchemas: try checkFrozenSchemas()
    case .migration: try checkMigration()
    case .damage: try checkDamage()
    case .records: try expect(RecordCheck.tablesWithoutRecord(in: schema), tablesWithoutRecord, "the tables that no record reads")
    case .queryPlans: try checkQueryPlans()
    case .observers: try checkObservers()
    case .readOnly: try checkReadOnly()
    case .together: try checkTogether()
    case .bothForms: try LibraryForms(of: Library.self, in: sources).check(calledIn: tests)
    }
  }

  func filled(inMemory: Bool = true) throws -> (world: World, known: Known) {
    let world = try World(schema, inMemory: inMemory, library: library)
    let known = try fill(world)
    _ = world.statements.take()
    return (world, known)
  }

  func expect<Value: Equatable>(_ found: Value, _ wanted: Value, _ what: String) throws {
    guard found != wanted else { return }
    throw StoreError(.verificationFailed, "\(what): \(found), and should be \(wanted)")
  }
}

/// What `LibraryConformance` proves.
public enum ConformanceCheck: String, CaseIterable, Sendable {
  /// The migrations make what every shipped version's frozen schema has. With `HOLDFAST_FREEZE` in the environment, the file of a newest
  /// version that has none yet is written first.
  case frozenSchemas
  /// A store of each older version, filled by `olderRows`, becomes one of the newest and loses no row; a store of the newest that `fill`
  /// filled, with a row in every table, is opened as it is.
  case migration
  /// The integrity check finds each of the damages, and its row; one of them breaks each invariant that the schema declares. A full-text
  /// index that no longer fits its text is found as well.
  case damage
  /// The integrity check reads every table as a record.
  case records
  /// No statement of a verb walks through a whole table or index, or sorts in memory, but for those that `walks` names. The first page of
  /// a list may walk in the order of an index, since it stops at its limit.
  case queryPlans
  /// A verb wakes the observers of the tables that it changes, and no others.
  case observers
  /// A store that may not be written refuses each verb that writes, and answers every other one.
  case readOnly
  /// Eight threads call all verbs at once, in any order. A verb may throw `.notFound` and `.constraint`, since others change what it works on,
  /// and nothing else. The store is healthy afterwards.
  case together
  /// Each verb exists once for tasks and once for other code, and both do the same: their sources differ in `async` and `await` alone. Each
  /// is among `reads` and `writes`; live updates, whose names end with `Updates`, are called by a test. A verb is a line that begins with two
  /// spaces and `public func`, in an `extension` of the library without conformances.
  case bothForms
}
