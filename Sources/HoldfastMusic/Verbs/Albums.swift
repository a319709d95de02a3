import Foundation
public import Holdfast

/// An album of one album artist, with facts combined from its tracks.
public struct MusicAlbum: Sendable, Hashable, Identifiable {
  /// Identifies an album by name and artist: two artists may have albums of one name. Both texts are spelled as in the tracks,
  /// with composed accents.
  public struct ID: Sendable, Hashable {
    /// `LibraryTrack.unknownAlbum` for an artist's tracks without an album.
    public var name: String
    /// The album's artist: the tracks' `groupArtist`.
    public var artist: String

    /// The id of an album.
    public init(name: String, artist: String) {
      self.name = name
      self.artist = artist
    }
  }

  /// The album's name and artist.
  public var id: ID
  /// How many tracks it has; at least 1.
  public var tracks: Int
  /// The sum of the known durations.
  public var totalSeconds: Double
  /// The latest year among the tracks.
  public var year: Int?
  /// The picture of one of its tracks, the same one until the tracks change; nil when there is none.
  public var artworkHash: String?

  /// The name as the tracks write it.
  public var name: String { id.name }
  /// The album's artist.
  public var artist: String { id.artist }
}

extension LibraryTrack {
  /// The album that the track counts to.
  public var albumID: MusicAlbum.ID { MusicAlbum.ID(name: album, artist: groupArtist) }
}

extension MusicStore {
  /// A page of albums by name, then by artist.
  ///
  /// - Parameters:
  ///   - artist: only the albums of this album artist; nil: all.
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a page key of another list.
  public func albums(of artist: String? = nil, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<MusicAlbum> {
    try await store.read { try Self.albums(of: artist, after: key, limit: limit, in: $0) }
  }

  /// The first albums now, and after each change of the fields that make albums; a play causes no new read.
  public func albumUpdates(of artist: String? = nil, limit: Int = 100) -> Updates<[MusicAlbum]> {
    store.updates { try Self.albums(of: artist, limit: limit, in: $0).items }
  }

  /// Reads a page of albums inside your transaction; as `albums(of:after:limit:)`.
  public static func albums(
    of artist: String? = nil, after key: PageKey? = nil, limit: Int = 100, in reader: Reader
  ) throws -> Page<MusicAlbum> {
    var listing = Listing(columns: [("sort_album", .text), ("group_album", .text), ("group_artist", .text)], isGrouped: true)
    listing.condition = artist.map(MusicArtist.owns) ?? "sort_album < \(LibraryTrack.behindMusic)"
    return try reader.page(
      "group_album, group_artist, count(*), total(duration), max(year), max(artwork_hash)", from: "tracks", listing, after: key,
      limit: limit,
      of: "tracks"
    ) { row in
      MusicAlbum(
        id: MusicAlbum.ID(name: try row.text(), artist: try row.text()), tracks: try row.int(), totalSeconds: try row.double(),
        year: try row.intOrNil(), artworkHash: try row.textOrNil())
    }
  }
}
