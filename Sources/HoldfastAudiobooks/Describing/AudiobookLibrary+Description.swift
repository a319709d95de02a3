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
    library.writable = writableFormats.map { FormatDescription($0.name, $0.what) }
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
    library.info = { reader in
      let numbers = try statistics(in: reader)
      return Shown(ShownBooks.numbers.members(of: numbers), [ShownBooks.numbers.facts(of: numbers)])
    }
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

  static let collections: [ShownField<AudiobookCollection>] = [
    .init("id", "ID") { .id($0.id) }, .init("title", "TITLE", shrinks: true) { .text($0.title) },
    .init("author", "AUTHOR", shrinks: true) { .text($0.author) }, .init("tracks", "TRACKS") { .count($0.tracks.count) },
    .init("total_seconds", "LENGTH") { .length(length($0)).unlessZero },
    .init("listened_seconds", "HEARD") { .length(heard($0)).unlessZero }, .init("created_at", "ADDED") { .time($0.createdAt) },
    .init("favorites") { .count($0.favorites.count) }, .init("tags") { .texts($0.tags) },
    .init("source_type") { .text($0.source.type) }, .init("updated_at") { .time($0.updatedAt) },
  ]

  private static let collection: [ShownField<AudiobookCollection>] = [
    .init("title", "title") { .text($0.title) }, .init("author", "author") { .text($0.author) },
    .init("description", "about") { .text($0.description) }, .init("tags", "tags") { .texts($0.tags) },
    .init("source", "source") { .told(.json(payload($0.source.type, $0.source.payload)), $0.source.type) },
    .init(nil, "length") { .length(length($0)) }, .init(nil, "heard") { .length(heard($0)) },
    .init("created_at", "added") { .time($0.createdAt) }, .init("updated_at", "changed") { .time($0.updatedAt) },
    .init("last_played_track_id", "last played") { book in
      .told(.id(book.lastPlayedTrackID), book.tracks.first { $0.id == book.lastPlayedTrackID }?.displayName)
    },
    .init("id", "id") { .id($0.id) },
    .init("cover") { .json(payload($0.cover.image.type, $0.cover.image.payload, ["dominant_color": .text($0.cover.dominantColorHex)])) },
    .init("tracks") { .json(.array(tracks($0).map(track.object))) },
  ]

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

  static let listedTracks: [ShownField<Track>] = [
    .init("id", "ID") { .id($0.track.id) }, .init("display_name", "TRACK", shrinks: true) { .text($0.track.displayName) },
    .init("collection_title", "COLLECTION", shrinks: true) { .text($0.collectionTitle) },
    .init("duration_seconds", "LENGTH") { .length($0.track.duration) }, .init("position_seconds", "HEARD") { .length($0.state?.position) },
    .init("is_favorite", "FAVORITE") { .flag($0.favorite != nil) }, .init("number") { .count($0.number) },
    .init("collection_id") { .id($0.collectionID) },
  ]

  private static let trackColumns: [ShownField<Track>] = [
    .init(nil, "#") { .count($0.number) }, .init(nil, "TRACK", shrinks: true) { .text($0.track.displayName) },
    .init(nil, "LENGTH") { .length($0.track.duration) }, .init(nil, "HEARD") { .length($0.state?.position) },
    .init(nil, "FAVORITE") { .flag($0.favorite != nil) }, .init(nil, "ID") { .id($0.track.id) },
  ]

  private static let track: [ShownField<Track>] = [
    .init("display_name", "track") { .text($0.track.displayName) }, .init("number", "number") { .count($0.number) },
    .init("filename", "file") { .text($0.track.filename) }, .init("file_size", "size") { .size($0.track.fileSize) },
    .init("duration_seconds", "length") { .length($0.track.duration) },
    .init("location", "location") { .told(.json(payload($0.track.location.type, $0.track.location.payload)), $0.track.location.type) },
    .init("playback", "heard") { track in
      .told(
        .json(track.state.map(state.object) ?? .null),
        track.state.map { "\(ShownValue.length($0.position).words) at \(ShownValue.time($0.updatedAt).words)" })
    },
    .init("is_favorite", "favorite") { track in
      .told(.flag(track.favorite != nil), track.favorite.map { "yes \(ShownValue.time($0.favoritedAt).words)" })
    },
    .init("id", "id") { .id($0.track.id) }, .init("track_number") { .count(Int($0.track.trackNumber)) },
    .init("checksum") { .text($0.track.checksum) }, .init("original_id") { .id($0.track.originalID) },
    .init("metadata") { .stored($0.track.metadata.text) }, .init("favorited_at") { .time($0.favorite?.favoritedAt) },
  ]

  private static let state: [ShownField<PlaybackState>] = [
    .init("position_seconds") { .length($0.position) }, .init("duration_seconds") { .length($0.duration) },
    .init("updated_at") { .time($0.updatedAt) },
  ]

  static func shown(_ one: Track) -> Shown {
    var shown = track.shown("track", one)
    shown.members["collection_id"] = ShownValue.id(one.collectionID).json
    shown.members["collection_title"] = .string(one.collectionTitle)
    return shown
  }

  static let resume: [ShownField<ResumePoint>] = [
    .init("collection_title", "collection") { .text($0.collectionTitle) }, .init("track_name", "track") { .text($0.trackName) },
    .init("position_seconds", "at") { point in
      let length = point.state.duration.map { " of \(ShownValue.length($0).words)" } ?? ""
      return .told(.length(point.state.position), ShownValue.length(point.state.position).words + length)
    },
    .init("updated_at", "heard") { .time($0.state.updatedAt) }, .init("track_id", "id") { .id($0.trackID) },
    .init("collection_id") { .id($0.collectionID) }, .init("duration_seconds") { .length($0.state.duration) },
  ]

  // MARK: Search

  static let hits: [ShownField<SearchHit>] = [
    .init(nil, "KIND") { if case .collection = $0 { .text("collection") } else { .text("track") } },
    .init(nil, "ID") { hit in
      switch hit {
      case .collection(let id, _, _), .track(let id, _, _, _): .id(id)
      }
    },
    .init(nil, "FOUND", shrinks: true) { hit in
      switch hit {
      case .collection(_, let name, _), .track(_, let name, _, _): .text(name)
      }
    },
    .init(nil, "IN", shrinks: true) { hit in
      switch hit {
      case .collection(_, _, let author): .text(author)
      case .track(_, _, _, let title): .text(title)
      }
    },
  ]

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

  static let numbers: [ShownField<LibraryStatistics>] = [
    .init("collections", "collections") {
      .told(.count($0.collections), "\($0.collections), \($0.finishedCollections) finished, \($0.collectionsInProgress) in progress")
    },
    .init("tracks", "tracks") {
      .told(.count($0.tracks), "\($0.tracks), \($0.finishedTracks) finished, \($0.tracksInProgress) in progress")
    },
    .init("total_seconds", "length") { .length($0.totalSeconds) }, .init("listened_seconds", "heard") { .length($0.listenedSeconds) },
    .init("favorites", "favorites") { .count($0.favorites) }, .init("finished_tracks") { .count($0.finishedTracks) },
    .init("tracks_in_progress") { .count($0.tracksInProgress) }, .init("finished_collections") { .count($0.finishedCollections) },
    .init("collections_in_progress") { .count($0.collectionsInProgress) },
  ]

  private static let sums: [ShownField<LibraryStatistics>] = [
    .init("collections", "collections") { .count($0.collections) }, .init("tracks", "tracks") { .count($0.tracks) },
    .init("favorites", "favorites") { .count($0.favorites) }, .init("total_seconds", "length") { .length($0.totalSeconds) },
    .init("listened_seconds", "heard") { .length($0.listenedSeconds) },
    .init("collections_by_progress") {
      progress($0.collections, finished: $0.finishedCollections, inProgress: $0.collectionsInProgress).json
    },
    .init("tracks_by_progress") { progress($0.tracks, finished: $0.finishedTracks, inProgress: $0.tracksInProgress).json },
  ]

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
