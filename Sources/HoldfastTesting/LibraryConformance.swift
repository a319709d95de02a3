import Foundation
public import Holdfast
public import HoldfastTransfer

/// Tests one library against the promises that every library keeps.
///
/// Declare once how the library is filled and which verbs it has. Then run each check as one case of one test:
///
/// ```swift
/// @Test("the list keeps what every library promises", arguments: ConformanceCheck.allCases)
/// func conforms(_ check: ConformanceCheck) async throws {
///   try await LibraryConformance<ReadingList, Book>(
///     fill: { world in
///       let book = Book(id: NewID.v7(), title: "Dune", addedAt: world.clock.now)
///       try await world.library.save(book)
///       return book
///     },
///     reads: [LibraryVerb(name: "load a book") { list, book in _ = try await list.book(book.id) }],
///     writes: [LibraryVerb(name: "delete", changes: ["books"]) { list, book in try await list.delete(book.id) }],
///     records: [dune, bareBook],
///     updates: [LibraryUpdates(name: "books", { list, _ in list.bookUpdates() }, reading: { list, _ in try await list.books().items })]
///   ).run(check)
/// }
/// ```
///
/// Every check makes its own stores, and throws `.verificationFailed` with its result.
public struct LibraryConformance<Library: Holdfast.Library, Known: Sendable>: Sendable {
  /// A store of the library.
  public typealias World = LibraryWorld<Library>

  let schema: StoreSchema
  let library: @Sendable (Store) -> Library
  let fill: @Sendable (World) async throws -> Known
  let reads: [LibraryVerb<Library, Known>]
  let writes: [LibraryVerb<Library, Known>]
  let records: [any StoredRecord]
  let updates: [LibraryUpdates<Library, Known>]
  /// By verb, the allowed scans of whole tables and indexes and the allowed sorts in memory, as SQLite's query plan prints them.
  public var walks: [String: Set<String>] = [:]
  /// Statements that damage a filled store. `finding` is the beginning of the message that the integrity check must report.
  public var damages: [(sql: String, finding: String)] = []
  /// For each older version, statements that put a row into each of its tables. Verbs can write only the newest schema.
  public var olderRows: [Int: [String]] = [:]
  /// Tables whose rows are read as no record.
  public var tablesWithoutRecord: Set<String> = []
  /// What the library declares for programs that know no library, such as the command line. Nil: nothing.
  public var description: LibraryDescription?
  let tests: URL

  /// Describes the library.
  ///
  /// - Parameters:
  ///   - schema: another version of the library's schema.
  ///   - library: makes the library, when it needs more than its store.
  ///   - fill: puts a row into every table; returns the values that each verb's `run` receives.
  ///   - reads: all verbs that change nothing, with every list in two pages.
  ///   - writes: all verbs that change something, also when there is nothing to change. In `together` all of them share one store: include
  ///     a verb that adds rows, so that the store does not become empty.
  ///   - records: for each record type of the schema, a record with a different value in every column, and one with nil wherever nil is
  ///     allowed. They need no parents, and are not stored.
  ///   - updates: all live updates. The value of each must be changed by one of `writes`.
  ///   - file: the calling file. `FrozenSchema`'s files are in `Fixtures` beside it.
  public init(
    _ schema: StoreSchema = Library.schema, library: @escaping @Sendable (Store) -> Library = { Library($0) },
    fill: @escaping @Sendable (World) async throws -> Known, reads: [LibraryVerb<Library, Known>], writes: [LibraryVerb<Library, Known>],
    records: [any StoredRecord], updates: [LibraryUpdates<Library, Known>] = [], file: String = #filePath
  ) {
    (self.schema, self.library, self.fill, self.reads, self.writes) = (schema, library, fill, reads, writes)
    (self.records, self.updates) = (records, updates)
    tests = URL(fileURLWithPath: file).deletingLastPathComponent()
  }

  /// Runs one check.
  ///
  /// - Throws: `.verificationFailed` with the broken promise; the errors of the verbs and of opening.
  public func run(_ check: ConformanceCheck) async throws {
    let names = (reads + writes).map(\.name)
    guard Set(names).count == names.count else { throw StoreError(.misuse, "two verbs have one name") }
    switch check {
    case .frozenSchemas: try checkFrozenSchemas()
    case .migration: try await checkMigration()
    case .damage: try await checkDamage()
    case .randomDamage: try await checkRandomDamage()
    case .records: try checkRecords()
    case .queryPlans: try await checkQueryPlans()
    case .observers: try await checkObservers()
    case .updates: try await checkUpdates()
    case .readOnly: try await checkReadOnly()
    case .together: try await checkTogether()
    case .description: try await checkDescription()
    }
  }

  func filled(inMemory: Bool = true) async throws -> (world: World, known: Known) {
    let world = try World(schema, inMemory: inMemory, library: library)
    let known = try await fill(world)
    _ = world.statements.take()
    return (world, known)
  }
}

/// The promises that `LibraryConformance` checks.
public enum ConformanceCheck: String, CaseIterable, Sendable {
  /// The migrations make the frozen schema of every shipped version. With `HOLDFAST_FREEZE` in the environment, a missing file of the
  /// newest version is written first.
  case frozenSchemas
  /// A store of each older version, filled by `olderRows`, is migrated to the newest version without losing a row. A store of the newest
  /// version, with a row in every table by `fill`, opens unchanged.
  case migration
  /// The integrity check finds each of the damages and its row. Each declared invariant is broken by one of the damages. A full-text index
  /// that differs from its text is found, too.
  case damage
  /// After one value of one row was damaged at random, every verb of `reads` returns, or throws `.decoding` with the column, `.damaged`,
  /// `.notFound`, or `.wrongKey` for a sealed value. No verb traps, and the integrity check returns. Runs 50 times; 1,000 times with
  /// `HOLDFAST_PROOF=long` in the environment. A failure names the seed and the damage, which are the same in every run.
  case randomDamage
  /// The integrity check reads every table as a record, and each record type reads what it writes, column by column.
  case records
  /// No statement of a verb scans a whole table or index, or sorts in memory, except where `walks` allows it. The first page of a list may
  /// scan in the order of an index, because it stops at its limit.
  case queryPlans
  /// A verb wakes the observers of the tables that it changes, and no others.
  case observers
  /// Live updates notice each verb that changes their value, and their value is always the value that the verb reads.
  case updates
  /// A read-only store refuses each verb that writes, and answers every other verb.
  case readOnly
  /// Eight tasks call all verbs at once, in any order. A verb may throw only `.notFound` and `.constraint`, because other tasks change
  /// its rows. The store is healthy afterwards.
  case together
  /// Everything that `description` declares can be read, from an empty store and from a filled one: each line of a list has the declared
  /// members, each kind finds and shows a thing by its id and its name, and search finds only what the kinds find.
  case description
}
