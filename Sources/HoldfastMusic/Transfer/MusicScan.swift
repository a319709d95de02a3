import Foundation
import Holdfast
import HoldfastTransfer

/// What one reading of the player's own files knows of the source so far. Tracks come first, then playlists with their entries.
struct MusicScan {
  typealias Visit = (Scanned<MusicRecord>, Int) throws -> Void

  let shape: MusicShape
  /// Tracks of the source by id, those too that cannot be imported.
  private var tracks: Set<UUID> = []

  init(shape: MusicShape) { self.shape = shape }

  /// A track that can be imported, with its picture before it.
  mutating func take(_ parsed: ParsedTrack, path: SourcePath, original: SourceBytes, at position: Int, _ visit: Visit) throws {
    if let id = parsed.id { tracks.insert(id.value) }
    guard let id = parsed.id, let track = parsed.track, parsed.problem == nil else {
      return try visit(.damaged(kind: "tracks", path: path, reason: parsed.problem ?? "it cannot be read", original: original), position)
    }
    for field in parsed.damaged {
      try visit(.damagedField(kind: "tracks", field: field.name, path: path, reason: field.reason, original: field.original), position)
    }
    if let artwork = parsed.artwork {
      try visit(
        .record(
          SourceRecord(
            kind: "artwork", key: artwork.content.hash, path: artwork.path,
            fields: shape.fields(of: artwork.content, written: artwork.written), content: .artwork(artwork.content),
            original: artwork.original)), position)
    }
    try visit(
      .record(
        SourceRecord(
          kind: "tracks", key: IDCodec.lowercase(id.value), path: path,
          fields: shape.fields(of: track, carrying: parsed.carries, written: parsed.written),
          content: .track(SourceTrack(track: track, carries: parsed.carries, artwork: parsed.artwork?.content)), original: original)),
      position)
  }

  /// One entry of a playlist that can be imported; `number` counts the entries of the same track in it.
  func entry(
    _ entry: EntryRow, collection: JSONValue, track: JSONValue, path: SourcePath, original: SourceBytes, _ reader: Reader
  ) throws -> Scanned<MusicRecord> {
    if let absence = try absence(of: entry.trackID, reader) {
      return absence.isQuarantine
        ? .damaged(kind: "collection_tracks", path: path, reason: absence.reason, original: original)
        : .skipped(kind: "collection_tracks", path: path, reason: absence.reason)
    }
    return .record(
      SourceRecord(
        kind: "collection_tracks", key: IDCodec.lowercase(entry.id),
        parent: .init(kind: "collections", key: IDCodec.lowercase(entry.collectionID)), path: path,
        fields: shape.fields(of: entry, collection: collection, track: track), content: .entry(entry), original: original))
  }

  /// Why there can be no entry of this track; nil when it is in the store, from here or from elsewhere.
  private func absence(of id: UUID, _ reader: Reader) throws -> (reason: String, isQuarantine: Bool)? {
    if try reader.count("SELECT count(*) FROM tracks WHERE id = \(id)") > 0 { return nil }
    // The listener's word counts: a deleted track does not come back with a playlist.
    if try reader.wasImported(kind: "tracks", key: IDCodec.lowercase(id)) { return ("its track was deleted since it was imported", false) }
    return (tracks.contains(id) ? "its track is quarantined" : "there is no such track", true)
  }
}

/// One track of a source, as far as it can be read.
struct ParsedTrack {
  /// A field that the track comes without.
  struct DamagedField {
    var name: String
    var reason: String
    var original: SourceBytes
  }

  /// A picture, with what the source has for it.
  struct Picture {
    var content: MusicArtwork
    var written: String?
    var path: SourcePath
    var original: SourceBytes
  }

  /// Why it cannot be imported at all; nil when it can.
  var problem: String?
  var id: Written<UUID>?
  var track: LibraryTrack?
  /// What the source says of the track: everything that the player knew, and what comes on top.
  var carries: TrackFields = [
    .title, .artist, .album, .albumArtist, .duration, .location, .artworkURL, .artwork, .genre, .year, .trackNumber,
  ]
  /// Fields as the source has them, where what is stored has another form, by the player's names.
  var written: [String: JSONValue] = [:]
  var artwork: Picture?
  private(set) var damaged: [DamagedField] = []

  /// The track comes in without this field, and what the store has for it stays.
  mutating func leave(_ field: TrackFields, _ damage: DamagedField) {
    damaged.append(damage)
    carries.remove(field)
  }

  /// The source says something that has no place here.
  mutating func tell(unknown name: String, _ original: SourceBytes) {
    damaged.append(DamagedField(name: name, reason: "this field is not known", original: original))
  }

  /// A length that no track has is left out; the track comes in.
  static func checked(duration: Double?) -> (seconds: Double?, problem: String?) {
    guard let duration, !duration.isFinite || duration < 0 else { return (duration, nil) }
    return (nil, "duration should not be less than 0")
  }
}
