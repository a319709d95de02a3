import Foundation
import Holdfast
import HoldfastTransfer

/// The shapes of the player's own JSON, version 3, for writing: nil keys are left out, ids are in upper case, times are whole
/// seconds, and `playbackStates` is a flat array.
enum PlayerJSON {
  struct Library: Encodable {
    var collections: [Collection]
    var schemaVersion = LibraryJSON.newestVersion
    /// Only in legacy mode, and then even when it is empty; the player does not see it.
    var unread: [UnreadRecord]?
  }

  struct Collection: Encodable {
    var id: String
    var title: String
    var author: String?
    var description: String?
    var coverAsset: Cover
    var createdAt: String
    var updatedAt: String
    var source: Members
    var tracks: [Track]
    var lastPlayedTrackId: String?
    var playbackStates: States
    var tags: [String]
  }

  struct Cover: Encodable {
    var kind: Members
    var dominantColorHex: String?
  }

  struct Track: Encodable {
    var id: String
    var displayName: String
    var filename: String
    var location: Members
    var fileSize: Int64
    var duration: Double?
    var trackNumber: Int
    var checksum: String?
    var metadata: [String: String]
    var isFavorite: Bool
    var favoritedAt: String?
  }

  struct State: Encodable {
    var position: Double
    var duration: Double?
    var updatedAt: String
  }

  /// `[id, state, id, state, …]`, in the order of the tracks.
  struct States: Encodable {
    var states: [(id: String, state: State)]

    func encode(to encoder: any Encoder) throws {
      var list = encoder.unkeyedContainer()
      for (id, state) in states {
        try list.encode(id)
        try list.encode(state)
      }
    }
  }

  /// An object whose members are known only at run time.
  struct Members: Encodable {
    var members: [String: JSONValue]

    /// A kind as the player writes it: its members beside its type. Nil for a known kind without what it carries, and for
    /// one that is not known, unless `unknown`.
    init?<Kind: MemberDecodable>(_ tagged: Tagged<Kind>, unknown: Bool) {
      guard var members = [String: JSONValue](json: tagged.payload) else { return nil }
      let isKnown = Kind.knownTypes.contains(tagged.type)
      guard isKnown ? Kind(type: tagged.type, members: members) != nil : unknown else { return nil }
      members["type"] = .string(tagged.type)
      self.members = members
    }

    func encode(to encoder: any Encoder) throws {
      var object = encoder.container(keyedBy: Key.self)
      for (name, value) in members { try object.encode(Value(value: value), forKey: Key(stringValue: name)) }
    }
  }

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private struct Value: Encodable {
    let value: JSONValue

    func encode(to encoder: any Encoder) throws {
      switch value {
      case .array(let list):
        var container = encoder.unkeyedContainer()
        for value in list { try container.encode(Value(value: value)) }
      case .object(let members):
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in members { try container.encode(Value(value: value), forKey: Key(stringValue: name)) }
      default:
        var container = encoder.singleValueContainer()
        switch value {
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .string(let value): try container.encode(value)
        default: try container.encodeNil()
        }
      }
    }
  }

  /// What the player's own encoder writes: sorted keys, indented, `/` as `\/`.
  static func encoder(pretty: Bool) -> JSONEncoder {
    let encoder = JSONEncoder()
    encoder.outputFormatting = pretty ? [.prettyPrinted, .sortedKeys] : [.sortedKeys]
    return encoder
  }

  static func date(_ date: Date) -> String? {
    DateCodec.milliseconds(date).map { DateCodec.iso8601($0, fraction: false) }
  }
}

/// Turns collections into the player's shapes, and keeps account of what those cannot hold.
struct PlayerJSONWriter {
  /// True: kinds that the player does not know are written too. For the file that keeps them, not for the player.
  var keepsUnknownKinds = false
  private(set) var leftOut: [ExportReport.LeftOut] = []
  private(set) var counts: [String: Int] = Dictionary(uniqueKeysWithValues: AudiobookLibrary.tables.map { ($0, 0) })

  mutating func library(_ collections: [AudiobookCollection]) -> PlayerJSON.Library {
    PlayerJSON.Library(collections: Self.ownersFirst(collections).compactMap { collection($0) })
  }

  /// The same order, but that a collection which owns a track's id comes before one that has it as an original id: an import
  /// gives an id to the first that has it.
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

