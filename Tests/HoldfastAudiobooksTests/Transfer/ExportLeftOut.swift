import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("What library.json cannot hold") struct ExportLeftOut {
  private let folder: TemporaryFolder
  private let world: World
  private var target: URL { folder.file("library.json") }

  init() throws {
    folder = try TemporaryFolder()
    world = try World.inMemory()
  }

  /// What was left out as `kind field: reason`, when the player's decoder reads the rest.
  private func exported() throws -> (leftOut: [String], read: ExportedLibrary) {
    let report = try world.library.exportLibraryJSON(to: target)
    return (report.leftOut.map { "\($0.kind) \($0.field ?? "-"): \($0.reason)" }, try ExportedLibrary(contentsOf: target))
  }

  @Test(
    "a collection of a kind that the player does not know is left out and reported",
    arguments: [
      CollectionSource.ephemeralBaidu(path: "/x"), .unknown(type: "ftp", json: #"{"type":"ftp"}"#), .unknown(type: "local", json: "{}"),
      .unknown(type: "external", json: "not JSON"),
    ])
  func source(source: CollectionSource) throws {
    let kept = Sample.collection("Kept", tracks: ["One"])
    var left = Sample.collection("Left", tracks: ["Two"], seed: 2)
    left.source = Tagged(source)
    for collection in [kept, left] { try world.library.store.write({ try AudiobookLibrary.save(collection, in: $0) }) }
    let (leftOut, read) = try exported()
    #expect(leftOut == ["collections -: the player does not know a source of the kind \(left.source.type)"])
    #expect(try read == ExportedLibrary([kept]))
    #expect(try world.library.store.read { try AudiobookLibrary.collection(left.id, in: $0) } == left, "it stays in the store")
  }

  @Test("a collection with a cover of an unknown kind is left out and reported")
  func cover() throws {
    var left = Sample.collection("Left")
    left.cover = CollectionCover(.unknown(type: "gradient", json: "{}"))
    try world.library.store.write { try AudiobookLibrary.save(left, in: $0) }
    let (leftOut, read) = try exported()
    #expect(leftOut == ["collections -: the player does not know a cover of the kind gradient"])
    #expect(read.collections == [])
  }

  @Test(
    "a track whose location the player could not read is left out with its state; its collection stays",
    arguments: [
      (TrackLocation.unknown(type: "webdav", json: "{}"), "the player does not know a location of the kind webdav"),
      (.external(url: ""), "the player cannot read its URL"), (.external(url: "http://[1"), "the player cannot read its URL"),
      (.external(url: "https://example.com/三体.mp3"), "the player cannot read its URL"),
      (.external(url: "https://example.com/a b.mp3"), "the player cannot read its URL"),
      (.external(url: "https://example.com/50%.mp3"), "the player cannot read its URL"),
    ])
  func location(location: TrackLocation, reason: String) throws {
    var collection = Sample.collection("Book", tracks: ["One", "Two"])
    let left = collection.tracks[1].id
    collection.tracks[1].location = Tagged(location)
    collection.lastPlayedTrackID = left
    collection.playbackStates = [left: PlaybackState(position: 1, updatedAt: world.clock.now)]
    collection.favorites = [left: Favorite(favoritedAt: world.clock.now)]
    try world.library.store.write { try AudiobookLibrary.save(collection, in: $0) }
    let (leftOut, read) = try exported()
    #expect(leftOut == ["tracks -: \(reason)"])
    collection.tracks.removeLast()
    collection.lastPlayedTrackID = nil
    collection.playbackStates = [:]
    collection.favorites = [:]
    #expect(try read == ExportedLibrary([collection]))
  }

  @Test("damaged metadata and numbers that are not finite are left out of their record, which stays")
  func fields() throws {
    var collection = Sample.collection("Book", tracks: ["One", "Two"])
    for track in collection.tracks {
      collection.playbackStates[track.id] = PlaybackState(position: 1, duration: 2, updatedAt: world.clock.now)
    }
    try world.library.store.write { try AudiobookLibrary.save(collection, in: $0) }
    let (one, two) = (collection.tracks[0].id, collection.tracks[1].id)
    try world.store.write { tx in
      try tx.execute("UPDATE tracks SET duration = 9e999, metadata = '[1]' WHERE id = \(one)")
      try tx.execute("UPDATE playback_states SET duration = -9e999 WHERE track_id = \(one)")
      try tx.execute("UPDATE playback_states SET position = 9e999 WHERE track_id = \(two)")
    }
    let (leftOut, read) = try exported()
    #expect(
      leftOut == [
        "tracks metadata: it is not a map of texts", "tracks duration: it is not finite", "playback_states duration: it is not finite",
        "playback_states -: its position or time cannot be written",
      ])
    collection.tracks[0].duration = nil
    collection.playbackStates = [one: PlaybackState(position: 1, updatedAt: world.clock.now)]
    #expect(try read == ExportedLibrary([collection]))
  }
}
