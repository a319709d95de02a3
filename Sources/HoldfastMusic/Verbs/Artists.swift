import Foundation
public import Holdfast

/// Whose albums there are: an album artist, as tracks name him.
public struct MusicArtist: Sendable, Hashable, Identifiable {
  /// As the tracks write it; `LibraryTrack.unknownArtist` where nobody is named, `LibraryTrack.variousArtists` has the compilations.
  public var name: String
  /// How many; at least 1.
  public var albums: Int
  /// How many his albums have, without those that name him on albums of others.
  public var tracks: Int
  /// Of his albums, as far as durations are known.
  public var totalSeconds: Double
  /// A picture of one of his albums, always the same as long as they are; nil when there is none.
  public var artworkHash: String?

  /// The name: the same name is the same artist.
  public var id: String { name }

  /// One entry of the list.
  public init(name: String, albums: Int, tracks: Int, totalSeconds: Double = 0, artworkHash: String? = nil) {
    self.name = name
    self.albums = albums
    self.tracks = tracks
    self.totalSeconds = totalSeconds
    self.artworkHash = artworkHash
  }

  /// Which tracks are on albums of this artist.
  static func owns(_ name: String) -> BoundSQL { "sort_artist = \(SortText.folded(name)) AND group_artist = \(name.composed)" }
}

extension MusicStore {
  /// A page of artists by name: those who have albums. Who only plays on albums of others is found by search, and by
  /// `TrackList.ofArtist`.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a key of another list.
  public func artists(after key: PageKey? = nil, limit: Int = 100) throws -> Page<MusicArtist> {
    try store.read { try Self.artists(after: key, limit: limit, in: $0) }
  }
  public func artists(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<MusicArtist> {
    try await store.read { try Self.artists(after: key, limit: limit, in: $0) }
  }

  /// The first artists now, and after each change of what an artist's albums are made of: a play makes nothing read again.
  public func artistUpdates(limit: Int = 100) -> Updates<[MusicArtist]> {
    store.updates(of: ["tracks"], columns: ["tracks": Self.groupColumns]) { try Self.artists(limit: limit, in: $0).items }
  }

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
