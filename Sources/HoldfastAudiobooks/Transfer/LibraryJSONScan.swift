import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of the collections of a `library.json`.
///
/// A collection's members come in any order, and its tracks and states may stand before its id. So a collection is read once
/// for its own fields, and then again for its lists.
struct LibraryJSONScan {
  var ids: TrackIDs
  private let shape = LibraryShape.json

  /// The fields of a collection that its tracks, states and tags need.
  private struct Parent {
    let id: Written<UUID>
    let updatedAt: Date
    /// The stored ids of the tracks that can be imported, by their ids in the source.
    var tracks: [UUID: UUID] = [:]
  }

  /// The readable fields of a track.
  private struct Track: Sendable {
    let start: JSONScanner
    /// Its place in the collection.
    let index: Int
    var members: SourceMembers
    let id: Written<UUID>?
    var said: SaidRow<TrackRow>
    let isFavorite: Bool
    /// Nil when the source does not mention a favourite.
    var favorite: SaidRow<FavoriteRow>?
    /// Whether the track is a favourite or was one.
    var countsAsFavorite: Bool { isFavorite || favorite?.row.favorite.favoritedAt != nil }

    init(_ at: inout JSONScanner, at index: Int, _ shape: LibraryShape) throws {
      (start, self.index) = (at, index)
      members = try SourceMembers(&at, "a track", isStrict: true)
      id = members.id("id")
      members.split("location", TrackLocation.self)
      let mark = members.remove("isFavorite")
      if mark != .null, mark != .bool(true), mark != .bool(false) { members.fail("isFavorite should be true or false") }
      isFavorite = mark == .bool(true)
      if isFavorite || members.value("favoritedAt") != .null {
        favorite = members.read(shape.favorites.fields, into: FavoriteRow(trackID: .zero, collectionID: .zero))
      }
      said = members.read(shape.tracks.fields, into: .blank(id))
    }
  }

  /// `at` stands at one element of the array of collections, and ends after it.
  mutating func collection(_ at: inout JSONScanner, _ reader: Reader, _ visit: LibraryRecord.Visit) throws {
    let start = at
    let path = SourcePath.json(start.location)
    var members = try SourceMembers(&at, "a collection", lists: ["tracks"], apart: ["tags", "playbackStates"], isStrict: true)
    let tags = try list("tags", &members)
    let states = try list("playbackStates", or: .object, &members)
    let id = members.id("id")
    if case .object = members.value("coverAsset") {} else { members.fail("coverAsset should be an object") }
    members.open("coverAsset")
    members.split("coverAsset.kind", CollectionCover.Kind.self)
    members.split("source", CollectionSource.self)
    let last = members.text("lastPlayedTrackId").flatMap(IDCodec.parse)
    if let last, try !isTrack(last, in: members.list("tracks")) {
      members.leave("lastPlayedTrackId", "there is no such track in the collection")
    }
    let oldPosition = members.original("lastPlaybackPosition").map { (seconds: members.remove("lastPlaybackPosition"), at: $0) }
    if let oldPosition, oldPosition.seconds != .null, oldPosition.seconds.finiteNumber == nil {
      members.fail("lastPlaybackPosition should be a number")
    }
    var said = members.read(shape.collections.fields, into: .blank(id))
    var parent: Parent?
    if try members.finish(kind: "collections", path: path, original: .value(start), at: start.offset, visit), let id {
      if let last = said.row.collection.lastPlayedTrackID {
        try said.place(lastPlayed: ids.id(of: last, in: id.value, reader), reader)
      }
      try visit(.record(shape.collections.record(said, ids: [id.text], path: path, original: .value(start))), start.offset)
      parent = Parent(id: id, updatedAt: said.row.collection.updatedAt)
    }
    if let tags { try self.tags(tags, of: parent, visit) }
    if var tracks = members.list("tracks") {
      let shape = shape
      let isLong = at.offset - tracks.offset > JSONScanner.longArrayBytes
      try tracks.array(
        isLong: isLong, converting: { try Track(&$1, at: $0, shape) }, use: { try track($0, of: &parent, reader, visit) })
    }
    let played = try states.map { try self.states($0, of: parent, visit) } ?? []
    // Version 1: one position per collection, which belongs to the last played track.
    guard let oldPosition, let seconds = oldPosition.seconds.finiteNumber else { return }
    let oldPath = SourcePath.json(start.location, member: ".lastPlaybackPosition")
    guard let parent, let last, let track = parent.tracks[last] else {
      let reason = parent == nil ? LibraryRecord.lost : "a position without a last played track"
      return try visit(.damaged(kind: "playback_states", path: oldPath, reason: reason, original: oldPosition.at), start.offset)
    }
    guard !played.contains(last) else {
      let reason = "the track has a playback state of its own"
      return try visit(.skipped(kind: "playback_states", path: oldPath, reason: reason), start.offset)
    }
    let row = PlaybackRow(PlaybackState(position: seconds, updatedAt: parent.updatedAt), of: track, in: parent.id.value)
    try visit(
      .record(shape.states.record(shape.states.fields.said(row), ids: [parent.id.text], path: oldPath, original: oldPosition.at)),
      start.offset)
  }

