import Foundation
import Holdfast

/// The player's own forms: how each names what a record says, and in which form it has it. For verification, which compares a
/// record of the source with the stored row in the source's own shape.
enum MusicShape {
  /// `library.json`: URLs as text.
  case json
  /// The first database, snake_case: paths where the others have URLs.
  case paths
  /// The databases that came next, camelCase: URLs as text. The later one counts plays.
  case urls
  case urlsWithPlays

  /// What a track of this form says.
  var carries: TrackFields {
    var fields: TrackFields = [
      .title, .artist, .album, .albumArtist, .duration, .location, .artworkURL, .artwork, .genre, .year, .trackNumber,
    ]
    if self == .urlsWithPlays { fields.insert(.playCount) }
    return fields
  }

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

  func fields(of artwork: Artwork, written: String? = nil) -> [SourceField] {
    [SourceField(name("artworkData"), .string(self == .json ? written ?? artwork.data.base64EncodedString() : artwork.hash))]
  }

  /// `id` and the URLs are the source's own texts at its reading; what is read back is made from the row.
  func fields(of track: Track, id: JSONValue? = nil, fileURL: JSONValue? = nil, artworkURL: JSONValue? = nil) -> [SourceField] {
    var fields = [
      SourceField("id", id ?? .id(track.id)), SourceField("title", .string(track.title)), SourceField("artist", .string(track.artist)),
      SourceField("album", .string(track.album)), SourceField(name("albumArtist"), .text(track.albumArtist)),
      SourceField("duration", .number(track.duration)), SourceField(name("fileURL"), fileURL ?? .text(track.file.location?.text)),
      SourceField(name("artworkURL"), artworkURL ?? .text(track.artworkURL)),
      SourceField(name("artworkData"), .text(track.artworkHash)), SourceField("genre", .text(track.genre)),
      SourceField("year", .number(track.year.map(Int64.init))),
      SourceField(name("trackNumber"), .number(track.trackNumber.map(Int64.init))),
    ]
    if carries.contains(.playCount) { fields.append(SourceField("playCount", .integer(Int64(track.playCount)))) }
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
      case .artwork(let artwork): try MusicLibrary.artwork(artwork.hash, in: reader).map { self.fields(of: $0) }
      case .track(let source):
        try MusicLibrary.track(source.track.id, in: reader).map { track in
          func written(_ name: String) -> JSONValue? { record.fields.first { $0.name == name }?.value }
          return self.fields(
            of: track, fileURL: value(track.file.location?.text, as: written(name("fileURL"))),
            artworkURL: value(track.artworkURL, as: written(name("artworkURL"))))
        }
      case .playlist(let source): try reader.find(PlaylistRow.self, id: source.row.id).map { self.fields(of: $0) }
      case .entry(let row): try reader.find(EntryRow.self, id: row.id).map { self.fields(of: $0) }
      }
    return fields.map { StoredShape(fields: $0) }
  }
}
