import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer

/// The product, through its public verbs. Its clock stands still, so that the caller decides what `updated_at` will be.
class HoldfastContestant: Contestant, @unchecked Sendable {
  class var name: String { "Holdfast" }
  class var imports: Bool { true }
  /// Whether the store counts its verbs, as it does by default.
  class var countsVerbs: Bool { true }
  /// What the schema declares beside its own.
  class var declarations: [SchemaDeclaration] { [] }
  /// Nil: the store is not encrypted.
  class var key: StoreKey? { nil }
  let library: AudiobookLibrary
  private let clock = Clock()

  required init(folder: String, durability: Durability) throws {
    var options = StoreOptions()
    options.durability = durability == .durable ? .durable : .fast
    options.now = { [clock] in clock.now }
    options.metrics = Self.countsVerbs
    if let key = Self.key {
      try Store.encrypt(at: URL(fileURLWithPath: folder + "/" + Self.fileName), with: key, plainFiles: .remove)
      options.key = key
    }
    let own = AudiobookLibrary.schema
    // A declaration comes with a migration: the database was made without it.
    let next = Self.declarations.isEmpty ? [] : [Migration("\(own.name)/benchmark", sql: "SELECT 1")]
    let schema = StoreSchema(
      own.name, migrations: own.migrations + next, records: own.records, invariants: own.invariants,
      declarations: own.declarations + Self.declarations, neverExported: own.neverExported)
    library = AudiobookLibrary(try Store.open(at: URL(fileURLWithPath: folder + "/" + Self.fileName), schemas: [schema], options: options))
  }

  class func takesPart(in workload: Workload) -> Bool { !workload.isConcurrent }

  func close() throws {
    let url = library.store.url
    try library.store.close()
    // Whoever compares the contents reads a plain file.
    guard let url, let key = Self.key else { return }
    var options = StoreOptions()
    options.key = key
    try Store.decrypt(at: url, encryptedFiles: .remove, options: options)
  }
  func settle() throws { try library.store.checkpoint(.truncate) }

  func loadLibrary() throws -> any Loaded {
    HoldfastLibrary(collections: try library.store.read { try AudiobookLibrary.collections(in: $0) })
  }

  func loadCollection(_ id: UUID) throws -> any Loaded {
    guard let collection = try library.store.read({ try AudiobookLibrary.collection(id, in: $0) }) else {
      throw Failure("no collection \(id)")
    }
    return HoldfastLibrary(collections: [collection])
  }

  func readTrack(_ id: UUID) throws -> any Loaded {
    guard let track = try library.store.read({ try AudiobookLibrary.track(id, in: $0) }) else { throw Failure("no track \(id)") }
    return HoldfastTrack(track: track)
  }

  func savePosition(_ save: SavedPosition) throws {
    let state = PlaybackState(position: save.position, duration: save.duration, updatedAt: save.updatedAt)
    try library.store.write { try AudiobookLibrary.savePlaybackState(state, of: save.track, in: $0) }
  }

  func addTracks(_ tracks: [SeedTrack], to collection: UUID, at milliseconds: Int64) throws -> Work {
    let tracks = try tracks.map { try AudiobookTrack($0) }
    return { [self] in
      clock.now = Date(milliseconds: milliseconds)
      try library.store.write { try AudiobookLibrary.addTracks(tracks, to: collection, in: $0) }
    }
  }

  func deleteCollection(_ id: UUID) throws {
    guard try library.store.write({ try AudiobookLibrary.deleteCollection(id, in: $0) }) else { throw Failure("no collection \(id)") }
  }

  func insertAll(_ seed: SeedLibrary) throws -> Work {
    let collections = try seed.collections.map { try AudiobookCollection($0) }
    return { [library] in
      try library.store.write { transaction in
        for collection in collections { try AudiobookLibrary.save(collection, in: transaction) }
      }
    }
  }

  func observe() throws -> (any Observer)? { HoldfastObserver(library.store) }

  class func importLibrary(json: String, into folder: String) throws -> any Loaded {
    // An import keeps a copy beside its source: without a link of its own the next one would find that copy and make none.
    let source = folder + "/" + DataSet.jsonName
    try FileManager.default.linkItem(atPath: json, toPath: source)
    let store = URL(fileURLWithPath: folder + "/" + DataSet.databaseName)
    let report = try AudiobookLibrary.importLibrary(from: URL(fileURLWithPath: source), into: store)
    guard report.verified, report.problemCount == 0 else { throw Failure("the import had \(report.problemCount) problems") }
    return ImportedLibrary(url: store)
  }
}

/// The same through the `async` doors.
final class HoldfastAsyncContestant: HoldfastContestant, AsyncContestant, @unchecked Sendable {
  override class var name: String { "Holdfast async" }
  override class var imports: Bool { false }
  override class func takesPart(in workload: Workload) -> Bool { workload.hasAsyncForm }

  func savePositionAsync(_ save: SavedPosition) async throws {
    try await library.savePlaybackState(
      PlaybackState(position: save.position, duration: save.duration, updatedAt: save.updatedAt), of: save.track)
  }

  func readTrackAsync(_ id: UUID) async throws -> any Loaded {
    guard let track = try await library.track(id) else { throw Failure("no track \(id)") }
    return HoldfastTrack(track: track)
  }
}

