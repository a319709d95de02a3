import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@testable import Examples

@Suite("Examples", .timeLimit(.minutes(10))) struct ExampleTests {
  @Test("what the examples show does what they say")
  func examples() async throws {
    let folder = try TemporaryFolder()
    try Data([0xFF, 0xD8, 0xFF]).write(to: folder.url.appendingPathComponent("cover.jpg"))
    let library = try await keepingMusic(in: folder.url)
    let tracks = try await library.tracks()
    #expect(tracks.map(\.playCount) == [1, 0, 0])
    #expect(try await library.tracks(.rated(atLeast: 80)).items == [tracks[0]])
    #expect(Set(tracks.map(\.artworkHash)).count == 1)

    try await makingPlaylists(library, of: tracks.map(\.id))
    let lists = try await library.playlists()
    #expect(lists.map(\.name) == ["Evenings", "Quiet"])
    #expect(lists[1].trackIDs == [tracks[0].id, tracks[1].id, tracks[2].id])
    #expect(lists[1].parentID == nil)

    try await findingMusic(library, typed: "幽情")
    #expect(try await library.search("幽情").count == 3)
    let watching = Task { try await watchingPlaylist(library, lists[1].id) }
    watching.cancel()
    try await watching.value
    try library.store.close()
  }
}
