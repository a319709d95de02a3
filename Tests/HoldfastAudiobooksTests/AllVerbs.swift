import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting

/// Every verb of the library once, on the same small library, for the checks that must leave none out.
typealias VerbCase = LibraryVerb<AudiobookLibrary, Known>
typealias Live = LibraryUpdates<AudiobookLibrary, Known>

/// What the library holds before a verb.
struct Known: Sendable {
  var book: AudiobookCollection
  var other: AudiobookCollection
  var first: UUID { book.tracks[0].id }
  var last: UUID { book.tracks[2].id }
}

extension VerbCase {
  /// A book of three tracks, of which the first was heard, is a favourite and was played last; and another book.
  static func prepare(_ world: World) async throws -> Known {
    var book = Sample.collection("Book", author: "Author", tracks: ["One", "Two", "Three"], created: world.clock.advance())
    let state = PlaybackState(position: 5, updatedAt: world.clock.now)
    book.playbackStates = [book.tracks[0].id: state]
    book.lastPlayedTrackID = book.tracks[0].id
    book.favorites = [book.tracks[0].id: Favorite(favoritedAt: world.clock.now)]
    book.tags = ["tag", "two"]
    let other = Sample.collection("Other", tracks: ["Four"], created: world.clock.advance(), seed: 2)
    try await world.library.save(book)
    try await world.library.save(other)
    world.clock.advance()
    return Known(book: book, other: other)
  }

  static var everything: Set<String> { ["collections", "tracks", "playback_states", "favorites", "tags"] }

  static var writes: [VerbCase] {
    [
      VerbCase(name: "save a new collection", changes: everything) { library, _ in
        var new = Sample.collection("New", tracks: ["Five"], seed: 3)
        new.playbackStates = [new.tracks[0].id: PlaybackState(position: 1, updatedAt: new.createdAt)]
        new.favorites = [new.tracks[0].id: Favorite(favoritedAt: nil)]
        new.tags = ["new"]
        try await library.save(new)
      },
      VerbCase(name: "save what is there") { library, known in try await library.save(known.book) },
      saving("another title", changes: ["collections"]) { $0.title = "Title" },
      saving("without a favourite", changes: ["favorites"]) { $0.favorites = [:] },
      saving("other tags", changes: ["tags"]) { $0.tags = ["other"] },
      saving("a newer state", changes: ["playback_states"]) { book in
        book.playbackStates[book.tracks[0].id]?.position = 9
        book.playbackStates[book.tracks[0].id]?.updatedAt += 5
      },
      saving("without a track", changes: ["tracks"]) { $0.tracks.removeLast() },
      saving("another order", changes: ["tracks"]) { $0.tracks.swapAt(0, 2) },
      VerbCase(name: "delete a collection", changes: everything) { library, known in try await library.deleteCollection(known.book.id) },
      VerbCase(name: "rename a collection", changes: ["collections"]) { library, known in
        try await library.renameCollection(known.book.id, to: "Title")
      },
      VerbCase(name: "add tracks", changes: ["collections", "tracks"]) { library, known in
        var random = SeededGenerator(seed: 50)
        try await library.addTracks([Sample.track(&random)], to: known.book.id)
      },
      VerbCase(name: "add tracks before another", changes: ["collections", "tracks"]) { library, known in
        var random = SeededGenerator(seed: 51)
        try await library.addTracks([Sample.track(&random)], to: known.book.id, before: known.first)
      },
      VerbCase(name: "remove tracks", changes: ["collections", "tracks", "playback_states", "favorites"]) { library, known in
        try await library.removeTracks([known.first])
      },
      VerbCase(name: "move a track", changes: ["collections", "tracks"]) { library, known in
        try await library.moveTrack(known.last, before: known.first)
      },
      VerbCase(name: "update tracks", changes: ["collections", "tracks"]) { library, known in
        var track = known.book.tracks[1]
        track.fileSize = 9
        try await library.updateTracks([track])
      },
      VerbCase(name: "rename a track", changes: ["collections", "tracks"]) { library, known in
        try await library.renameTrack(known.first, to: "Name")
      },
      VerbCase(name: "save progress", changes: ["collections", "playback_states"]) { library, known in
        try await library.savePlaybackState(PlaybackState(position: 7, updatedAt: known.book.createdAt + 9), of: known.first)
      },
      VerbCase(name: "clear progress", changes: ["collections", "playback_states"]) { library, known in
        try await library.clearPlaybackState(of: known.first)
      },
      VerbCase(name: "set a favourite", changes: ["collections", "favorites"]) { library, known in
        try await library.setFavorite(true, track: known.last)
      },
      VerbCase(name: "set no favourite", changes: ["collections", "favorites"]) { library, known in
        try await library.setFavorite(false, track: known.first)
      },
      VerbCase(name: "toggle a favourite", changes: ["collections", "favorites"]) { library, known in
        try await library.toggleFavorite(track: known.last)
      },
      VerbCase(name: "add a tag", changes: ["collections", "tags"]) { library, known in try await library.addTag("new", to: known.book.id)
      },
      VerbCase(name: "add a tag that is there") { library, known in try await library.addTag("tag", to: known.book.id) },
      VerbCase(name: "remove a tag", changes: ["collections", "tags"]) { library, known in
        try await library.removeTag("tag", from: known.book.id)
      },
      VerbCase(name: "change nothing") { library, known in
        try await library.deleteCollection(UUID())
        try await library.renameCollection(UUID(), to: "Title")
        try await library.renameTrack(UUID(), to: "Name")
        try await library.removeTracks([UUID()])
        try await library.moveTrack(known.last, before: nil)
        try await library.updateTracks(known.book.tracks)
        try await library.clearPlaybackState(of: known.last)
        try await library.setFavorite(true, track: known.first)
        try await library.setFavorite(false, track: known.last)
        try await library.removeTag("new", from: known.book.id)
      },
    ]
  }

