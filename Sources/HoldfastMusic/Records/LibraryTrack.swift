public import Foundation
public import Holdfast

/// One piece of music.
public struct LibraryTrack: Sendable, Hashable, Identifiable {
  /// Unique in the library. New ids come from `NewID`; imported tracks keep theirs.
  public var id: UUID
  /// As people wrote it. May be empty.
  public var title: String
  /// ``unknownArtist`` when no artist is known.
  public var artist: String
  /// ``unknownAlbum`` when no album is known.
  public var album: String
  /// The album's artist, when it is not `artist`; nil or empty when it is.
  public var albumArtist: String?
  /// Whether the album has tracks of several artists. Without an album artist, the album belongs to ``variousArtists``.
  public var isCompilation: Bool
  /// As people wrote it.
  public var genre: String?
  /// The year that the source gives; not checked.
  public var year: Int?
  /// From 1, on its disc.
  public var trackNumber: Int?
  /// From 1.
  public var discNumber: Int?
  /// In seconds, if known.
  public var duration: Double?
  /// The audio file.
  public var file: TrackFile
  /// The address of a picture outside the library, as text.
  public var artworkURL: String?
  /// The stored picture's ``MusicArtwork/hash``; nil when there is none.
  public var artworkHash: String?
  /// How often the track was played to its end, counted by the source and `recordPlay`.
  public var playCount: Int
  /// To the millisecond; nil when the track was never played, or the source gives no time.
  public var lastPlayedAt: Date?
  /// 0 to 100, 20 for each star; nil when not rated.
  public var rating: Int?
  /// When the track was added to the library, to the millisecond; nil when unknown, for example because the imported source lacked it.
  public var addedAt: Date?
  /// The track's id in another player: 16 hexadecimal digits from iTunes.
  public var persistentID: String?
  /// Other facts from the source, by the source's names. Decoded on each access.
  public var metadata: StoredJSON<[String: String]>

  /// The text stored for an unknown artist.
  public static let unknownArtist = "Unknown Artist"
  /// The text stored for an unknown album.
  public static let unknownAlbum = "Unknown Album"
  /// The artist of a compilation without an album artist.
  public static let variousArtists = "Various Artists"

  /// A track that is not stored yet. Dates are rounded to the millisecond, so that a loaded track equals the saved one.
  public init(
    id: UUID, title: String, artist: String = unknownArtist, album: String = unknownAlbum, albumArtist: String? = nil,
    isCompilation: Bool = false, genre: String? = nil, year: Int? = nil, trackNumber: Int? = nil, discNumber: Int? = nil,
    duration: Double? = nil, file: TrackFile, artworkURL: String? = nil, artworkHash: String? = nil, playCount: Int = 0,
    lastPlayedAt: Date? = nil, rating: Int? = nil, addedAt: Date?, persistentID: String? = nil,
    metadata: StoredJSON<[String: String]> = .empty
  ) {
    self.id = id
    self.title = title
    self.artist = artist
    self.album = album
    self.albumArtist = albumArtist
    self.isCompilation = isCompilation
    self.genre = genre
    self.year = year
    self.trackNumber = trackNumber
    self.discNumber = discNumber
    self.duration = duration
    self.file = file
    self.artworkURL = artworkURL
    self.artworkHash = artworkHash
    self.playCount = playCount
    self.lastPlayedAt = lastPlayedAt.map(DateCodec.rounded)
    self.rating = rating
    self.addedAt = addedAt.map(DateCodec.rounded)
    self.persistentID = persistentID
    self.metadata = metadata
  }

  /// The artist of the album that the track counts to: the album artist; for a compilation without one ``variousArtists``;
  /// otherwise the artist.
  public var groupArtist: String {
    if let albumArtist, !albumArtist.isEmpty { return albumArtist }
    return isCompilation ? Self.variousArtists : artist
  }

  /// False for a film, a podcast or a television programme from iTunes. ``otherKind`` says which, and such a track is on no
  /// album. A music video is music.
  public var isMusic: Bool { otherKind == nil }

  /// The kind of a track that is not music, in iTunes' words: `Movie`, `Podcast` or `TV Show`. Nil for music.
  public var otherKind: String? {
    guard metadata != .empty else { return nil }
    // Many tracks are saved at once, so the JSON is not decoded. A quote inside a text has a backslash before it, so a match
    // can only be a member.
    var text = metadata.text
    return text.withUTF8 { bytes in
      guard let base = bytes.baseAddress else { return nil }
      for start in bytes.indices where bytes[start] == UInt8(ascii: "\"") {
        for kind in Self.otherKinds
        where kind.member.count <= bytes.count - start && memcmp(base + start, kind.member, kind.member.count) == 0 {
          return kind.name
        }
      }
      return nil
    }
  }

  private static let otherKinds = ["Movie", "Podcast", "TV Show"].map { (name: $0, member: Array("\"\($0)\":\"true\"".utf8)) }

  /// Sorts tracks that are not music after all albums and artists.
  static let behindMusic = "\u{10FFFF}"

