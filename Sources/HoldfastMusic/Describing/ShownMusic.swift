import Foundation
import Holdfast
import HoldfastTransfer

/// What the command line shows of music.
///
/// Albums and artists come from the tracks' fields and have no stored ids. So that a person can name one like any other record,
/// each gets an id derived from its names: the id stays while the names stay.
enum ShownMusic {
  static func id(_ album: MusicAlbum.ID) -> UUID { derived("album", album.name, album.artist) }
  static func id(ofArtist name: String) -> UUID { derived("artist", name) }

  /// The parts are joined as JSON, because a name may contain any separator.
  private static func derived(_ parts: String...) -> UUID {
    NewID.derived(from: JSONValue.array(parts.map(JSONValue.string)).canonicalText())
  }

  // MARK: Lists

  static let albums = ShownFields<MusicAlbum>([
    "id": { .id(id($0.id)) }, "total_seconds": { .length($0.totalSeconds).unlessZero },
  ]).titled([
    "id": "ID", "name": .flexible("ALBUM"), "artist": .flexible("ARTIST"), "tracks": "TRACKS", "total_seconds": "LENGTH", "year": "YEAR",
    "artwork_hash": nil,
  ])

  static let artists = ShownFields<MusicArtist>([
    "id": { .id(id(ofArtist: $0.name)) }, "total_seconds": { .length($0.totalSeconds).unlessZero },
  ]).titled([
    "id": "ID", "name": .flexible("ARTIST"), "albums": "ALBUMS", "tracks": "TRACKS", "total_seconds": "LENGTH", "artwork_hash": nil,
  ])

  /// A playlist, and the name of its folder.
  struct Listed: Sendable {
    var list: PlaylistSummary
    var folder: String?
  }

  static let playlists = ShownFields<Listed>([
    "name": { .told(.text($0.list.name), $0.list.name + ($0.list.isFolder ? "/" : "")) },
    "tracks": { .told(.count($0.list.entries), $0.list.isFolder ? nil : String($0.list.entries)) },
    "folder_id": { .id($0.list.parentID) },
  ]).titled([
    "id": "ID", "name": .flexible("PLAYLIST"), "folder": .people("FOLDER", shrinks: true), "tracks": "TRACKS", "folder_id": nil,
    "is_folder": nil,
  ])

  private static let track = ShownFields<LibraryTrack>([
    // A library may have a million tracks: to read a property by its name is too slow for that.
    "id": { .id($0.id) }, "title": { .text($0.title) }, "artist": { .text($0.artist) }, "album": { .text($0.album) },
    "album_artist": { .text($0.albumArtist) }, "is_compilation": { .flag($0.isCompilation) }, "genre": { .text($0.genre) },
    "year": { .count($0.year) }, "disc_number": { .count($0.discNumber) }, "track_number": { .count($0.trackNumber) },
    "last_played_at": { .time($0.lastPlayedAt) }, "added_at": { .time($0.addedAt) },
    "availability": { .text($0.file.availability.rawValue) },
    "duration_seconds": { .length($0.duration) }, "play_count": { .count($0.playCount).unlessZero },
    "rating": { .told(.count($0.rating), stars($0.rating)) }, "kind": { .text($0.otherKind) },
    "location": { .text($0.file.location.map { $0.path ?? $0.text }) }, "file_url": { .text($0.file.location?.text) },
    "file_size": { .size($0.file.sizeBytes) },
  ])

  static let tracks = track.titled([
    "id": "ID", "title": .flexible("TITLE"), "artist": .flexible("ARTIST"), "album": .flexible("ALBUM"), "duration_seconds": "LENGTH",
    "play_count": "PLAYS", "rating": "STARS", "album_artist": nil, "is_compilation": nil, "genre": nil, "year": nil, "disc_number": nil,
    "track_number": nil, "last_played_at": nil, "added_at": nil, "availability": nil,
  ])

  /// `4` or `3.5`; empty for a track without a rating.
  static func stars(_ rating: Int?) -> String {
    rating.map { ShownValue.decimal(Double(max(0, min(100, $0)) / 2) / 10, places: 1) } ?? ""
  }

  // MARK: One thing

  static let kinds = [
    ShownKind("album") { wanted, reader in
      try albumIDs(wanted, reader).map { album in
        .init(IDCodec.lowercase(id(album)), album.name, label: "\(album.name), \(album.artist)") { try ShownMusic.album(album, $0) }
      }
    },
    ShownKind("artist") { wanted, reader in
      var condition: BoundSQL = "sort_artist < \(LibraryTrack.behindMusic)"
      if case .name(let name) = wanted { condition = "sort_artist = \(SortText.folded(name))" }
      let names = try reader.values("SELECT group_artist FROM tracks WHERE \(sql: condition) GROUP BY sort_artist, group_artist") { row in
        try row.text()
      }
      return names.filter { wanted.means(id(ofArtist: $0), $0) }.map { name in
        .init(IDCodec.lowercase(id(ofArtist: name)), name) { try artist(name, $0) }
      }
    },
    ShownKind("playlist", "id, name", from: "collections", order: "position, id", show: playlist),
    ShownKind("track", "id, title, artist", from: "tracks", folded: "sort_title") {
      "\($0), \(try $1.text())"
    } show: { id, reader in
      try MusicStore.track(id, in: reader).map { Shown(["track": (tracks + file).object(of: $0)], [trackFacts.facts(of: $0)]) }
    },
  ]

