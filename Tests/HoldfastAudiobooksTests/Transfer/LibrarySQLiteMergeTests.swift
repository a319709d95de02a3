import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer
import Testing

/// A `library.sqlite` that comes a second time, into a library that has it already.
@Suite struct LibrarySQLiteMergeTests {
  private typealias Old = OldDatabase
  private let id = UUID(uuidString: OldDatabase.book)
  private let track = UUID(uuidString: OldDatabase.first)

  private func imported() throws -> ImportFolder {
    let folder = try ImportFolder([Old.collection(), Old.track(), Old.state()])
    _ = try folder.importing()
    return folder
  }

  @Test("a source that is newer by its own time is merged")
  func sourceNewer() throws {
    let folder = try imported()
    try folder.change { _ = try $0.store.write { try AudiobookLibrary.renameCollection(try #require(id), to: "mine", in: $0) } }
    try folder.execute([
      "UPDATE collections SET title = 'theirs', updated_at = '2099-01-01 00:00:00.000'", "UPDATE tracks SET display_name = 'new name'",
      "UPDATE playback_states SET position = 800, updated_at = '2099-01-01 00:00:00.000'",
    ])
    #expect(
      try folder.importing() == ["collections 1 = 0 + 1 + 0 + 0", "tracks 1 = 0 + 1 + 0 + 0", "playback_states 1 = 0 + 1 + 0 + 0"])
    let stored = try #require(folder.collections().first)
    #expect([stored.title, stored.tracks.first?.displayName ?? ""] == ["theirs", "new name"])
    #expect(stored.playbackStates.values.map(\.position) == [800])
    #expect(try folder.files().keys.sorted() == ["library.sqlite", "library.sqlite.backup", "library.sqlite.backup-2"])
  }

  @Test("a last played track that the listener deleted since is nobody's last played one")
  func deletedLastPlayed() throws {
    let folder = try imported()
    try folder.execute(["UPDATE collections SET last_played_track_id = '\(OldDatabase.first)', updated_at = '2098-01-01 00:00:00.000'"])
    _ = try folder.importing()
    #expect(try folder.collections().first?.lastPlayedTrackID == track)
    try folder.change { _ = try $0.store.write { try AudiobookLibrary.removeTracks([try #require(track)], in: $0) } }
    try folder.execute(["UPDATE collections SET updated_at = '2099-01-01 00:00:00.000'"])
    _ = try folder.importing()
    #expect(try folder.collections().first?.lastPlayedTrackID == nil)
    try folder.change { library in
      let findings = try library.store.integrityCheck().findings
      #expect(findings == [])
    }
  }
}