  /// This track with its dates rounded, as saving and loading would return it.
  var rounded: LibraryTrack {
    var track = self
    track.lastPlayedAt = lastPlayedAt.map(DateCodec.rounded)
    track.addedAt = addedAt.map(DateCodec.rounded)
    track.file.modifiedAt = file.modifiedAt.map(DateCodec.rounded)
    return track
  }

  /// The columns that `init(loading:)` reads, in its order.
  static let loadedColumns = [
    "id", "title", "artist", "album", "album_artist", "is_compilation", "genre", "year", "track_number", "disc_number", "duration",
    "file_url", "availability", "file_size", "file_modified_at", "content_hash", "artwork_url", "artwork_hash", "play_count",
    "last_played_at", "rating", "added_at", "persistent_id", "metadata",
  ]

  /// The same columns for a statement in which `tracks` is called `t`.
  static let joinedColumns = BoundSQL(raw: loadedColumns.map { "t.\($0)" }.joined(separator: ", "))

  init(loading row: inout StoredRow) throws {
    id = try row.id()
    title = try row.text()
    artist = try row.text()
    album = try row.text()
    albumArtist = try row.textOrNil()
    isCompilation = try row.bool()
    genre = try row.textOrNil()
    year = try row.intOrNil()
    trackNumber = try row.intOrNil()
    discNumber = try row.intOrNil()
    duration = try row.secondsOrNil()
    file = try TrackFile(loading: &row)
    artworkURL = try row.textOrNil()
    artworkHash = try row.textOrNil()
    playCount = try row.int()
    lastPlayedAt = try row.dateOrNil()
    rating = try row.intOrNil()
    addedAt = try row.dateOrNil()
    persistentID = try row.textOrNil()
    metadata = try row.json()
  }
}

extension TrackFile {
  init(loading row: inout StoredRow) throws {
    location = try row.textOrNil().map(FileLocation.init(text:))
    availability = FileAvailability(rawValue: try row.text())
    sizeBytes = try row.int64OrNil()
    modifiedAt = try row.dateOrNil()
    contentHash = try row.textOrNil()
  }
}

/// A row of `tracks`, with the columns derived for lists and search.
struct TrackRow: StoredRecord {
  static let table = "tracks"
  static let columns =
    LibraryTrack.loadedColumns + [
      "file_key", "sort_title", "sort_album", "sort_artist", "group_album", "group_artist", "guest_artist", "search_title",
      "search_artist", "search_album", "search_album_artist", "search_genre", "base_plays",
    ]
  // A new track has no rows of plays. The schema's triggers keep it for others.
  static let insertOnly = ["base_plays"]
  var track: LibraryTrack

  init(_ track: LibraryTrack) { self.track = track }

  init(row: inout StoredRow) throws {
    track = try LibraryTrack(loading: &row)
    // Derived columns. Read only to reach the end of the row.
    for _ in LibraryTrack.loadedColumns.count..<Self.columns.count - 1 { _ = try row.textOrNil() }
    _ = try row.int64OrNil()
  }

  func encode(into values: inout Values) throws {
    try values.id(track.id)
    try values.text(track.title)
    try values.text(track.artist)
    try values.text(track.album)
    try values.text(track.albumArtist)
    try values.bool(track.isCompilation)
    try values.text(track.genre)
    try values.int(track.year)
    try values.int(track.trackNumber)
    try values.int(track.discNumber)
    try values.seconds(track.duration)
    try values.text(track.file.location?.text)
    try values.text(track.file.availability.rawValue)
    try values.int64(track.file.sizeBytes)
    try values.date(track.file.modifiedAt)
    try values.text(track.file.contentHash)
    try values.text(track.artworkURL)
    try values.text(track.artworkHash)
    try values.int(track.playCount)
    try values.date(track.lastPlayedAt)
    try values.int(track.rating)
    try values.date(track.addedAt)
    try values.text(track.persistentID)
    try values.json(track.metadata)
    try values.text(track.file.location?.key)
    try values.text(SortText.folded(track.title))
    let place = track.isMusic ? "" : LibraryTrack.behindMusic
    try values.text(place + SortText.folded(track.album))
    try values.text(place + SortText.folded(track.groupArtist))
    try values.text(track.album.composed)
    try values.text(track.groupArtist.composed)
    try values.text(track.artist == track.groupArtist ? nil : track.artist.composed)
    try values.text(SearchText.segmented(track.title))
    try values.text(SearchText.segmented(track.artist))
    try values.text(SearchText.segmented(track.album))
    try values.text(track.albumArtist.flatMap(SearchText.segmented))
    try values.text(track.genre.flatMap(SearchText.segmented))
    try values.int(track.playCount)
  }
}

extension String {
  /// The text with composed accents: SQLite compares bytes, and would take two spellings of an accent for two texts.
  var composed: String { unicodeScalars.allSatisfy(Self.isComposed) ? self : precomposedStringWithCanonicalMapping }

  /// Whether no other character composes with it, and none stands for it: Latin without combining marks, kana, Chinese and Korean. False in
  /// doubt (Unicode's NFC_Quick_Check).
  private static func isComposed(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x300, 0x3041...0x3096, 0x30A1...0x30FA, 0x4E00...0x9FFF, 0xAC00...0xD7A3: true
    default: false
    }
  }
}
