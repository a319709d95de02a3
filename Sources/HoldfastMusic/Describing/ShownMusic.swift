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

  static let albums: [ShownField<MusicAlbum>] = [
    .init("id", "ID") { .id(id($0.id)) }, .init("name", "ALBUM", shrinks: true) { .text($0.name) },
    .init("artist", "ARTIST", shrinks: true) { .text($0.artist) }, .init("tracks", "TRACKS") { .count($0.tracks) },
    .init("total_seconds", "LENGTH") { .length($0.totalSeconds).unlessZero }, .init("year", "YEAR") { .count($0.year) },
    .init("artwork_hash") { .text($0.artworkHash) },
  ]

  static let artists: [ShownField<MusicArtist>] = [
    .init("id", "ID") { .id(id(ofArtist: $0.name)) }, .init("name", "ARTIST", shrinks: true) { .text($0.name) },
    .init("albums", "ALBUMS") { .count($0.albums) }, .init("tracks", "TRACKS") { .count($0.tracks) },
    .init("total_seconds", "LENGTH") { .length($0.totalSeconds).unlessZero }, .init("artwork_hash") { .text($0.artworkHash) },
  ]

  /// A playlist, and the name of its folder.
  struct Listed: Sendable {
    var list: PlaylistSummary
    var folder: String?
  }

  static let playlists: [ShownField<Listed>] = [
    .init("id", "ID") { .id($0.list.id) },
    .init("name", "PLAYLIST", shrinks: true) { .told(.text($0.list.name), $0.list.name + ($0.list.isFolder ? "/" : "")) },
    .init(nil, "FOLDER", shrinks: true) { .text($0.folder) },
    .init("tracks", "TRACKS") { .told(.count($0.list.entries), $0.list.isFolder ? nil : String($0.list.entries)) },
    .init("folder_id") { .id($0.list.parentID) }, .init("is_folder") { .flag($0.list.isFolder) },
  ]

  static let tracks: [ShownField<LibraryTrack>] = [
    .init("id", "ID") { .id($0.id) }, .init("title", "TITLE", shrinks: true) { .text($0.title) },
    .init("artist", "ARTIST", shrinks: true) { .text($0.artist) }, .init("album", "ALBUM", shrinks: true) { .text($0.album) },
    .init("duration_seconds", "LENGTH") { .length($0.duration) }, .init("play_count", "PLAYS") { .count($0.playCount).unlessZero },
    .init("rating", "STARS") { .told(.count($0.rating), stars($0.rating)) }, .init("album_artist") { .text($0.albumArtist) },
    .init("is_compilation") { .flag($0.isCompilation) }, .init("genre") { .text($0.genre) }, .init("year") { .count($0.year) },
    .init("disc_number") { .count($0.discNumber) }, .init("track_number") { .count($0.trackNumber) },
    .init("last_played_at") { .time($0.lastPlayedAt) }, .init("added_at") { .time($0.addedAt) },
    .init("availability") { .text($0.file.availability.rawValue) },
  ]

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
      try MusicStore.track(id, in: reader).map { Shown(["track": (tracks + file).object(of: $0)], [track.facts(of: $0)]) }
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

  private static let albumTracks: [ShownField<LibraryTrack>] = [
    .init(nil, "DISC") { .count($0.discNumber) }, .init(nil, "#") { .count($0.trackNumber) },
    .init(nil, "TITLE", shrinks: true) { .text($0.title) }, .init(nil, "ARTIST", shrinks: true) { .text($0.artist) },
    .init(nil, "LENGTH") { .length($0.duration) }, .init(nil, "PLAYS") { .count($0.playCount).unlessZero },
    .init(nil, "STARS") { .told(.count($0.rating), stars($0.rating)) }, .init(nil, "ID") { .id($0.id) },
  ]

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
    let fields: [ShownField<MusicPlaylist>] = [
      .init("name", playlist.isFolder ? "folder" : "playlist") { .text($0.name) }, .init(nil, "in") { _ in .text(folder) },
      .init(nil, "tracks") { .count($0.isFolder ? nil : entries.count) },
      .init("total_seconds", "length") { _ in .length(length(entries)).unlessZero }, .init("id", "id") { .id($0.id) },
      .init("is_folder") { .flag($0.isFolder) }, .init("folder_id") { .id($0.parentID) },
      .init("tracks") { _ in .json(.array(entries.map(tracks.object))) },
      .init("playlists") { _ in .json(.array(inside.map(playlists.object))) }, .init("persistent_id") { .text($0.persistentID) },
    ]
    let columns: [ShownField<(offset: Int, element: LibraryTrack)>] = [
      .init(nil, "#") { .count($0.offset + 1) }, .init(nil, "TITLE", shrinks: true) { .text($0.element.title) },
      .init(nil, "ARTIST", shrinks: true) { .text($0.element.artist) }, .init(nil, "ALBUM", shrinks: true) { .text($0.element.album) },
      .init(nil, "LENGTH") { .length($0.element.duration) }, .init(nil, "ID") { .id($0.element.id) },
    ]
    return fields.shown("playlist", playlist, playlists.table(of: inside), columns.table(of: Array(entries.enumerated())))
  }

  /// A track alone, for people.
  private static let track: [ShownField<LibraryTrack>] = [
    .init(nil, "title") { .text($0.title) }, .init(nil, "kind") { .text($0.otherKind) }, .init(nil, "artist") { .text($0.artist) },
    .init(nil, "album") { .text($0.album) }, .init(nil, "album artist") { .text($0.albumArtist) },
    .init(nil, "disc") { .count($0.discNumber) },
    .init(nil, "number") { .count($0.trackNumber) }, .init(nil, "genre") { .text($0.genre) }, .init(nil, "year") { .count($0.year) },
    .init(nil, "length") { .length($0.duration) }, .init(nil, "stars") { .text(stars($0.rating)) },
    .init(nil, "plays") { .count($0.playCount).unlessZero }, .init(nil, "last played") { .time($0.lastPlayedAt) },
    .init(nil, "added") { .time($0.addedAt) }, .init(nil, "file") { .text($0.file.location.map { $0.path ?? $0.text }) },
    .init(nil, "is") { .text($0.file.availability.rawValue) }, .init(nil, "size") { .size($0.file.sizeBytes) },
    .init(nil, "id") { .id($0.id) },
  ]

  /// The fields of one track that only programs read, beside those of the list.
  private static let file: [ShownField<LibraryTrack>] = [
    .init("kind") { .text($0.otherKind) }, .init("file_url") { .text($0.file.location?.text) },
    .init("file_size") { .size($0.file.sizeBytes) },
    .init("file_modified_at") { .time($0.file.modifiedAt) }, .init("content_hash") { .text($0.file.contentHash) },
    .init("artwork_url") { .text($0.artworkURL) }, .init("artwork_hash") { .text($0.artworkHash) },
    .init("persistent_id") { .text($0.persistentID) }, .init("metadata") { .stored($0.metadata.text) },
  ]
}