  private func tags(_ list: JSONScanner, of parent: Parent?, _ visit: LibraryRecord.Visit) throws {
    var list = list
    try list.array { index, element in
      let start = element
      let path = SourcePath.json(start.location)
      guard let parent, try element.peek() == .string else {
        let reason = parent == nil ? LibraryRecord.lost : "a tag should be a text"
        return try visit(.damaged(kind: "tags", path: path, reason: reason, original: .value(start)), start.offset)
      }
      let row = TagRow(collectionID: parent.id.value, tag: try element.string(), position: ListPlace.position(at: index))
      try visit(.record(LibraryShape.tag(row, in: parent.id.text, path: path, original: .value(start))), start.offset)
    }
  }

  // MARK: Tracks

  private mutating func track(_ read: Track, of parent: inout Parent?, _ reader: Reader, _ visit: LibraryRecord.Visit) throws {
    var track = read
    let start = track.start
    let path = SourcePath.json(start.location)
    if parent == nil { track.members.fail(LibraryRecord.lost) }
    guard try track.members.finish(kind: "tracks", path: path, original: .value(start), at: start.offset, visit),
      let collection = parent?.id, let original = track.id
    else {
      guard track.countsAsFavorite else { return }
      let reason = parent == nil ? LibraryRecord.lost : "its track is quarantined"
      return try visit(.damaged(kind: "favorites", path: path, reason: reason, original: .value(start)), start.offset)
    }
    let id = try ids.id(of: original.value, in: collection.value, reader)
    track.said.row.place(id, of: original.value, in: collection.value, at: track.index)
    parent?.tracks[original.value] = id
    try visit(
      .record(
        shape.tracks.record(
          track.said, ids: [original.text, collection.text], isPlaceFree: ids.isPlaceFree(track.said.row), path: path,
          original: .value(start))), start.offset)
    guard track.countsAsFavorite, var favorite = track.favorite else { return }
    guard track.isFavorite else {
      return try visit(.skipped(kind: "favorites", path: path, reason: "no longer a favourite"), start.offset)
    }
    (favorite.row.trackID, favorite.row.collectionID) = (id, collection.value)
    try visit(
      .record(shape.favorites.record(favorite, ids: [collection.text], path: path, original: .value(start))), start.offset)
  }

  /// Whether the first track with this id can be imported.
  private func isTrack(_ id: UUID, in tracks: JSONScanner?) throws -> Bool {
    guard var tracks else { return false }
    var found: JSONScanner?
    try tracks.array { _, element in
      guard found == nil, try element.peek() == .object else { return }
      let start = element
      try element.object { key, value in
        if key == "id", try value.peek() == .string, IDCodec.parse(try value.string()) == id { found = start }
      }
    }
    guard var found else { return false }
    return try Track(&found, at: 0, shape).members.problem == nil
  }

  // MARK: Playback states

  /// Reads both forms, `[id, state, id, state, …]` and `{id: state, …}`. Returns the tracks that have a state.
  private func states(_ list: JSONScanner, of parent: Parent?, _ visit: LibraryRecord.Visit) throws -> Set<UUID> {
    var played: Set<UUID> = []
    func tell(_ text: String?, _ at: JSONScanner) throws {
      let id = text.flatMap(IDCodec.parse)
      if let id { played.insert(id) }
      let problem = text.map { "\($0.prefix(60)) is not a UUID" } ?? "the id of the track is not a text"
      try state(at, of: parent, track: id, problem: id == nil ? problem : nil, visit)
    }
    var list = list
    if try list.peek() == .object {
      try list.object { key, value in try tell(key.string, value) }
      return played
    }
    var key: (at: JSONScanner, text: String?)?
    try list.array { _, element in
      let start = element
      if let before = key {
        key = nil
        try tell(before.text, start)
      } else {
        key = (start, try element.peek() == .string ? try element.string() : nil)
      }
    }
    if let key { try state(key.at, of: parent, track: nil, problem: "an id without a state", visit) }
    return played
  }

  private func state(
    _ start: JSONScanner, of parent: Parent?, track original: UUID?, problem: String?, _ visit: LibraryRecord.Visit
  ) throws {
    let path = SourcePath.json(start.location)
    guard problem == nil, let parent, let track = original.flatMap({ parent.tracks[$0] }) else {
      let reason = problem ?? (parent == nil ? LibraryRecord.lost : "there is no such track in the collection")
      return try visit(.damaged(kind: "playback_states", path: path, reason: reason, original: .value(start)), start.offset)
    }
    var at = start
    var members = try SourceMembers(&at, "a playback state", isStrict: true)
    let said = members.read(shape.states.fields, into: .blank(of: track, in: parent.id.value))
    guard try members.finish(kind: "playback_states", path: path, original: .value(start), at: start.offset, visit) else { return }
    try visit(.record(shape.states.record(said, ids: [parent.id.text], path: path, original: .value(start))), start.offset)
  }

  /// An optional list. Any other value in its place is a problem of the record.
  private func list(_ name: String, or other: JSONKind = .array, _ members: inout SourceMembers) throws -> JSONScanner? {
    guard var list = members.list(name) else { return nil }
    let kind = try list.peek()
    if kind == .array || kind == other { return list }
    members.fail("\(name) should be a list")
    return nil
  }
}