  /// Nil when the player could not read the collection: it would then read nothing of the whole file.
  mutating func collection(_ collection: AudiobookCollection) -> PlayerJSON.Collection? {
    let id = IDCodec.uppercase(collection.id)
    // Temporary collections were never written by the player, and its version 3 does not know the kind.
    guard keepsUnknownKinds || collection.source.type != "ephemeralBaidu",
      let source = PlayerJSON.Members(collection.source, unknown: keepsUnknownKinds)
    else {
      leftOut.append(
        .init(kind: "collections", id: id, reason: "the player does not know a source of the kind \(collection.source.type)"))
      return nil
    }
    guard let kind = PlayerJSON.Members(collection.cover.image, unknown: keepsUnknownKinds) else {
      leftOut.append(
        .init(kind: "collections", id: id, reason: "the player does not know a cover of the kind \(collection.cover.image.type)"))
      return nil
    }
    guard let created = PlayerJSON.date(collection.createdAt), let updated = PlayerJSON.date(collection.updatedAt) else {
      leftOut.append(.init(kind: "collections", id: id, reason: "its dates cannot be written"))
      return nil
    }
    var states: [(id: String, state: PlayerJSON.State)] = []
    let ids = Self.ids(of: collection.tracks)
    let tracks = collection.tracks.compactMap { track -> PlayerJSON.Track? in
      guard let written = self.track(track, ids[track.id] ?? track.id, collection.favorites[track.id]) else { return nil }
      if let state = collection.playbackStates[track.id], let state = self.state(state, written.id) { states.append((written.id, state)) }
      return written
    }
    var lastPlayed: String?
    if let last = collection.lastPlayedTrackID, let written = ids[last] {
      let id = IDCodec.uppercase(written)
      if tracks.contains(where: { $0.id == id }) { lastPlayed = id }
    }
    counts["collections", default: 0] += 1
    counts["tags", default: 0] += collection.tags.count
    counts["playback_states", default: 0] += states.count
    return PlayerJSON.Collection(
      id: id, title: collection.title, author: collection.author, description: collection.description,
      coverAsset: .init(kind: kind, dominantColorHex: collection.cover.dominantColorHex), createdAt: created, updatedAt: updated,
      source: source, tracks: tracks, lastPlayedTrackId: lastPlayed, playbackStates: .init(states: states), tags: collection.tags)
  }

  /// The id that each track is written with: the one that it came with, unless another track of the collection has that.
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

  private mutating func track(_ track: AudiobookTrack, _ id: UUID, _ favorite: Favorite?) -> PlayerJSON.Track? {
    let id = IDCodec.uppercase(id)
    guard let location = PlayerJSON.Members(track.location, unknown: keepsUnknownKinds) else {
      leftOut.append(.init(kind: "tracks", id: id, reason: "the player does not know a location of the kind \(track.location.type)"))
      return nil
    }
    guard keepsUnknownKinds || !isUnreadableURL(track.location) else {
      leftOut.append(.init(kind: "tracks", id: id, reason: "the player cannot read its URL"))
      return nil
    }
    var metadata: [String: String] = [:]
    do {
      metadata = try track.metadata.decoded()
    } catch {
      leftOut.append(.init(kind: "tracks", id: id, field: "metadata", reason: "it is not a map of texts"))
    }
    counts["tracks", default: 0] += 1
    if favorite != nil { counts["favorites", default: 0] += 1 }
    return PlayerJSON.Track(
      id: id, displayName: track.displayName, filename: track.filename, location: location, fileSize: track.fileSize,
      duration: finite(track.duration, "tracks", id), trackNumber: track.trackNumber, checksum: track.checksum, metadata: metadata,
      isFavorite: favorite != nil, favoritedAt: favorite?.favoritedAt.flatMap(PlayerJSON.date))
  }

  private mutating func state(_ state: PlaybackState, _ id: String) -> PlayerJSON.State? {
    guard state.position.isFinite, let updated = PlayerJSON.date(state.updatedAt) else {
      leftOut.append(.init(kind: "playback_states", id: id, reason: "its position or time cannot be written"))
      return nil
    }
    return PlayerJSON.State(position: state.position, duration: finite(state.duration, "playback_states", id), updatedAt: updated)
  }

  private mutating func finite(_ number: Double?, _ kind: String, _ id: String) -> Double? {
    guard let number, !number.isFinite else { return number }
    leftOut.append(.init(kind: kind, id: id, field: "duration", reason: "it is not finite"))
    return nil
  }

  /// The player decodes this text as a URL; one that is none would stop it from reading the whole file. Before iOS 17 a URL
  /// with a character that should be escaped is none; since then it is another text.
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
