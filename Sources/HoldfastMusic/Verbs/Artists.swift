import Foundation
public import Holdfast

/// An artist with albums: an album artist of tracks.
public struct MusicArtist: Sendable, Hashable, Identifiable {
  /// The name as the tracks write it; `LibraryTrack.unknownArtist` for tracks without an artist, `LibraryTrack.variousArtists`
  /// for compilations.
  public var name: String
  /// The number of albums; at least 1.
  public var albums: Int
  /// The number of tracks on the artist's albums. Tracks on other artists' albums are not counted.
  public var tracks: Int
  /// The sum of the known durations of these tracks.
  public var totalSeconds: Double
  /// A picture of one of the albums, the same one until the albums change; nil when there is none.
  public var artworkHash: String?

  /// The name: artists with the same name are one artist.
  public var id: String { name }

  /// The condition for tracks on albums of this artist.
  static func owns(_ name: String) -> BoundSQL { "sort_artist = \(SortText.folded(name)) AND group_artist = \(name.composed)" }
}

extension MusicStore {
  /// A page of artists with albums, by name. An artist who only plays on other artists' albums is found by search and by
  /// `TrackList.ofArtist`.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list.
  public func artists(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<MusicArtist> {
    try await store.read { try Self.artists(after: key, limit: limit, in: $0) }
  }

  /// The first artists now, and after each change of the fields that make artists; a play causes no new read.
  public func artistUpdates(limit: Int = 100) -> Updates<[MusicArtist]> {
    store.updates { try Self.artists(limit: limit, in: $0).items }
  }

  /// Reads a page of artists with albums inside your transaction; as `artists(after:limit:)`.
  public static func artists(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<MusicArtist> {
    let listing = Listing(
      condition: "sort_artist < \(LibraryTrack.behindMusic)", columns: [("sort_artist", .text), ("group_artist", .text)], isGrouped: true)
    return try reader.page(
      "group_artist, count(DISTINCT group_album), count(*), total(duration), max(artwork_hash)", from: "tracks", listing, after: key,
      limit: limit, of: "tracks"
    ) { row in
      MusicArtist(
        name: try row.text(), albums: try row.int(), tracks: try row.int(), totalSeconds: try row.double(),
        artworkHash: try row.textOrNil())
    }
  }
}
