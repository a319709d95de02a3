import CLimit
import Foundation

class CContestant: Contestant {
  class var name: String { "C" }
  class var insertsRowByRow: Bool { false }
  private let store: CStore

  required init(folder: String, durability: Durability) throws {
    store = try CStore(path: folder + "/" + Self.fileName, durability: durability, rowByRow: Self.insertsRowByRow)
  }

  class func takesPart(in workload: Workload) -> Bool { !workload.isConcurrent }

  func close() throws { store.close() }
  func settle() throws { try store.check(climit_checkpoint(store.pointer)) }

  func loadLibrary() throws -> any Loaded {
    let loaded = CLibrary()
    try store.check(climit_load_library(store.pointer, &loaded.library))
    return loaded
  }

  func loadCollection(_ id: UUID) throws -> any Loaded {
    let loaded = CLibrary()
    var id = climit_id(id)
    try store.check(climit_load_collection(store.pointer, &id, &loaded.library))
    return loaded
  }

  func readTrack(_ id: UUID) throws -> any Loaded {
    let loaded = CTrack()
    var id = climit_id(id)
    try store.check(climit_read_track(store.pointer, &id, &loaded.track))
    return loaded
  }

  func savePosition(_ save: SavedPosition) throws {
    var state = climit_state(
      track_id: climit_id(save.track), collection_id: climit_id(save.collection), position: save.position, duration: save.duration,
      updated_at: save.updatedAtMilliseconds, has_duration: true)
    try store.check(climit_save_position(store.pointer, &state))
  }

  func addTracks(_ tracks: [SeedTrack], to collection: UUID, at milliseconds: Int64) throws -> Work {
    let values = CSeed(tracks)
    return { [store] in
      var id = climit_id(collection)
      try store.check(climit_add_tracks(store.pointer, &id, values.tracks, values.tracks.count, milliseconds))
    }
  }

  func deleteCollection(_ id: UUID) throws {
    var id = climit_id(id)
    try store.check(climit_delete_collection(store.pointer, &id))
  }

  func insertAll(_ library: SeedLibrary) throws -> Work { try store.insertion(of: library, withStates: false) }

  func queries() throws -> [String: String] {
    var found: [String: String] = [:]
    var place = 0
    while let name = climit_query_name(place), let sql = climit_query_sql(place) {
      found[String(cString: name)] = String(cString: sql)
      place += 1
    }
    return found
  }
}

/// C without the batches that the others insert with.
final class CRowContestant: CContestant {
  override class var name: String { "C row by row" }
  override class var insertsRowByRow: Bool { true }
  override class func takesPart(in workload: Workload) -> Bool { workload.insertsTracks }
}

private final class CTrack: Loaded, @unchecked Sendable {
  var track = climit_track()
  deinit { climit_track_free(&track) }

  var checksum: Checksum {
    var sum = Checksum()
    sum.add(track)
    return sum
  }
}

private final class CLibrary: Loaded, @unchecked Sendable {
  var library = climit_library()
  deinit { climit_library_free(&library) }

  var checksum: Checksum {
    var sum = Checksum()
    for collection in UnsafeBufferPointer(start: library.collections, count: library.collection_count) {
      sum.addCollection(
        tags: collection.tag_count, title: Int(collection.title.count), updatedAtMilliseconds: collection.updated_at)
      for track in UnsafeBufferPointer(start: collection.tracks, count: collection.track_count) {
        sum.add(track)
        var id = track.id
        // Through the table, so that it is shown to work.
        if let state = climit_state_of(&library, &id) {
          sum.addState(position: state.pointee.position, updatedAtMilliseconds: state.pointee.updated_at)
        }
      }
    }
    sum.addFavorites(library.favorite_count)
    return sum
  }
}

extension Checksum {
  fileprivate mutating func add(_ track: climit_track) {
    addTrack(id: track.id.uuid, fileSize: track.file_size, textBytes: Int(track.display_name.count + track.filename.count))
  }
}
