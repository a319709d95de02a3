import Foundation
public import Holdfast

/// The lists of tracks that are read in pages. `SortText.folded` orders texts: case and accents do not matter.
public enum TrackList: Sendable, Hashable {
  /// All tracks, by title.
  case byTitle
  /// All tracks, by the album's artist, then in the album's order.
  case byArtist
  /// All tracks, by album, then in the album's order.
  case byAlbum
  /// All tracks, the newest first. Tracks whose date is unknown come last.
  case recentlyAdded
  /// Tracks that were played, the most played first.
  case mostPlayed
  /// Tracks with this rating or a better one, from 0 to 100, the best first. Unrated tracks are left out.
  case rated(atLeast: Int)
  /// An album's tracks, by disc, number and title. No disc number is the first disc; no track number comes last.
  case ofAlbum(MusicAlbum.ID)
  /// The tracks on an artist's albums, by album; then the artist's tracks on other artists' albums.
  case ofArtist(String)

  /// The list's parts, one after the other.
  var parts: [Listing] {
    let onAlbum: [(String, PageKey.Part)] = [("disc_place", .number), ("track_place", .number), ("sort_title", .text), ("id", .text)]
    let album: [(String, PageKey.Part)] = [("sort_album", .text), ("group_album", .text)]
    let artist: [(String, PageKey.Part)] = [("sort_artist", .text), ("group_artist", .text)]
    func newest(by column: String, _ condition: BoundSQL = "true") -> [Listing] {
      [Listing(condition: condition, columns: [(column, .number), ("id", .text)], isDescending: true)]
    }
    switch self {
    case .byTitle: return [Listing(columns: [("sort_title", .text), ("id", .text)])]
    case .byArtist: return [Listing(columns: artist + album + onAlbum)]
    case .byAlbum: return [Listing(columns: album + [("group_artist", .text)] + onAlbum)]
    case .recentlyAdded:
      return newest(by: "added_at", "added_at IS NOT NULL")
        + [Listing(condition: "added_at IS NULL", columns: [("id", .text)], isDescending: true)]
    case .mostPlayed: return newest(by: "play_count", "play_count > 0")
    case .rated(let least): return newest(by: "rating", "rating >= \(least)")
    case .ofAlbum(let id):
      let isOn: BoundSQL = """
        sort_album = \(SortText.folded(id.name)) AND group_album = \(id.name.composed) AND group_artist = \(id.artist.composed)
        """
      return [Listing(condition: isOn, columns: onAlbum)]
    case .ofArtist(let name):
      return [
        Listing(condition: MusicArtist.owns(name), columns: album + onAlbum),
        Listing(condition: "guest_artist = \(name.composed)", columns: album + onAlbum),
      ]
    }
  }
}

extension MusicStore {
  /// A page of a list of tracks.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list.
  public func tracks(_ list: TrackList, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<LibraryTrack> {
    try await store.read { try Self.tracks(list, after: key, limit: limit, in: $0) }
  }

  /// The first tracks of a list now, and after each change of one.
  ///
  /// - Parameter ignoringPlays: true for a screen that shows neither `playCount` nor `lastPlayedAt`. Then a play alone causes
  ///   no new read, and these two values are as old as the last other change. `mostPlayed` always follows plays.
  public func trackUpdates(_ list: TrackList, limit: Int = 100, ignoringPlays: Bool = false) -> Updates<[LibraryTrack]> {
    store.updates(ignoring: Self.plays(ignoringPlays: ignoringPlays && list != .mostPlayed)) {
      try Self.tracks(list, limit: limit, in: $0).items
    }
  }

  /// Reads a page of a list of tracks inside your transaction; as `tracks(_:after:limit:)`.
  public static func tracks(_ list: TrackList, after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<LibraryTrack>
  {
    try reader.page(
      BoundSQL(raw: LibraryTrack.loadedColumns.joined(separator: ", ")), from: "tracks", list.parts, after: key, limit: limit, of: "tracks",
      LibraryTrack.init(loading:))
  }
}
