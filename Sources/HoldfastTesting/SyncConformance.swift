public import Holdfast

/// Tests what a library declares for sync: several devices change its rows at once, and nothing that the library promises breaks.
///
/// ```swift
/// @Test("devices that change the list at once end with the same list", arguments: SyncConformance<ReadingList>.seeds)
/// func syncs(_ seed: UInt64) async throws {
///   try await SyncConformance<ReadingList> { world in
///     for book in books { try await world.library.save(book) }
///   }.run(seed: seed)
/// }
/// ```
/// A run makes a store in memory for each device and one for a server, and fills the first device. Then the devices edit, and some of them
/// meet the server, again and again. An edit gives columns of one row the values that another row has in them, deletes a row, or copies a
/// row under a new key. It is written as the table's record writes it. A change that the schema's constraints refuse, or that breaks an
/// invariant on its own device, is not made: so whatever is broken in the end, the merge has broken. Give such an invariant a `repair:`,
/// and declare the columns that a CHECK joins as `together`.
///
/// In the end all devices meet the server until nothing waits. Then the synced columns of every table are equal on all devices, the
/// integrity check finds nothing, no foreign key is broken, no row waits because a CHECK refuses it, and every derived column has the value
/// that the record computes. Rows may wait where two of them have one UNIQUE value. Odd seeds sync through a sealed space: the server then
/// holds no text of the rows, and a mark in each of their text columns is in no byte of its files, its log, a request or an answer. What
/// `staying` names never leaves the first device.
public struct SyncConformance<Library: Holdfast.Library>: Sendable {
  /// A device of the library.
  public typealias World = LibraryWorld<Library>

  let schema: StoreSchema
  let devices: Int
  let library: @Sendable (Store) -> Library
  let fill: @Sendable (World) async throws -> Void

  /// By table, the columns that must stay on their device, and what they hold in a row that arrives. Default none.
  ///
  /// The declaration's `here` says the same to the kit; this is the promise that the test keeps, so that no column begins to travel unnoticed.
  /// Name no column that a trigger computes from other rows. `fill` must put another value into each of these columns in some row.
  ///
  /// ```swift
  /// conformance.staying = ["tracks": ["file_url": .null, "availability": .text("offline")]]
  /// ```
  public var staying: [String: [String: SQLValue]] = [:]

  /// Describes the library.
  ///
  /// - Parameters:
  ///   - schema: another version of the library's schema.
  ///   - devices: at least 2.
  ///   - library: makes the library, when it needs more than its store.
  ///   - fill: puts rows into every table that syncs. Two and more rows, with different values, make more edits possible.
  public init(
    _ schema: StoreSchema = Library.schema, devices: Int = 2, library: @escaping @Sendable (Store) -> Library = { Library($0) },
    fill: @escaping @Sendable (World) async throws -> Void
  ) {
    (self.schema, self.devices, self.library, self.fill) = (schema, max(2, devices), library, fill)
  }

  /// Seeds for the cases of a test: 4; 1,000 with `HOLDFAST_PROOF=long` in the environment.
  public static var seeds: Range<UInt64> { 0..<(ProofRun.isLong ? 1_000 : 4) }

  /// Makes the run of a seed. Equal seeds give equal edits, when `fill` writes equal rows.
  ///
  /// - Throws: `.verificationFailed` with the seed and the first difference, and for a table or column in `staying` that is none; `.misuse`
  ///   for declarations that do not fit the tables; the errors of `fill`.
  public func run(seed: UInt64) async throws {
    let worlds = try (0..<devices).map { _ in try World(schema, inMemory: true, library: library) }
    try await fill(worlds[0])
    do {
      try SyncRun(schema, worlds.map(\.store), staying: staying, seed: seed).run()
    } catch let error as StoreError where error.code == .verificationFailed {
      throw StoreError(.verificationFailed, "seed \(seed): \(error.message)")
    }
  }
}