/// The same without metrics: the difference is what they cost a call.
final class HoldfastUncountedContestant: HoldfastContestant, @unchecked Sendable {
  override class var name: String { "Holdfast, metrics off" }
  override class var imports: Bool { false }
  override class var countsVerbs: Bool { false }
  override class func takesPart(in workload: Workload) -> Bool { [Workload.point, Workload.saveFast].contains(workload.name) }
}

/// The same with an audit of the positions: each save has an entry.
final class HoldfastAuditedContestant: HoldfastContestant, @unchecked Sendable {
  override class var name: String { "Holdfast, audited" }
  override class var imports: Bool { false }
  override class var declarations: [SchemaDeclaration] { [.audit("playback_states", key: ["track_id"], unaudited: ["rowid"])] }
  override class func takesPart(in workload: Workload) -> Bool { [Workload.saveFast, Workload.saveDurable].contains(workload.name) }
}

/// The same with the store encrypted. Only where the SQLite in use can: `make bench-encryption`.
final class HoldfastEncryptedContestant: HoldfastContestant, @unchecked Sendable {
  override class var name: String { "Holdfast, encrypted" }
  override class var imports: Bool { false }
  override class var key: StoreKey? { once }
  private static let once = StoreKey.random()
  static let isPossible = ProcessInfo.processInfo.environment["HOLDFAST_ENCRYPTS"] != nil
  override class func takesPart(in workload: Workload) -> Bool {
    isPossible && [Workload.loadNew, Workload.saveFast, Workload.saveDurable].contains(workload.name)
  }
}

private final class Clock: @unchecked Sendable {
  private let lock = NSLock()
  private var date = Date(milliseconds: 1_800_000_000_000)

  var now: Date {
    get { lock.withLock { date } }
    set { lock.withLock { date = newValue } }
  }
}

private struct HoldfastTrack: Loaded {
  var track: AudiobookTrack
  var checksum: Checksum {
    var sum = Checksum()
    sum.add(track)
    return sum
  }
}

private struct HoldfastLibrary: Loaded {
  /// Newest first; the other contestants have the oldest first.
  var collections: [AudiobookCollection]

  var checksum: Checksum {
    var sum = Checksum()
    for collection in collections.reversed() {
      sum.addCollection(
        tags: collection.tags.count, title: collection.title.utf8.count, updatedAtMilliseconds: collection.updatedAt.milliseconds)
      for track in collection.tracks {
        sum.add(track)
        if let state = collection.playbackStates[track.id] {
          sum.addState(position: state.position, updatedAtMilliseconds: state.updatedAt.milliseconds)
        }
      }
      sum.addFavorites(collection.favorites.count)
    }
    return sum
  }
}

/// What an import left on disk, read when it is asked for.
private struct ImportedLibrary: Loaded {
  var url: URL
  var checksum: Checksum {
    do {
      let library = try AudiobookLibrary.open(at: url)
      let sum = HoldfastLibrary(collections: try library.store.read { try AudiobookLibrary.collections(in: $0) }).checksum
      try library.store.close()
      return sum
    } catch {
      return Checksum()
    }
  }
}

extension Checksum {
  fileprivate mutating func add(_ track: AudiobookTrack) {
    addTrack(id: track.id, fileSize: track.fileSize, textBytes: track.displayName.utf8.count + track.filename.utf8.count)
  }
}

private final class HoldfastObserver: Observer {
  /// The number makes each value another: a watch drops values that are equal to the last.
  private struct Seen: Equatable, Sendable {
    var states: Int
    var number: Int
  }
  private let counter = Counter()
  private let task: Task<Void, Never>

  init(_ store: Store) {
    let reads = Counter()
    let updates = store.updates { reader in
      reads.increment()
      return Seen(states: try reader.count("SELECT count(*) FROM playback_states"), number: reads.value)
    }
    task = Task { [counter] in
      do { for try await _ in updates { counter.increment() } } catch {}
    }
  }

  var values: Int { counter.value }
  func stop() { task.cancel() }
}

extension AudiobookCollection {
  fileprivate init(_ seed: SeedCollection) throws {
    self.init(
      id: seed.id, title: seed.title, author: seed.author, description: seed.description,
      cover: CollectionCover(.solid(colorHex: seed.colorHex), dominantColorHex: seed.colorHex),
      createdAt: Date(milliseconds: seed.createdAt), updatedAt: Date(milliseconds: seed.updatedAt),
      source: .baiduNetdisk(folderPath: seed.folder, tokenScope: "netdisk"), tracks: try seed.tracks.map { try AudiobookTrack($0) },
      lastPlayedTrackID: seed.lastPlayedTrack, tags: seed.tags)
  }
}

extension AudiobookTrack {
  fileprivate init(_ seed: SeedTrack) throws {
    let location: TrackLocation =
      switch seed.locationType {
      case "baidu": .baidu(fsID: seed.fileID, path: seed.path)
      case "local": .local(bookmark: Data(seed.path.utf8))
      default: .external(url: "https://example.com\(seed.path)")
      }
    self.init(
      id: seed.id, displayName: seed.displayName, filename: seed.filename, location: location, fileSize: seed.fileSize,
      duration: seed.duration, trackNumber: seed.trackNumber, checksum: seed.checksum, metadata: StoredJSON(text: seed.metadataText))
    guard self.location.payload == seed.locationPayload else { throw Failure("\(self.location.payload) is not \(seed.locationPayload)") }
  }
}