  /// Saves the book after a change.
  private static func saving(
    _ what: String, changes: Set<String>, _ change: @escaping @Sendable (inout AudiobookCollection) -> Void
  ) -> VerbCase {
    VerbCase(name: "save \(what)", changes: changes) { library, known in
      var book = known.book
      change(&book)
      try await library.save(book)
    }
  }

  static var updates: [Live] {
    [
      Live(name: "all", { library, _ in library.collectionUpdates() }, reading: { library, _ in try await library.collections() }),
      Live(
        name: "one", { library, known in library.collectionUpdates(known.book.id) },
        reading: { library, known in try await library.collection(known.book.id) }),
      Live(name: "resume", { library, _ in library.resumePointUpdates() }, reading: { library, _ in try await library.resumePoint() }),
      Live(
        name: "resume in a collection", { library, known in library.resumePointUpdates(in: known.book.id) },
        reading: { library, known in try await library.resumePoint(in: known.book.id) }),
      Live(name: "favourites", { library, _ in library.favoriteUpdates() }, reading: { library, _ in try await library.favorites().items }),
      Live(name: "tags", { library, _ in library.tagUpdates() }, reading: { library, _ in try await library.tags() }),
      Live(name: "count", { library, _ in library.statisticsUpdates() }, reading: { library, _ in try await library.statistics() }),
    ]
  }

  static var reads: [VerbCase] {
    [
      VerbCase(name: "load all") { library, _ in _ = try await library.collections() },
      VerbCase(name: "load one") { library, known in _ = try await library.collection(known.book.id) },
      VerbCase(name: "load a page") { library, _ in
        let page = try await library.collections(after: nil, limit: 1)
        _ = try await library.collections(after: page.next, limit: 1)
      },
      VerbCase(name: "load a track") { library, known in _ = try await library.track(known.first) },
      VerbCase(name: "load a state") { library, known in _ = try await library.playbackState(of: known.first) },
      VerbCase(name: "load all states") { library, _ in _ = try await library.playbackStates() },
      VerbCase(name: "resume in a collection") { library, known in _ = try await library.resumePoint(in: known.book.id) },
      VerbCase(name: "resume") { library, _ in _ = try await library.resumePoint() },
      VerbCase(name: "list favourites") { library, _ in
        _ = try await library.favorites()
        _ = try await library.favorites(after: try library.favorites(limit: 1).next, limit: 1)
      },
      VerbCase(name: "list tags") { library, _ in _ = try await library.tags() },
      VerbCase(name: "load by tag") { library, _ in _ = try await library.collections(taggedWith: "tag") },
      VerbCase(name: "search") { library, _ in
        _ = try await library.search("one")
        _ = try await library.search("one", ranked: true)
      },
      VerbCase(name: "count") { library, _ in _ = try await library.statistics() },
      VerbCase(name: "most heard") { library, _ in _ = try await library.mostHeard() },
    ]
  }
}
