import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("The app's protocols") struct Repositories {
  @Test("an app that knows only the two protocols loads and saves everything")
  func repositories() async throws {
    let (world, known) = try await World.prepared()
    let tracks: any TrackRepository = world.library
    let collections: any CollectionRepository = world.library
    #expect(try await tracks.loadTracks() == known.tracks)
    #expect(try await collections.loadCollections() == known.playlists)
    var changed = known.tracks[0]
    changed.title = "Title"
    try await tracks.saveTracks([changed])
    try await collections.saveCollections([known.list])
    #expect(try await tracks.loadTracks() == [changed] + known.tracks.dropFirst())
    #expect(try await collections.loadCollections() == known.playlists)
    try await tracks.saveTracks([changed], replacingAll: true)
    try await collections.saveCollections([known.list], replacingAll: true)
    #expect(try await tracks.loadTracks() == [changed])
    #expect(try await collections.loadCollections().map(\.trackIDs) == [[changed.id, changed.id]])
  }
}
