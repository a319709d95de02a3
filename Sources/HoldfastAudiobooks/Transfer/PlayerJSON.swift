import Foundation
import Holdfast
import HoldfastTransfer

/// The player's own JSON, version 3, for writing.
enum PlayerJSON {
  struct Library: Encodable {
    var collections: [JSONValue]
    var schemaVersion = LibraryJSON.newestVersion
    /// Records that could not be read. Present only in legacy mode, even when empty; the player ignores them.
    var unread: [UnreadRecord]?
  }

  /// Writes as the player's encoder does: sorted keys, indented, `/` as `\/`.
  static func encoder(pretty: Bool) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = pretty ? [.prettyPrinted, .sortedKeys] : [.sortedKeys]
    return encoder
  }
}

/// Turns collections into the player's objects, and lists what those cannot hold. Nil values are left out, ids are in upper
/// case, times are whole seconds, and `playbackStates` is a flat array.
struct PlayerJSONWriter {
  /// Whether kinds that the player does not know are written too: true for the legacy file, false for an export to the player.
  var keepsUnknownKinds = false
  private(set) var leftOut: [ExportReport.LeftOut] = []
  private(set) var counts: [String: Int] = Dictionary(uniqueKeysWithValues: AudiobookLibrary.tables.map { ($0, 0) })
  private let shape = LibraryShape.player

  mutating func library(_ collections: [AudiobookCollection]) -> PlayerJSON.Library {
    PlayerJSON.Library(collections: Self.ownersFirst(collections).compactMap { collection($0) })
  }

  /// The same order, except that a collection which owns a track's id comes before a collection that has this id as an original
  /// id: an import gives the id to the first collection that has it.
  private static func ownersFirst(_ collections: [AudiobookCollection]) -> [AudiobookCollection] {
    let borrowed = collections.map { $0.tracks.compactMap(\.originalID) }
    guard !borrowed.allSatisfy(\.isEmpty) else { return collections }
    var owners: [UUID: Int] = [:]
    for (place, collection) in collections.enumerated() {
      for track in collection.tracks where track.originalID == nil { owners[track.id] = place }
    }
    var isPlaced = Array(repeating: false, count: collections.count)
    var ordered: [AudiobookCollection] = []
    func place(_ index: Int) {
      guard !isPlaced[index] else { return }
      isPlaced[index] = true
      for id in borrowed[index] { if let owner = owners[id] { place(owner) } }
      ordered.append(collections[index])
    }
    for index in collections.indices { place(index) }
    return ordered
  }

  /// Nil for a collection that the player cannot read: it would make the whole file unreadable for the player.
  mutating func collection(_ collection: AudiobookCollection) -> JSONValue? {
    let id = JSONValue.id(collection.id)
    // The player never wrote temporary collections, and its version 3 does not know their kind.
    guard keepsUnknownKinds || collection.source.type != "ephemeralBaidu", let source = object(collection.source) else {
      return leave("collections", id, "the player does not know a source of the kind \(collection.source.type)")
    }
    guard let cover = object(collection.cover.image) else {
      return leave("collections", id, "the player does not know a cover of the kind \(collection.cover.image.type)")
    }
    var members = shape.collections.fields.object(of: CollectionRow(collection))
    guard members["createdAt"] != nil, members["updatedAt"] != nil else { return leave("collections", id, "its dates cannot be written") }
    let ids = Self.ids(of: collection.tracks)
    var (tracks, states, written) = ([JSONValue](), [JSONValue](), Set<UUID>())
    for track in collection.tracks {
      let id = JSONValue.id(ids[track.id] ?? track.id)
      guard let object = self.object(track, id, collection.favorites[track.id]) else { continue }
      tracks.append(object)
      written.insert(track.id)
      if let state = collection.playbackStates[track.id], let object = self.object(state, id) { states += [id, object] }
    }
    members["id"] = id
    members["source"] = source
    members.put(cover, at: ["coverAsset", "kind"])
    members["tracks"] = .array(tracks)
    members["playbackStates"] = .array(states)
    members["tags"] = .array(collection.tags.map(JSONValue.string))
    members["lastPlayedTrackId"] = collection.lastPlayedTrackID.flatMap { written.contains($0) ? ids[$0].map(JSONValue.id) : nil }
    counts["collections", default: 0] += 1
    counts["tags", default: 0] += collection.tags.count
    counts["playback_states", default: 0] += states.count / 2
    return .object(members)
  }

