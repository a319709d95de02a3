import Foundation
import Holdfast
import HoldfastMusic

/// Something of a music library that can be shown.
///
/// Albums and artists are what tracks say and have no ids of their own. So that a person can name one of them like anything else, they
/// get one that is made of their names: it stays as long as those do.
enum MusicItem: Equatable {
  case album(MusicAlbum.ID)
  case artist(String)
  case playlist(UUID)
  case track(UUID)

  /// What there can be, as a person calls it.
  static let kinds = ["album", "artist", "playlist", "track"]

  var kind: String {
    switch self {
    case .album: "album"
    case .artist: "artist"
    case .playlist: "playlist"
    case .track: "track"
    }
  }

  var id: UUID {
    switch self {
    case .album(let album): Self.derived("album", album.name, album.artist)
    case .artist(let name): Self.derived("artist", name)
    case .playlist(let id), .track(let id): id
    }
  }

  /// JSON, because a name may hold any character that could stand between two.
  private static func derived(_ parts: String...) -> UUID {
    NewID.derived(from: JSONValue.array(parts.map(JSONValue.string)).canonicalText())
  }
}

/// Albums, artists, playlists and tracks, by what a person calls them.
struct MusicLookup {
  let text: String
  let reader: Reader

  init(text: String, in reader: Reader) {
    self.text = text
    self.reader = reader
  }

  /// - Throws: `.notFound`; `ambiguous` with what it could mean.
  func item() throws -> MusicItem { try Lookup.one(text, of: MusicItem.kinds, named: named, beginning: beginning) }

  /// The same among playlists alone.
  func playlist() throws -> UUID {
    func playlists(_ found: [Lookup.Found<MusicItem>]) -> [Lookup.Found<MusicItem>] { found.filter { $0.place.kind == "playlist" } }
    return try Lookup.one(text, of: ["playlist"]) {
      playlists(try named())
    } beginning: {
      playlists(try beginning($0))
    }.id
  }

  /// In any case, with or without accents.
  private func named() throws -> [Lookup.Found<MusicItem>] {
    let wanted = SortText.folded(text)
    var similar = try reader.values(
      "SELECT group_album, group_artist FROM tracks WHERE sort_album = \(wanted) GROUP BY sort_album, group_album, group_artist"
    ) { row in
      let album = MusicAlbum.ID(name: try row.text(), artist: try row.text())
      return (name: album.name, found: found(.album(album), "\(album.name), \(album.artist)"))
    }
    similar += try reader.values(
      "SELECT group_artist FROM tracks WHERE sort_artist = \(wanted) GROUP BY sort_artist, group_artist"
    ) { row in
      let name = try row.text()
      return (name: name, found: found(.artist(name), name))
    }
    similar += try reader.values("SELECT id, name FROM collections ORDER BY position, id") { row in
      let id = try row.id()
      let name = try row.text()
      return (name: name, found: found(.playlist(id), name))
    }.filter { SortText.folded($0.name) == wanted }
    similar += try reader.values("SELECT id, title, artist FROM tracks WHERE sort_title = \(wanted) ORDER BY id") { row in
      let id = try row.id()
      let title = try row.text()
      return (name: title, found: found(.track(id), "\(title), \(try row.text())"))
    }
    return Lookup.closest(text, similar)
  }

  private func beginning(_ prefix: String) throws -> [Lookup.Found<MusicItem>] {
    let end = Lookup.end(of: prefix)
    var beginning = try reader.values("SELECT id, name FROM collections WHERE id >= \(prefix) AND id < \(end) LIMIT 6") { row in
      found(.playlist(try row.id()), try row.text())
    }
    beginning += try reader.values("SELECT id, title FROM tracks WHERE id >= \(prefix) AND id < \(end) LIMIT 6") { row in
      found(.track(try row.id()), try row.text())
    }
    func add(_ item: MusicItem, _ name: String) {
      if IDCodec.lowercase(item.id).hasPrefix(prefix) { beginning.append(found(item, name)) }
    }
    try reader.rows("SELECT group_album, group_artist FROM tracks GROUP BY sort_album, group_album, group_artist", of: "tracks") { row in
      let album = MusicAlbum.ID(name: try row.text(), artist: try row.text())
      add(.album(album), "\(album.name), \(album.artist)")
    }
    try reader.rows("SELECT group_artist FROM tracks GROUP BY sort_artist, group_artist", of: "tracks") { row in
      let name = try row.text()
      add(.artist(name), name)
    }
    return beginning
  }

  private func found(_ item: MusicItem, _ name: String) -> Lookup.Found<MusicItem> {
    Lookup.Found(place: item, label: "\(item.kind) \(IDCodec.lowercase(item.id)) (\(DisplayText.cut(name, to: 40)))")
  }
}
