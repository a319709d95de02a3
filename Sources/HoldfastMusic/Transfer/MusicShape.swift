import Foundation
import Holdfast
import HoldfastTransfer

/// The player's own forms: how each names what a record says, and in which form it has it. For verification, which compares a
/// record of the source with the stored row in the source's own shape.
enum MusicShape {
  /// `library.json`: URLs as text.
  case json
  /// The first database, snake_case: paths where the others have URLs.
  case paths
  /// The databases that came next, camelCase: URLs as text.
  case urls

  /// How this form spells a name: a column, or a key.
  func name(_ name: String) -> String {
    guard self == .paths else { return name }
    return switch name {
    case "albumArtist": "album_artist"
    case "fileURL": "file_url"
    case "artworkURL": "artwork_url"
    case "artworkData": "artwork_data"
    case "trackNumber": "track_number"
    case "collectionId": "collection_id"
    case "trackId": "track_id"
    default: name
    }
  }

  // MARK: Locations

  /// The URL of what the source has for a file. Nil when it does not come back from there as it is.
  func location(_ text: String) -> FileLocation? {
    guard hasPath(text) else { return FileLocation(text: text) }
    let location = FileLocation(path: text)
    guard let back = location.path, back.utf8.elementsEqual(text.utf8) else { return nil }
    return location
  }

  /// The first database has paths. What begins as a URL there is one all the same.
  private func hasPath(_ text: String) -> Bool { self == .paths && !text.lowercased().hasPrefix("file:") }

  /// A stored URL as the source has it; `written` is what the source has.
  private func value(_ stored: String?, as written: JSONValue?) -> JSONValue {
    guard let stored else { return .null }
    if case .string(let text)? = written, !hasPath(text) { return .string(stored) }
    return self == .paths ? .text(FileLocation(text: stored).path) : .string(stored)
  }

  // MARK: Fields

  func fields(of artwork: MusicArtwork, written: String? = nil) -> [SourceField] {
    [SourceField(name("artworkData"), .string(self == .json ? written ?? artwork.data.base64EncodedString() : artwork.hash))]
  }

  /// Null for what the source does not carry, and so for a damaged field: whatever the store has for it is no difference.
  ///
  /// `written` are the source's own texts at its reading; what is read back is made from the row.
  func fields(of track: LibraryTrack, carrying carries: TrackFields, written: [String: JSONValue] = [:]) -> [SourceField] {
    var fields = [SourceField("id", written["id"] ?? .id(track.id))]
    func add(_ field: TrackFields, _ name: String, _ value: @autoclosure () -> JSONValue) {
      fields.append(SourceField(self.name(name), carries.contains(field) ? written[name] ?? value() : .null))
    }
    add(.title, "title", .string(track.title))
    add(.artist, "artist", .string(track.artist))
    add(.album, "album", .string(track.album))
    add(.albumArtist, "albumArtist", .text(track.albumArtist))
    add(.duration, "duration", .number(track.duration))
    add(.location, "fileURL", .text(track.file.location?.text))
    add(.artworkURL, "artworkURL", .text(track.artworkURL))
    add(.artwork, "artworkData", .text(track.artworkHash))
    add(.genre, "genre", .text(track.genre))
    add(.year, "year", .number(track.year.map(Int64.init)))
    add(.trackNumber, "trackNumber", .number(track.trackNumber.map(Int64.init)))
    add(.discNumber, "discNumber", .number(track.discNumber.map(Int64.init)))
    add(.compilation, "isCompilation", .bool(track.isCompilation))
    add(.playCount, "playCount", .integer(Int64(track.playCount)))
    add(.lastPlayedAt, "lastPlayedAt", track.lastPlayedAt.map(JSONValue.iso8601) ?? .null)
    add(.rating, "rating", .number(track.rating.map(Int64.init)))
    add(.addedAt, "addedAt", .iso8601(track.addedAt))
    add(.persistentID, "persistentID", .text(track.persistentID))
    return fields
  }

  func fields(of playlist: PlaylistRow, id: JSONValue? = nil) -> [SourceField] {
    let fields = [SourceField("id", id ?? .id(playlist.id)), SourceField("name", .string(playlist.name))]
    // A database has no order of playlists.
    return self == .json ? fields + [place(playlist.position)] : fields
  }

  func fields(of entry: EntryRow, collection: JSONValue? = nil, track: JSONValue? = nil) -> [SourceField] {
    [
      SourceField(name("collectionId"), collection ?? .id(entry.collectionID)),
      SourceField(name("trackId"), track ?? .id(entry.trackID)), place(entry.position),
    ]
  }

  private func place(_ position: Int64) -> SourceField {
    SourceField("place", .integer(ListPlace.index(of: position)), isPlace: true)
  }

  /// The stored row of a record of this form.
  func readBack(_ record: SourceRecord<MusicRecord>, in reader: Reader) throws -> StoredShape? {
    let fields: [SourceField]? =
      switch record.content {
      case .artwork(let artwork): try MusicStore.artwork(artwork.hash, in: reader).map { self.fields(of: $0) }
      case .track(let source):
        try MusicStore.track(source.track.id, in: reader).map { track in
          func found(_ name: String, _ stored: String?) -> JSONValue {
            value(stored, as: record.fields.first { $0.name == self.name(name) }?.value)
          }
          return self.fields(
            of: track, carrying: source.carries,
            written: ["fileURL": found("fileURL", track.file.location?.text), "artworkURL": found("artworkURL", track.artworkURL)])
        }
      case .playlist(let source): try reader.find(PlaylistRow.self, id: source.row.id).map { self.fields(of: $0) }
      case .entry(let row): try reader.find(EntryRow.self, id: row.id).map { self.fields(of: $0) }
      }
    return fields.map { StoredShape(fields: $0) }
  }
}