  /// The id that is written for each track: its original id, unless another track of the collection has that id.
  private static func ids(of tracks: [AudiobookTrack]) -> [UUID: UUID] {
    var ids: [UUID: UUID] = [:]
    var taken: Set<UUID> = []
    for track in tracks where track.originalID == nil {
      ids[track.id] = track.id
      taken.insert(track.id)
    }
    for track in tracks {
      guard let original = track.originalID else { continue }
      ids[track.id] = taken.insert(original).inserted ? original : track.id
    }
    return ids
  }

  private mutating func object(_ track: AudiobookTrack, _ id: JSONValue, _ favorite: Favorite?) -> JSONValue? {
    guard let location = object(track.location) else {
      return leave("tracks", id, "the player does not know a location of the kind \(track.location.type)")
    }
    guard keepsUnknownKinds || !isUnreadableURL(track.location) else { return leave("tracks", id, "the player cannot read its URL") }
    var members = shape.tracks.fields.object(of: TrackRow(track, in: .zero, at: 0))
    if let favorite {
      let row = FavoriteRow(trackID: .zero, collectionID: .zero, favoritedAt: favorite.favoritedAt)
      members.merge(shape.favorites.fields.object(of: row)) { $1 }
    }
    members["id"] = id
    members["location"] = location
    members["isFavorite"] = .bool(favorite != nil)
    if ValueForm.textMap.read(members["metadata"] ?? .null) == nil {
      _ = leave("tracks", id, field: "metadata", "it is not a map of texts")
      members["metadata"] = .object([:])
    }
    leaveInfinite(&members, "tracks", id)
    counts["tracks", default: 0] += 1
    if favorite != nil { counts["favorites", default: 0] += 1 }
    return .object(members)
  }

  private mutating func object(_ state: PlaybackState, _ id: JSONValue) -> JSONValue? {
    var members = shape.states.fields.object(of: PlaybackRow(state, of: .zero, in: .zero))
    guard state.position.isFinite, members["updatedAt"] != nil else {
      return leave("playback_states", id, "its position or time cannot be written")
    }
    leaveInfinite(&members, "playback_states", id)
    return .object(members)
  }

  /// A kind as the player writes it: its content beside its type. Nil for a known kind without its content, and for an unknown
  /// kind unless those are kept.
  private func object<Kind: MemberDecodable>(_ tagged: Tagged<Kind>) -> JSONValue? {
    guard var members = [String: JSONValue](json: tagged.payload) else { return nil }
    let isKnown = Kind.knownTypes.contains(tagged.type)
    guard isKnown ? Kind.known(tagged.type, members) != nil : keepsUnknownKinds else { return nil }
    members["type"] = .string(tagged.type)
    return .object(members)
  }

  private mutating func leaveInfinite(_ members: inout [String: JSONValue], _ kind: String, _ id: JSONValue) {
    guard case .double(let number)? = members["duration"], !number.isFinite else { return }
    members["duration"] = leave(kind, id, field: "duration", "it is not finite")
  }

  /// Adds an entry to the report, and returns nil.
  private mutating func leave(_ kind: String, _ id: JSONValue, field: String? = nil, _ reason: String) -> JSONValue? {
    if case .string(let id) = id { leftOut.append(.init(kind: kind, id: id, field: field, reason: reason)) }
    return nil
  }

  /// Whether the player cannot decode this text as a URL and so could not read the whole file. Before iOS 17, a text with a
  /// character that should be escaped is not a URL; since iOS 17 it becomes another text.
  private func isUnreadableURL(_ location: Tagged<TrackLocation>) -> Bool {
    guard case .external(let text) = location.kind else { return false }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
      }
    }
    guard isPlain else { return true }
    return URL(string: text)?.absoluteString != text
  }
}
