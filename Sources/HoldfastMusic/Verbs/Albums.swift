import Foundation
public import Holdfast

/// What the tracks of one album and one album artist say together.
public struct MusicAlbum: Sendable, Hashable, Identifiable {
  /// By what an album is told from others: two artists may have one of the same name. Both texts as the tracks
  /// write them, with composed accents.
  public struct ID: Sendable, Hashable {
    /// `LibraryTrack.unknownAlbum` gathers an artist's tracks without an album.
    public var name: String
    /// Whose it is: the tracks' `groupArtist`.
    public var artist: String

    /// One album.
    public init(name: String, artist: String) {
      self.name = name
      self.artist = artist
    }
  }

  /// Its name and artist.
  public var id: ID
  /// How many tracks it has; at least 1.
  public var tracks: Int
  /// The durations that are known, added up.
  public var totalSeconds: Double
  /// The latest year that a track names.
  public var year: Int?
  /// One of its tracks' pictures, always the same as long as they are; nil when there is none.
  public var artworkHash: String?

  /// As the tracks write it.
  public var name: String { id.name }
  /// Whose it is.
  public var artist: String { id.artist }

  /// One entry of the list.
  public init(id: ID, tracks: Int, totalSeconds: Double = 0, year: Int? = nil, artworkHash: String? = nil) {
    self.id = id
    self.tracks = tracks
    self.totalSeconds = totalSeconds
    self.year = year
    self.artworkHash = artworkHash
  }
}

extension LibraryTrack {
  /// The album that it counts to.
  public var albumID: MusicAlbum.ID { MusicAlbum.ID(name: album, artist: groupArtist) }
}

extension MusicStore {
  /// The columns that albums and artists are read from.
  static let groupColumns = ["sort_album", "group_album", "sort_artist", "group_artist", "duration", "year", "artwork_hash"]

  /// A page of albums by name, then by artist.
  ///
  /// - Parameters:
  ///   - artist: only the albums of this album artist; nil: all.
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Throws: `.misuse` for a key of another list.
  public func albums(of artist: String? = nil, after key: PageKey? = nil, limit: Int = 100) throws -> Page<MusicAlbum> {
    try store.read { try Self.albums(of: artist, after: key, limit: limit, in: $0) }
  }
  public func albums(of artist: String? = nil, after key: PageKey? = nil, limit: Int = 100) async throws -> Page<MusicAlbum> {
    try await store.read { try Self.albums(of: artist, after: key, limit: limit, in: $0) }
  }

  /// The first albums now, and after each change of what an album is made of: a play makes nothing read again.
  public func albumUpdates(of artist: String? = nil, limit: Int = 100) -> Updates<[MusicAlbum]> {
    store.updates(of: ["tracks"], columns: ["tracks": Self.groupColumns]) { try Self.albums(of: artist, limit: limit, in: $0).items }
  }

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
        year: try row.int64OrNil().map { Int(clamping: $0) }, artworkHash: try row.textOrNil())
    }
  }
}
