import Foundation
import GRDB

/// GRDB as most apps use it: a pool, Codable records, the query interface.
final class GRDBContestant: Contestant {
  static let name = "GRDB Codable"
  private let pool: DatabasePool

  init(folder: String, durability: Durability) throws {
    var configuration = Configuration()
    // A checkpoint waits for the observer's reader.
    configuration.busyMode = .timeout(5)
    configuration.prepareDatabase { try $0.execute(sql: "PRAGMA recursive_triggers = ON") }
    pool = try DatabasePool(path: folder + "/" + Self.fileName, configuration: configuration)
    try pool.writeWithoutTransaction { database in
      // The pool sets NORMAL itself while it opens.
      if durability == .durable { try database.execute(sql: "PRAGMA synchronous = FULL") }
      let level = try Int.fetchOne(database, sql: "PRAGMA synchronous")
      guard level == (durability == .durable ? 2 : 1) else { throw Failure("GRDB runs with synchronous \(level ?? -1)") }
    }
  }

  func close() throws { try pool.close() }
  func settle() throws { _ = try pool.writeWithoutTransaction { try $0.checkpoint(.truncate) } }

  func loadLibrary() throws -> any Loaded {
    try pool.read { database in
      try GRDBLibrary(
        collections: Requests.collections.fetchAll(database), tags: Requests.tags.fetchAll(database),
        tracks: Requests.tracks.fetchAll(database), states: Requests.states.fetchAll(database),
        favorites: Requests.favorites.fetchAll(database))
    }
  }

  func loadCollection(_ id: UUID) throws -> any Loaded {
    let key = id.uuidString.lowercased()
    return try pool.read { database in
      try GRDBLibrary(
        collections: Requests.collection(key).fetchAll(database), tags: Requests.tags(of: key).fetchAll(database),
        tracks: Requests.tracks(of: key).fetchAll(database), states: Requests.states(of: key).fetchAll(database),
        favorites: Requests.favorites(of: key).fetchAll(database))
    }
  }

  func readTrack(_ id: UUID) throws -> any Loaded {
    let track = try pool.read { try Requests.track(id.uuidString.lowercased()).fetchOne($0) }
    guard let track else { throw Failure("no track \(id)") }
    return GRDBTrack(track: track)
  }

  func savePosition(_ save: SavedPosition) throws {
    let state = StateRecord(
      trackId: save.track, collectionId: save.collection, position: save.position, duration: save.duration, updatedAt: save.updatedAt)
    try pool.write { database in
      // The record's own upsert would compile its SQL anew for each save.
      let track = state.trackId.uuidString.lowercased()
      let collection = state.collectionId.uuidString.lowercased()
      let milliseconds = state.updatedAt.milliseconds
      try database.cachedStatement(sql: Requests.saveState).execute(
        arguments: [track, collection, state.position, state.duration, milliseconds])
      try database.cachedStatement(sql: Requests.setLastPlayed).execute(arguments: [track, milliseconds, collection])
    }
  }

  func addTracks(_ tracks: [SeedTrack], to collection: UUID, at milliseconds: Int64) throws -> Work {
    let records = try tracks.map(TrackRecord.init)
    let key = collection.uuidString.lowercased()
    return { [pool] in
      try pool.write { database in
        var place = try Requests.lastPosition(of: key).fetchOne(database) ?? -1
        for var record in records {
          place += 1
          record.position = place
          try record.insert(database)
        }
        try Requests.collection(key).updateAll(database, Column("updated_at").set(to: milliseconds))
      }
    }
  }

  func deleteCollection(_ id: UUID) throws {
    _ = try pool.write { try Requests.collection(id.uuidString.lowercased()).deleteAll($0) }
  }

  func insertAll(_ library: SeedLibrary) throws -> Work {
    let collections = library.collections.map(CollectionRecord.init)
    let tags = library.collections.flatMap { collection in
      collection.tags.enumerated().map { TagRecord(collectionId: collection.id, tag: $0.element, position: $0.offset) }
    }
    let tracks = try library.insertionOrder.map { try TrackRecord(library.collections[$0.collection].tracks[$0.track]) }
    return { [pool] in
      try pool.write { database in
        for collection in collections { try collection.insert(database) }
        for tag in tags { try tag.insert(database) }
        for track in tracks { try track.insert(database) }
      }
    }
  }

  func observe() throws -> (any Observer)? { GRDBObserver(pool) }

  func queries() throws -> [String: String] {
    try pool.read { database in
      func sql(_ request: some FetchRequest) throws -> String {
        try request.makePreparedRequest(database, forSingleResult: false).statement.sql
      }
      return try [
        "collections": sql(Requests.collections), "tags": sql(Requests.tags), "tracks": sql(Requests.tracks),
        "states": sql(Requests.states), "favorites": sql(Requests.favorites), "collection": sql(Requests.collection("")),
        "tags of one": sql(Requests.tags(of: "")), "tracks of one": sql(Requests.tracks(of: "")),
        "states of one": sql(Requests.states(of: "")), "favorites of one": sql(Requests.favorites(of: "")),
        "track": sql(Requests.track("")), "last position": sql(Requests.lastPosition(of: "")),
      ]
    }
  }
}

