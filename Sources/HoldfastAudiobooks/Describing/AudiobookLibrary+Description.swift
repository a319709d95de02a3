import Foundation
import Holdfast
public import HoldfastTransfer

extension AudiobookLibrary {
  /// The library's formats, lists, kinds and counts, for the command line.
  public static let description: LibraryDescription = {
    var library = LibraryDescription(schema)
    library.readable = [
      FormatDescription("library-json", "the player's own library.json, schemaVersion 1 to 3") { source in
        if source.member("schemaVersion") != nil { return .certain }
        guard let collections = source.member("collections") else { return nil }
        if collections.keys.isEmpty { return source.member("tracks") == nil ? .possible : nil }
        return collections.keys.isDisjoint(with: ["title", "coverAsset", "tracks", "playbackStates"]) ? nil : .certain
      },
      FormatDescription("library-sqlite", "the player's first database, library.sqlite") { source in
        guard let tables = source.tables, tables.isSuperset(of: ["collections", "tracks"]) else { return nil }
        // A music player's database has tables of these names, too.
        return tables.contains("collection_tracks") ? nil : .certain
      },
      FormatDescription("audiobookshelf-json", "answers of an Audiobookshelf server: its items with their files, and a user's positions") {
        AudiobookshelfJSON.isLike($0) ? .certain : nil
      },
      FormatDescription("audiobookshelf-sqlite", "the database of an Audiobookshelf server, absdatabase.sqlite") { source in
        source.tables.map(AudiobookshelfSQLite.isLike) == true ? .certain : nil
      },
      .portable,
    ]
    library.writable = [
      .documentedExport,
      FormatDescription("library-json", "the player's own library.json, schemaVersion 3"),
    ]
    library.counted = [("collections", "collection", "collections"), ("tracks", "track", "tracks")]
    library.lists = [
      ListDescription("collections", "newest first", ShownBooks.collections) {
        try statistics(in: $0).collections
      } page: {
        try collections(after: $1, limit: $2, in: $0)
      },
      ListDescription("tracks", "by collection", ShownBooks.listedTracks) {
        try $0.count("SELECT count(*) FROM tracks")
      } page: { reader, key, limit in
        let page = try collections(after: key, limit: limit, in: reader)
        return Page(items: page.items.flatMap(ShownBooks.tracks), next: page.next)
      },
    ]
    library.kinds = [
      ShownKind("collection", "id, title", from: "collections") { id, reader in try collection(id, in: reader).map(ShownBooks.shown) },
      // Chapters of many books have the same name, and a book may have the name of its only track.
      ShownKind(
        "track", "id, display_name, (SELECT title FROM collections WHERE id = collection_id)", from: "tracks", yields: true,
        label: { "\($0), \(try $1.text())" }
      ) { id, reader in
        let book = try collectionID(ofTrack: id, in: reader).flatMap { try collection($0, in: reader) }
        return book.map(ShownBooks.tracks)?.first { $0.track.id == id }.map(ShownBooks.shown)
      },
    ]
    library.searched = "titles, authors and track names"
    library.search = { text, ranked, limit, reader in
      let hits = try search(text, ranked: ranked, limit: limit, in: reader)
      return (hits.map(ShownBooks.json), [ShownBooks.hits.table(of: hits)])
    }
    library.info = { ShownBooks.numbers.shown(try statistics(in: $0)) }
    library.stats = ShownBooks.stats
    library.resume = { reader in try resumePoint(in: reader).map { ShownBooks.resume.shown("resume", $0) } }
    library.importing = { try importLibrary($0) }
    library.exporting = { store, url, format, _ in
      try format == "library-json" ? AudiobookLibrary(store).exportLibraryJSON(to: url) : store.export(to: url)
    }
    return library
  }()
}

/// What the command line shows of audiobooks.
private enum ShownBooks {
  // MARK: Collections

  static let collections = ShownFields<AudiobookCollection>([
    "tracks": { .count($0.tracks.count) }, "total_seconds": { .length(length($0)).unlessZero },
    "listened_seconds": { .length(heard($0)).unlessZero }, "favorites": { .count($0.favorites.count) },
    "source_type": { .text($0.source.type) },
  ]).titled([
    "id": "ID", "title": .flexible("TITLE"), "author": .flexible("AUTHOR"), "tracks": "TRACKS", "total_seconds": "LENGTH",
    "listened_seconds": "HEARD", "created_at": "ADDED", "favorites": nil, "tags": nil, "source_type": nil, "updated_at": nil,
  ])

