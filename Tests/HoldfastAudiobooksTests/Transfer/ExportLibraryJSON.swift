import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Export to library.json") struct ExportLibraryJSON {
  private let folder: TemporaryFolder
  private var target: URL { folder.file("library.json") }

  init() throws { folder = try TemporaryFolder() }

  @Test("the player's own decoder reads an export to equal values at whole seconds", arguments: [UInt64(1), 2, 3])
  func equalValues(seed: UInt64) throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<40 { try world.library.store.write({ try AudiobookLibrary.save(Sample.playersCollection(&random), in: $0) }) }
    let report = try world.library.exportLibraryJSON(to: target)
    let collections = try world.library.store.read { try AudiobookLibrary.collections(in: $0) }
    #expect(try ExportedLibrary(contentsOf: target) == ExportedLibrary(collections), "seed \(seed)")
    #expect(report.leftOut == [])
    #expect(
      report.counts == [
        "collections": 40, "tracks": collections.reduce(0) { $0 + $1.tracks.count },
        "playback_states": collections.reduce(0) { $0 + $1.playbackStates.count },
        "favorites": collections.reduce(0) { $0 + $1.favorites.count }, "tags": collections.reduce(0) { $0 + $1.tags.count },
      ])
    #expect(report.bytes == Int64(try Data(contentsOf: target).count))
  }

  @Test("exporting an unchanged library twice gives identical bytes", arguments: [UInt64(4), 5])
  func sameBytes(seed: UInt64) throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<20 { try world.library.store.write({ try AudiobookLibrary.save(Sample.collection(&random), in: $0) }) }
    let first = try world.library.exportLibraryJSON(to: target)
    let bytes = try Data(contentsOf: target)
    #expect(try world.library.exportLibraryJSON(to: target) == first)
    #expect(try Data(contentsOf: target) == bytes, "seed \(seed)")
    #expect(try folder.contents() == ["library.json"])
  }

  @Test("an export looks as the player writes it: indented, sorted, slashes escaped, upper-case ids, no nil, a flat list of states")
  func shape() throws {
    let world = try World.inMemory()
    var collection = Sample.collection("A/B", tracks: ["One"])
    collection.id = try #require(UUID(uuidString: "7c9e6679-7425-40de-944b-e07fc1f90ae7"))
    collection.tracks[0].id = try #require(UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
    collection.playbackStates = [collection.tracks[0].id: PlaybackState(position: 754.2, updatedAt: world.clock.advance(milliseconds: 999))]
    try world.library.store.write { try AudiobookLibrary.save(collection, in: $0) }
    _ = try world.library.exportLibraryJSON(to: target)
    #expect(try String(contentsOf: target, encoding: .utf8) == Self.expected)
  }

  private static let expected = #"""
    {
      "collections" : [
        {
          "coverAsset" : {
            "kind" : {
              "colorHex" : "#5B8DEF",
              "type" : "solid"
            }
          },
          "createdAt" : "2026-01-01T00:00:00Z",
          "id" : "7C9E6679-7425-40DE-944B-E07FC1F90AE7",
          "playbackStates" : [
            "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
            {
              "position" : 754.2,
              "updatedAt" : "2026-01-01T00:00:00Z"
            }
          ],
          "source" : {
            "description" : "test",
            "type" : "external"
          },
          "tags" : [

          ],
          "title" : "A\/B",
          "tracks" : [
            {
              "displayName" : "One",
              "duration" : 600,
              "fileSize" : 0,
              "filename" : "1.mp3",
              "id" : "E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
              "isFavorite" : false,
              "location" : {
                "type" : "external",
                "url" : "https:\/\/example.com\/1"
              },
              "metadata" : {

              },
              "trackNumber" : 1
            }
          ],
          "updatedAt" : "2026-01-01T00:00:00Z"
        }
      ],
      "schemaVersion" : 3
    }
    """#

  @Test("importing an export into an empty store gives the same library again", arguments: [UInt64(6), 7])
  func roundTrip(seed: UInt64) throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: seed)
    for _ in 0..<25 {
      try world.library.store.write { try AudiobookLibrary.save(Sample.playersCollection(&random, wholeSeconds: true), in: $0) }
    }
    _ = try world.library.exportLibraryJSON(to: target)
    let report = try AudiobookLibrary.importLibrary(from: target, into: folder.file("store.sqlite"))
    #expect(report.isClean && report.verified)
    let imported = try AudiobookLibrary.open(at: folder.file("store.sqlite"))
    #expect(
      try imported.store.read { try AudiobookLibrary.collections(in: $0) }
        == world.library.store.read { try AudiobookLibrary.collections(in: $0) }, "seed \(seed)")
  }

  @Test("a track under a derived id is exported under its original one, and comes back under the same ids")
  func originalID() async throws {
    var first = Sample.collection("First", tracks: ["One"], created: Date(timeIntervalSince1970: 1_700_000_000))
    first.favorites = [first.tracks[0].id: Favorite(favoritedAt: nil)]
    // Newer, so it comes first on the shelf, and must not come first in the file.
    var second = Sample.collection("Second", tracks: ["Two"], seed: 2)
    second.tracks[0].id = first.tracks[0].id
    second.lastPlayedTrackID = second.tracks[0].id
    second.playbackStates = [second.tracks[0].id: PlaybackState(position: 5, updatedAt: second.createdAt)]
    let text = try [first, second].map { String(decoding: try $0.playerPayload(), as: UTF8.self) }.joined(separator: ",")
    try Data(#"{"schemaVersion":3,"collections":[\#(text)]}"#.utf8).write(to: target)

    let (one, two) = (folder.file("one.sqlite"), folder.file("two.sqlite"))
    _ = try await AudiobookLibrary.importLibrary(from: target, into: one)
    let library = try AudiobookLibrary.open(at: one)
    let copy = folder.file("copy.json")
    #expect(try library.exportLibraryJSON(to: copy).leftOut == [])
    let read = try ExportedLibrary(contentsOf: copy)
    #expect(read.collections.flatMap { $0.tracks.map(\.id) } == [first.tracks[0].id, first.tracks[0].id])
    #expect(read.collections.last?.lastPlayedTrackId == first.tracks[0].id)
    _ = try await AudiobookLibrary.importLibrary(from: copy, into: two)
    #expect(try await AudiobookLibrary.open(at: two).collections() == library.store.read { try AudiobookLibrary.collections(in: $0) })
  }

  @Test("two tracks of one collection are never exported under one id")
  func originalIDTaken() throws {
    let world = try World.inMemory()
    let collection = Sample.collection("Book", tracks: ["One", "Two", "Three"])
    try world.library.store.write { try AudiobookLibrary.save(collection, in: $0) }
    let ids = collection.tracks.map(\.id)
    try world.store.write { tx in
      _ = try tx.execute("UPDATE tracks SET original_id = \(ids[1]) WHERE id <> \(ids[1])")
    }
    _ = try world.library.exportLibraryJSON(to: target)
    #expect(try ExportedLibrary(contentsOf: target).collections[0].tracks.map(\.id) == ids)
  }
}