/// Ids are text here: a UUID given to the query interface would be bound as a blob.
private enum Requests {
  static let id = Column("id"), collection = Column("collection_id"), position = Column("position")
  static var collections: QueryInterfaceRequest<CollectionRecord> { CollectionRecord.order(Column("created_at"), id) }
  static var tags: QueryInterfaceRequest<TagRecord> {
    TagRecord.select(collection, Column("tag"), position).order(collection, position, Column("tag"))
  }
  static var tracks: QueryInterfaceRequest<TrackRecord> { TrackRecord.order(collection, position, id) }
  static var states: QueryInterfaceRequest<StateRecord> { StateRecord.all() }
  static var favorites: QueryInterfaceRequest<FavoriteRecord> { FavoriteRecord.all() }

  static func collection(_ key: String) -> QueryInterfaceRequest<CollectionRecord> { CollectionRecord.filter(id == key) }
  static func tags(of key: String) -> QueryInterfaceRequest<TagRecord> {
    TagRecord.select(collection, Column("tag"), position).filter(collection == key).order(position, Column("tag"))
  }
  static func tracks(of key: String) -> QueryInterfaceRequest<TrackRecord> {
    TrackRecord.filter(collection == key).order(position, id)
  }
  static func states(of key: String) -> QueryInterfaceRequest<StateRecord> { StateRecord.filter(collection == key) }
  static func favorites(of key: String) -> QueryInterfaceRequest<FavoriteRecord> { FavoriteRecord.filter(collection == key) }
  static func track(_ key: String) -> QueryInterfaceRequest<TrackRecord> { TrackRecord.filter(id == key) }
  static func lastPosition(of key: String) -> QueryInterfaceRequest<Int> {
    TrackRecord.filter(collection == key).select(max(position), as: Int.self)
  }

  static let saveState = """
    INSERT INTO playback_states (track_id, collection_id, position, duration, updated_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (track_id) DO UPDATE SET position = excluded.position, duration = excluded.duration, updated_at = excluded.updated_at
    """
  static let setLastPlayed = "UPDATE collections SET last_played_track_id = ?, updated_at = ? WHERE id = ?"
}

private struct GRDBTrack: Loaded {
  var track: TrackRecord
  var checksum: Checksum {
    var sum = Checksum()
    sum.add(track)
    return sum
  }
}

private struct GRDBLibrary: Loaded {
  struct Entry {
    var collection: CollectionRecord
    var tags: [String] = []
    var tracks: [TrackRecord] = []
  }
  private var entries: [Entry] = []
  private var states: [UUID: StateRecord]
  private var favorites: [UUID: FavoriteRecord]

  init(collections: [CollectionRecord], tags: [TagRecord], tracks: [TrackRecord], states: [StateRecord], favorites: [FavoriteRecord]) {
    let tagsByCollection = Dictionary(grouping: tags, by: \.collectionId)
    let tracksByCollection = Dictionary(grouping: tracks, by: \.collectionId)
    entries = collections.map { collection in
      Entry(
        collection: collection, tags: tagsByCollection[collection.id]?.map(\.tag) ?? [], tracks: tracksByCollection[collection.id] ?? [])
    }
    self.states = Dictionary(states.map { ($0.trackId, $0) }, uniquingKeysWith: { $1 })
    self.favorites = Dictionary(favorites.map { ($0.trackId, $0) }, uniquingKeysWith: { $1 })
  }

  var checksum: Checksum {
    var sum = Checksum()
    for entry in entries {
      sum.addCollection(
        tags: entry.tags.count, title: entry.collection.title.utf8.count,
        updatedAtMilliseconds: entry.collection.updatedAt.milliseconds)
      for track in entry.tracks {
        sum.add(track)
        if let state = states[track.id] {
          sum.addState(position: state.position, updatedAtMilliseconds: state.updatedAt.milliseconds)
        }
      }
    }
    sum.addFavorites(favorites.count)
    return sum
  }
}

extension Checksum {
  fileprivate mutating func add(_ track: TrackRecord) {
    addTrack(id: track.id, fileSize: track.fileSize, textBytes: track.displayName.utf8.count + track.filename.utf8.count)
  }
}

private final class GRDBObserver: Observer {
  private let counter = Counter()
  private var cancellable: AnyDatabaseCancellable?

  init(_ pool: DatabasePool) {
    cancellable =
      ValueObservation
      .trackingConstantRegion { try StateRecord.fetchCount($0) }
      .start(in: pool, scheduling: .async(onQueue: .global()), onError: { _ in }, onChange: { [counter] _ in counter.increment() })
  }

  var values: Int { counter.value }
  func stop() { cancellable?.cancel() }
}