  private static let collection = ShownFields<AudiobookCollection>([
    "source": { .told(.json(payload($0.source.type, $0.source.payload)), $0.source.type) },
    "length": { .length(length($0)) }, "heard": { .length(heard($0)) },
    "last_played_track_id": { book in
      .told(.id(book.lastPlayedTrackID), book.tracks.first { $0.id == book.lastPlayedTrackID }?.displayName)
    },
    "cover": { .json(payload($0.cover.image.type, $0.cover.image.payload, ["dominant_color": .text($0.cover.dominantColorHex)])) },
    "tracks": { .json(.array(tracks($0).map(trackFacts.object))) },
  ]).titled([
    "title": "title", "author": "author", "description": "about", "tags": "tags", "source": "source", "length": .people("length"),
    "heard": .people("heard"), "created_at": "added", "updated_at": "changed", "last_played_track_id": "last played", "id": "id",
    "cover": nil, "tracks": nil,
  ])

  static func shown(_ book: AudiobookCollection) -> Shown {
    collection.shown("collection", book, trackColumns.table(of: tracks(book)))
  }

  private static func length(_ book: AudiobookCollection) -> Double { book.tracks.reduce(0) { $0 + ($1.duration ?? 0) } }
  private static func heard(_ book: AudiobookCollection) -> Double { book.playbackStates.values.reduce(0) { $0 + $1.position } }
  private static func payload(_ type: String, _ payload: String, _ more: [String: JSONValue] = [:]) -> JSONValue {
    .object(more.merging(["type": .string(type), "payload": ShownValue.stored(payload).json]) { own, _ in own })
  }

  // MARK: Tracks

  /// A track with its number in the collection, and what the listener did with it.
  struct Track: Sendable {
    let track: AudiobookTrack
    let number: Int
    let state: PlaybackState?
    let favorite: Favorite?
    let collectionID: UUID
    let collectionTitle: String
  }

  static func tracks(_ book: AudiobookCollection) -> [Track] {
    book.tracks.enumerated().map { place, track in
      Track(
        track: track, number: place + 1, state: book.playbackStates[track.id], favorite: book.favorites[track.id], collectionID: book.id,
        collectionTitle: book.title)
    }
  }

  private static let track = ShownFields<Track>([
    // A library may have very many tracks; see `ShownFields`.
    "id": { .id($0.track.id) }, "display_name": { .text($0.track.displayName) }, "collection_title": { .text($0.collectionTitle) },
    "number": { .count($0.number) }, "collection_id": { .id($0.collectionID) },
    "duration_seconds": { .length($0.track.duration) }, "position_seconds": { .length($0.state?.position) },
    "is_favorite": { .flag($0.favorite != nil) }, "file_size": { .size($0.track.fileSize) },
    "location": { .told(.json(payload($0.track.location.type, $0.track.location.payload)), $0.track.location.type) },
    "playback": { track in
      .told(
        .json(track.state.map(state.object) ?? .null),
        track.state.map { "\(ShownValue.length($0.position).words) at \(ShownValue.time($0.updatedAt).words)" })
    },
  ])

  static let listedTracks = track.titled([
    "id": "ID", "display_name": .flexible("TRACK"), "collection_title": .flexible("COLLECTION"), "duration_seconds": "LENGTH",
    "position_seconds": "HEARD", "is_favorite": "FAVORITE", "number": nil, "collection_id": nil,
  ])

  private static let trackColumns = track.titled([
    "number": "#", "display_name": .flexible("TRACK"), "duration_seconds": "LENGTH", "position_seconds": "HEARD",
    "is_favorite": "FAVORITE", "id": "ID",
  ])

  private static let trackFacts =
    track.titled([
      "display_name": "track", "number": "number", "filename": "file", "file_size": "size", "duration_seconds": "length",
      "location": "location", "playback": "heard",
    ]) + [
      ShownField("is_favorite", "favorite") { track in
        .told(.flag(track.favorite != nil), track.favorite.map { "yes \(ShownValue.time($0.favoritedAt).words)" })
      }
    ]
    + track.titled([
      "id": "id", "track_number": nil, "checksum": nil, "original_id": nil, "metadata": nil, "favorited_at": nil,
    ])

  private static let state = ShownFields<PlaybackState>([
    "position_seconds": { .length($0.position) }, "duration_seconds": { .length($0.duration) },
  ]).titled(["position_seconds": nil, "duration_seconds": nil, "updated_at": nil])