  private static func albumIDs(_ wanted: ShownKind.Wanted, _ reader: Reader) throws -> [MusicAlbum.ID] {
    var condition: BoundSQL = "sort_album < \(LibraryTrack.behindMusic)"
    if case .name(let name) = wanted { condition = "sort_album = \(SortText.folded(name))" }
    return try reader.values(
      "SELECT group_album, group_artist FROM tracks WHERE \(sql: condition) GROUP BY sort_album, group_album, group_artist"
    ) { row in MusicAlbum.ID(name: try row.text(), artist: try row.text()) }.filter { wanted.means(id($0), $0.name) }
  }

  private static func album(_ album: MusicAlbum.ID, _ reader: Reader) throws -> Shown {
    let found = try MusicStore.tracks(.ofAlbum(album), after: nil, limit: .max, in: reader).items
    let fields: [ShownField<[LibraryTrack]>] = [
      .init("name", "album") { _ in .text(album.name) }, .init("artist", "artist") { _ in .text(album.artist) },
      .init("year", "year") { .count($0.compactMap(\.year).max()) },
      .init("genres", "genre") { .texts(Set($0.compactMap(\.genre).filter { !$0.isEmpty }).sorted()) },
      .init("total_seconds", "length") { .length(length($0)).unlessZero }, .init("id", "id") { _ in .id(id(album)) },
      .init("tracks") { .json(.array($0.map(tracks.object))) },
    ]
    return fields.shown("album", found, albumTracks.table(of: found))
  }

  private static let albumTracks = track.titled([
    "disc_number": "DISC", "track_number": "#", "title": .flexible("TITLE"), "artist": .flexible("ARTIST"), "duration_seconds": "LENGTH",
    "play_count": "PLAYS", "rating": "STARS", "id": "ID",
  ])

  private static func length(_ tracks: [LibraryTrack]) -> Double { tracks.reduce(0) { $0 + ($1.duration ?? 0) } }

  private static func artist(_ name: String, _ reader: Reader) throws -> Shown {
    let own = try MusicStore.albums(of: name, after: nil, limit: .max, in: reader).items
    let guest = try MusicStore.tracks(.ofArtist(name), after: nil, limit: .max, in: reader).items.filter { $0.groupArtist != name }
    let fields: [ShownField<[MusicAlbum]>] = [
      .init("name", "artist") { _ in .text(name) }, .init(nil, "albums") { .count($0.count) },
      .init(nil, "tracks") { .count($0.reduce(0) { $0 + $1.tracks }) },
      .init("total_seconds", "length") { .length($0.reduce(0) { $0 + $1.totalSeconds }).unlessZero },
      .init("id", "id") { _ in .id(id(ofArtist: name)) }, .init("albums") { .json(.array($0.map(albums.object))) },
      .init("tracks_on_other_albums") { _ in .json(.array(guest.map(tracks.object))) },
    ]
    return fields.shown("artist", own, albums.table(of: own), tracks.table(of: guest, title: "On albums of others"))
  }

  private static func playlist(_ id: UUID, _ reader: Reader) throws -> Shown? {
    guard let playlist = try MusicStore.playlist(id, in: reader) else { return nil }
    let entries = try MusicStore.entries(of: id, after: nil, limit: .max, in: reader).items.map(\.track)
    let inside = try MusicStore.playlists(in: id, after: nil, limit: .max, in: reader).items.map {
      Listed(list: $0, folder: playlist.name)
    }
    let folder = try playlist.parentID.flatMap { id in
      try reader.value("SELECT name FROM collections WHERE id = \(id)") { row in try row.text() }
    }
    let own = ShownFields<MusicPlaylist>([
      "folder": { _ in .text(folder) }, "entries": { .count($0.isFolder ? nil : entries.count) },
      "total_seconds": { _ in .length(length(entries)).unlessZero }, "folder_id": { .id($0.parentID) },
      "tracks": { _ in .json(.array(entries.map(tracks.object))) }, "playlists": { _ in .json(.array(inside.map(playlists.object))) },
    ])
    let fields = own.titled([
      "name": playlist.isFolder ? "folder" : "playlist", "folder": .people("in"), "entries": .people("tracks"), "total_seconds": "length",
      "id": "id", "is_folder": nil, "folder_id": nil, "tracks": nil, "playlists": nil, "persistent_id": nil,
    ])
    return fields.shown("playlist", playlist, playlists.table(of: inside), entryColumns.table(of: entries.enumerated().map(Entry.init)))
  }

  /// A track of a playlist, behind so many others.
  private struct Entry {
    var offset: Int
    var track: LibraryTrack
  }

  private static let entryColumns = ShownFields<Entry>([
    "number": { .count($0.offset + 1) }, "duration_seconds": { .length($0.track.duration) },
  ]).titled([
    "number": "#", "title": .flexible("TITLE"), "artist": .flexible("ARTIST"), "album": .flexible("ALBUM"), "duration_seconds": "LENGTH",
    "id": "ID",
  ])

  /// A track alone, for people.
  private static let trackFacts = track.titled([
    "title": "title", "kind": "kind", "artist": "artist", "album": "album", "album_artist": "album artist", "disc_number": "disc",
    "track_number": "number", "genre": "genre", "year": "year", "duration_seconds": "length", "rating": "stars", "play_count": "plays",
    "last_played_at": "last played", "added_at": "added", "location": "file", "availability": "is", "file_size": "size", "id": "id",
  ])

  /// The fields of one track that only programs read, beside those of the list.
  private static let file = track.titled([
    "kind": nil, "file_url": nil, "file_size": nil, "file_modified_at": nil, "content_hash": nil, "artwork_url": nil, "artwork_hash": nil,
    "persistent_id": nil, "metadata": nil,
  ])
}
