import CLimit
import Foundation

/// The plain C store with Swift errors.
final class CStore {
  let pointer: OpaquePointer
  private var isOpen = true

  init(path: String, durability: Durability, rowByRow: Bool = false) throws {
    var opened: OpaquePointer?
    let code = climit_open(path, durability == .durable, rowByRow, &opened)
    guard code == 0, let opened else {
      let message = String(cString: climit_message(opened))
      climit_close(opened)
      throw Failure("cannot open \(path): \(message)")
    }
    pointer = opened
  }

  func close() {
    if isOpen { climit_close(pointer) }
    isOpen = false
  }

  deinit { close() }

  func check(_ code: Int32) throws {
    if code != 0 { throw Failure("C contestant, code \(code): \(String(cString: climit_message(pointer)))") }
  }

  /// The last column of every row.
  func rows(_ sql: String) throws -> [String] {
    var found: [String] = []
    let code = withUnsafeMutablePointer(to: &found) { context in
      climit_rows(pointer, sql, context) { context, text in
        guard let text else { return }
        context?.assumingMemoryBound(to: [String].self).pointee.append(String(cString: text))
      }
    }
    try check(code)
    return found
  }

  func insert(_ library: SeedLibrary, withStates: Bool = true) throws { try insertion(of: library, withStates: withStates)() }

  /// Converts now, inserts when called.
  func insertion(of library: SeedLibrary, withStates: Bool) throws -> Work {
    let values = CSeed(library, withStates: withStates)
    return { [self] in
      try check(
        climit_insert(
          pointer, values.collections, values.collections.count, values.tracks, values.tracks.count, values.states, values.states.count,
          values.favorites, values.favorites.count))
    }
  }
}

/// Plain C on a file of one of the product's stores.
class CConnection {
  let pointer: OpaquePointer

  init(_ path: String, _ open: (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>) -> Int32) throws {
    var opened: OpaquePointer?
    let code = open(path, &opened)
    guard code == 0, let opened else { throw Failure("C cannot open \(path): \(code), \(String(cString: cconnection_message(opened)))") }
    pointer = opened
  }

  func close() { cconnection_close(pointer) }

  func check(_ code: Int32) throws {
    if code != 0 { throw Failure("C contestant, code \(code): \(String(cString: cconnection_message(pointer)))") }
  }
}

/// A seed as C values; owns the strings.
final class CSeed {
  private(set) var collections: [climit_collection] = []
  private(set) var tracks: [climit_track] = []
  private(set) var states: [climit_state] = []
  private(set) var favorites: [climit_favorite] = []
  private var owned: [UnsafeMutableRawPointer] = []

  init(_ library: SeedLibrary, withStates: Bool) {
    collections = library.collections.map(value)
    tracks.reserveCapacity(library.insertionOrder.count)
    for place in library.insertionOrder {
      let track = library.collections[place.collection].tracks[place.track]
      tracks.append(value(track))
      if withStates { addProgress(of: track) }
    }
  }

  init(_ seeds: [SeedTrack]) { tracks = seeds.map(value) }

  deinit { for pointer in owned { free(pointer) } }

  private func addProgress(of track: SeedTrack) {
    if let state = track.state {
      states.append(
        climit_state(
          track_id: climit_id(track.id), collection_id: climit_id(track.collection), position: state.position,
          duration: state.duration ?? 0, updated_at: state.updatedAt, has_duration: state.duration != nil))
    }
    if let date = track.favoritedAt {
      favorites.append(
        climit_favorite(
          track_id: climit_id(track.id), collection_id: climit_id(track.collection), favorited_at: date, has_favorited_at: true))
    }
  }

  private func text(_ string: String?) -> climit_text {
    guard let string, let copy = strdup(string) else { return climit_text(bytes: nil, count: 0) }
    owned.append(copy)
    return climit_text(bytes: copy, count: Int32(string.utf8.count))
  }

  private func value(_ seed: SeedTrack) -> climit_track {
    var track = climit_track()
    track.id = climit_id(seed.id)
    track.collection_id = climit_id(seed.collection)
    track.position = Int64(seed.position)
    track.display_name = text(seed.displayName)
    track.filename = text(seed.filename)
    track.location_payload = text(seed.locationPayload)
    track.file_size = seed.fileSize
    track.duration = seed.duration ?? 0
    track.has_duration = seed.duration != nil
    track.track_number = Int64(seed.trackNumber)
    track.checksum = text(seed.checksum)
    track.metadata = text(seed.metadataText)
    track.original_id = text(nil)
    track.location_kind = seed.locationType == "baidu" ? climit_baidu : seed.locationType == "local" ? climit_local : climit_external
    return track
  }

  private func value(_ seed: SeedCollection) -> climit_collection {
    var collection = climit_collection()
    collection.id = climit_id(seed.id)
    collection.title = text(seed.title)
    collection.author = text(seed.author)
    collection.description = text(seed.description)
    collection.cover_kind = climit_solid
    collection.cover_payload = text(seed.coverPayload)
    collection.cover_dominant_color = text(seed.colorHex)
    collection.created_at = seed.createdAt
    collection.updated_at = seed.updatedAt
    collection.source_kind = climit_baidu_netdisk
    collection.source_payload = text(seed.sourcePayload)
    if let last = seed.lastPlayedTrack {
      collection.has_last_played_track = true
      collection.last_played_track_id = climit_id(last)
    }
    let tags = UnsafeMutablePointer<climit_text>.allocate(capacity: seed.tags.count)
    tags.initialize(from: seed.tags.map { text($0) }, count: seed.tags.count)
    owned.append(tags)
    collection.tags = tags
    collection.tag_count = seed.tags.count
    return collection
  }
}

extension climit_id {
  init(_ id: UUID) { self.init(bytes: id.uuid) }
  var uuid: UUID { UUID(uuid: bytes) }
}