  static func shown(_ one: Track) -> Shown {
    var shown = trackFacts.shown("track", one)
    shown.members["collection_id"] = ShownValue.id(one.collectionID).json
    shown.members["collection_title"] = .string(one.collectionTitle)
    return shown
  }

  static let resume = ShownFields<ResumePoint>([
    "position_seconds": { point in
      let length = point.state.duration.map { " of \(ShownValue.length($0).words)" } ?? ""
      return .told(.length(point.state.position), ShownValue.length(point.state.position).words + length)
    },
    "duration_seconds": { .length($0.state.duration) },
  ]).titled([
    "collection_title": "collection", "track_name": "track", "position_seconds": "at", "updated_at": "heard", "track_id": "id",
    "collection_id": nil, "duration_seconds": nil,
  ])

  // MARK: Search

  static let hits: [ShownField<SearchHit>] = [
    .init(nil, "KIND") { .text(cells($0).kind) }, .init(nil, "ID") { .id(cells($0).id) },
    .init(nil, "FOUND", shrinks: true) { .text(cells($0).name) }, .init(nil, "IN", shrinks: true) { .text(cells($0).whose) },
  ]

  private static func cells(_ hit: SearchHit) -> (kind: String, id: UUID, name: String, whose: String?) {
    switch hit {
    case .collection(let id, let title, let author): ("collection", id, title, author)
    case .track(let id, let name, _, let collection): ("track", id, name, collection)
    }
  }

  static func json(_ hit: SearchHit) -> JSONValue {
    switch hit {
    case .collection(let id, let title, let author):
      .object(["kind": .string("collection"), "id": ShownValue.id(id).json, "title": .string(title), "author": .text(author)])
    case .track(let id, let name, let collectionID, let title):
      .object([
        "kind": .string("track"), "id": ShownValue.id(id).json, "name": .string(name),
        "collection_id": ShownValue.id(collectionID).json, "collection_title": .string(title),
      ])
    }
  }

  // MARK: Numbers

  static let numbers = ShownFields<LibraryStatistics>([
    "collections": {
      .told(.count($0.collections), "\($0.collections), \($0.finishedCollections) finished, \($0.collectionsInProgress) in progress")
    },
    "tracks": { .told(.count($0.tracks), "\($0.tracks), \($0.finishedTracks) finished, \($0.tracksInProgress) in progress") },
  ]).titled([
    "collections": "collections", "tracks": "tracks", "total_seconds": "length", "listened_seconds": "heard", "favorites": "favorites",
    "finished_tracks": nil, "tracks_in_progress": nil, "finished_collections": nil, "collections_in_progress": nil,
  ])

  private static let sums = ShownFields<LibraryStatistics>([
    "collections_by_progress": {
      progress($0.collections, finished: $0.finishedCollections, inProgress: $0.collectionsInProgress).json
    },
    "tracks_by_progress": { progress($0.tracks, finished: $0.finishedTracks, inProgress: $0.tracksInProgress).json },
  ]).titled([
    "collections": "collections", "tracks": "tracks", "favorites": "favorites", "total_seconds": "length", "listened_seconds": "heard",
    "collections_by_progress": nil, "tracks_by_progress": nil,
  ])

  static func stats(_ reader: Reader) throws -> Shown {
    let numbers = try AudiobookLibrary.statistics(in: reader)
    let heard = try AudiobookLibrary.mostHeard(limit: 10, in: reader)
    let collections = progress(numbers.collections, finished: numbers.finishedCollections, inProgress: numbers.collectionsInProgress)
    let tracks = progress(numbers.tracks, finished: numbers.finishedTracks, inProgress: numbers.tracksInProgress)
    var shown = Shown(
      sums.members(of: numbers),
      [
        sums.facts(of: numbers), .chart(title: "Collections by progress", .init(collections.lines)),
        .chart(title: "Tracks by progress", .init(tracks.lines)),
        .chart(title: "Most heard", heard.map { ($0.title, $0.listenedSeconds, ShownValue.length($0.listenedSeconds).words) }),
      ])
    shown.members["most_heard"] = ShownProperties().list(of: heard).json
    return shown
  }

  /// How many are finished, how many are in progress, and how many are neither.
  private static func progress(_ all: Int, finished: Int, inProgress: Int) -> (lines: [(String, Int)], json: ShownValue) {
    let rest = max(0, all - finished - inProgress)
    let counts = ["finished": finished, "in_progress": inProgress, "not_begun": rest]
    return (
      all > 0 ? [("finished", finished), ("in progress", inProgress), ("not begun", rest)] : [],
      .json(.object(counts.mapValues { .integer(Int64($0)) }))
    )
  }
}
