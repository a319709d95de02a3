import Foundation

/// What a commit promises: `fast` survives a killed process, `durable` a power loss too.
enum Durability: String {
  case fast, durable
}

/// A result that a workload keeps alive until the clock has stopped.
protocol Loaded: Sendable {
  /// Computed after the clock stopped.
  var checksum: Checksum { get }
}

/// Work that was prepared outside the clock.
typealias Work = () throws -> Void

/// The listening position of one track, as a player saves it.
struct SavedPosition: Sendable {
  var track: UUID
  var collection: UUID
  /// Seconds.
  var position: Double
  var duration: Double
  /// A whole number of milliseconds.
  var updatedAt: Date
  var updatedAtMilliseconds: Int64
}

/// A live query over the playback states.
protocol Observer {
  /// Values delivered so far, the initial one included.
  var values: Int { get }
  func stop()
}

/// One way to keep the library. A new contestant is one type, and one line in `roster`.
///
/// Each verb is one transaction and is what the clock measures; where preparation is needed, the verb returns the work to time.
/// An instance is used from one thread.
protocol Contestant: AnyObject {
  static var name: String { get }
  /// The name of the data set's file that it opens.
  static var fileName: String { get }
  /// True if each save rewrites the library and each load reads all of it: such contestants run fewer operations.
  static var rewritesWholeFile: Bool { get }
  /// True if `importLibrary` works.
  static var imports: Bool { get }
  static func takesPart(in workload: Workload) -> Bool

  /// Opens the file called `fileName` in `folder`.
  init(folder: String, durability: Durability) throws
  func close() throws
  /// Checkpoints, so that every round begins with an empty log. Not timed.
  func settle() throws

  func loadLibrary() throws -> any Loaded
  func loadCollection(_ id: UUID) throws -> any Loaded
  func readTrack(_ id: UUID) throws -> any Loaded

  func savePosition(_ save: SavedPosition) throws
  /// Puts the tracks after the collection's last one and sets the collection's `updated_at`.
  func addTracks(_ tracks: [SeedTrack], to collection: UUID, at milliseconds: Int64) throws -> Work
  func deleteCollection(_ id: UUID) throws
  /// Inserts collections, tags and tracks into an empty library in one transaction.
  func insertAll(_ library: SeedLibrary) throws -> Work

  /// Counts the playback states again after each commit; nil if the contestant has no live queries.
  func observe() throws -> (any Observer)?

  /// Brings a version 3 `library.json` into a new library in `folder`, which is empty.
  static func importLibrary(json: String, into folder: String) throws -> any Loaded

  /// SQL by query name, for comparing plans; empty if it has none to show.
  func queries() throws -> [String: String]
}

extension Contestant {
  static var fileName: String { DataSet.databaseName }
  static var rewritesWholeFile: Bool { false }
  static var imports: Bool { false }
  static func takesPart(in workload: Workload) -> Bool { !workload.isConcurrent && (workload.wholeFile || !rewritesWholeFile) }
  func settle() throws {}
  func observe() throws -> (any Observer)? { nil }
  static func importLibrary(json: String, into folder: String) throws -> any Loaded { throw Failure("\(name) does not import") }
  func queries() throws -> [String: String] { [:] }
}

/// A contestant with `async` verbs, which workloads with an asynchronous form use in place of the others.
protocol AsyncContestant: Contestant, Sendable {
  func savePositionAsync(_ save: SavedPosition) async throws
  func readTrackAsync(_ id: UUID) async throws -> any Loaded
}

struct Failure: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
