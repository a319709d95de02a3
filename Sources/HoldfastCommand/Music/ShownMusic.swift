import Foundation
import Holdfast
import HoldfastMusic

/// Something in one line of a table, and for programs.
struct ShownLine {
  var cells: [String]
  var json: JSONValue

  /// The lines under a heading; nothing for none.
  static func table(_ columns: [TextTable.Column], _ lines: [ShownLine], _ console: Console) -> String {
    guard !lines.isEmpty else { return "" }
    var table = TextTable(columns)
    for line in lines { table.add(line.cells) }
    return table.text(width: console.outputWidth)
  }
}

extension ShownLine {
  static let albumColumns: [TextTable.Column] = [
    .text("ID"), .flexible("ALBUM"), .flexible("ARTIST"), .number("TRACKS"), .number("LENGTH"), .number("YEAR"),
  ]
  static let artistColumns: [TextTable.Column] = [
    .text("ID"), .flexible("ARTIST"), .number("ALBUMS"), .number("TRACKS"), .number("LENGTH"),
  ]
  static let playlistColumns: [TextTable.Column] = [.text("ID"), .flexible("PLAYLIST"), .flexible("FOLDER"), .number("TRACKS")]
  static let trackColumns: [TextTable.Column] = [
    .text("ID"), .flexible("TITLE"), .flexible("ARTIST"), .flexible("ALBUM"), .number("LENGTH"), .number("PLAYS"), .number("STARS"),
  ]

  init(_ album: MusicAlbum) {
    let id = MusicItem.album(album.id).id
    self.init(
      cells: [
        IDCodec.lowercase(id), album.name, album.artist, String(album.tracks), Self.length(album.totalSeconds),
        album.year.map(String.init) ?? "",
      ],
      json: .object([
        "id": .id(id), "name": .string(album.name), "artist": .string(album.artist), "tracks": .number(album.tracks),
        "total_seconds": .double(album.totalSeconds), "year": album.year.map(JSONValue.number) ?? .null,
        "artwork_hash": .text(album.artworkHash),
      ]))
  }

  init(_ artist: MusicArtist) {
    let id = MusicItem.artist(artist.name).id
    self.init(
      cells: [IDCodec.lowercase(id), artist.name, String(artist.albums), String(artist.tracks), Self.length(artist.totalSeconds)],
      json: .object([
        "id": .id(id), "name": .string(artist.name), "albums": .number(artist.albums), "tracks": .number(artist.tracks),
        "total_seconds": .double(artist.totalSeconds), "artwork_hash": .text(artist.artworkHash),
      ]))
  }

  /// - Parameter folder: the name of the one that it is in.
  init(_ playlist: PlaylistSummary, folder: String?) {
    self.init(
      cells: [
        IDCodec.lowercase(playlist.id), playlist.name + (playlist.isFolder ? "/" : ""), folder ?? "",
        playlist.isFolder ? "" : String(playlist.entries),
      ],
      json: .object([
        "id": .id(playlist.id), "name": .string(playlist.name), "folder_id": .id(playlist.parentID), "is_folder": .bool(playlist.isFolder),
        "tracks": .number(playlist.entries),
      ]))
  }

  init(_ track: LibraryTrack) {
    self.init(
      cells: [
        IDCodec.lowercase(track.id), track.title, track.artist, track.album, DisplayText.length(track.duration),
        track.playCount > 0 ? String(track.playCount) : "", Self.stars(track.rating),
      ], json: .object(Self.members(track)))
  }

  static func members(_ track: LibraryTrack) -> [String: JSONValue] {
    [
      "id": .id(track.id), "title": .string(track.title), "artist": .string(track.artist), "album": .string(track.album),
      "album_artist": .text(track.albumArtist), "is_compilation": .bool(track.isCompilation), "genre": .text(track.genre),
      "year": track.year.map(JSONValue.number) ?? .null, "disc_number": track.discNumber.map(JSONValue.number) ?? .null,
      "track_number": track.trackNumber.map(JSONValue.number) ?? .null, "duration_seconds": .number(track.duration),
      "play_count": .number(track.playCount), "last_played_at": .time(track.lastPlayedAt),
      "rating": track.rating.map(JSONValue.number) ?? .null, "added_at": .time(track.addedAt),
      "availability": .string(track.file.availability.rawValue),
    ]
  }

  /// `4` or `3.5`; nothing for a track that nobody rated.
  static func stars(_ rating: Int?) -> String {
    guard let rating else { return "" }
    let tenths = max(0, min(100, rating)) / 2
    return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
  }

  /// Nothing rather than 0:00, which would say that an unknown length is known.
  static func length(_ seconds: Double) -> String { seconds > 0 ? DisplayText.length(seconds) : "" }
}
