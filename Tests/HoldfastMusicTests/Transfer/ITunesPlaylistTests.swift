import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("iTunes's playlists") struct ITunesPlaylistTests {
  private let tracks = (1...3).map { ITunes.track($0) }

  @Test("a playlist keeps its order and its repetitions, and an entry of a track that is not there is quarantined")
  func repeats() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library(tracks, [ITunes.playlist(20, "Mix", [2, 1, 2, 2, 9, 3])])
    #expect(
      try world.importing(source) == """
        tracks 3: 3 imported
        collections 1: 1 imported
        collection_tracks 6: 5 imported, 1 quarantined
        Playlists[0].Playlist Items[4]: there is no such track
        """)
    #expect(try world.lists() == "Mix: song 2, song 1, song 2, song 2, song 3")
    #expect(try world.quarantine() == ["<dict><key>Track ID</key><integer>109</integer></dict>"])
    #expect(
      try world.importing(source) == """
        tracks 3: 3 skipped
        collections 1: 1 skipped
        collection_tracks 6: 5 skipped, 1 quarantined
        skipped 9: in the store already
        Playlists[0].Playlist Items[4]: there is no such track
        """)
  }

  @Test("folders may stand behind what is in them; a folder that is not there, or is inside itself, is left")
  func folders() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library(
      tracks,
      [
        ITunes.playlist(20, "Inside", [1], more: ITunes.parent(22)), ITunes.playlist(21, "Deep", [2], more: ITunes.parent(23)),
        ITunes.playlist(22, "Folder", more: ITunes.folder + "<key>Smart Info</key><data>AQEA</data>"),
        ITunes.playlist(23, "Subfolder", more: ITunes.folder + ITunes.parent(22)),
        ITunes.playlist(24, "Lost", [3], more: ITunes.parent(99)), ITunes.playlist(25, "In a list", more: ITunes.parent(20)),
        ITunes.playlist(26, "A", more: ITunes.folder + ITunes.parent(27)),
        ITunes.playlist(27, "B", more: ITunes.folder + ITunes.parent(26)),
        ITunes.playlist(28, "Bad", more: ITunes.string("Parent Persistent ID", "x")),
      ])
    let stays = "a known list keeps its folder, and a new list is put into no folder"
    let left = "there is no such folder, or it is inside of itself; \(stays)"
    #expect(
      try world.importing(source) == """
        tracks 3: 3 imported
        collections 9: 9 imported
        collection_tracks 3: 3 imported
        Playlists[4].Parent Persistent ID: \(left)
        Playlists[5].Parent Persistent ID: \(left)
        Playlists[6].Parent Persistent ID: \(left)
        Playlists[7].Parent Persistent ID: \(left)
        Playlists[8].Parent Persistent ID: Parent Persistent ID should be 16 hexadecimal digits; \(stays)
        """)
    #expect(
      try world.lists() == """
        Folder/Inside: song 1
        Folder/Subfolder/Deep: song 2
        Folder (folder): 
        Folder/Subfolder (folder): 
        Lost: song 3
        In a list: 
        A (folder): 
        B (folder): 
        Bad: 
        """)
  }

  @Test("lists that iTunes makes by itself, rules and hidden lists are left out, and the report says which")
  func skipped() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library(
      tracks,
      [
        ITunes.playlist(20, "Library", [1, 2, 3], more: "<key>Master</key><true/><key>Visible</key><false/>"),
        ITunes.playlist(21, "Music", [1, 2, 3], more: ITunes.integer("Distinguished Kind", "4") + "<key>Music</key><true/>"),
        ITunes.playlist(22, "Top Rated", [1], more: "<key>Smart Info</key><data>AQEA</data><key>Smart Criteria</key><data>U0xz</data>"),
        ITunes.playlist(23, "Hidden", [1], more: "<key>Visible</key><false/>"),
        ITunes.playlist(24, "Mine", [2, 1], more: ITunes.string("Description", "")),
        ITunes.playlist(25, "Told", [3], more: ITunes.string("Description", "for the road")),
      ])
    #expect(
      try world.importing(source) == """
        tracks 3: 3 imported
        collections 6: 2 imported, 4 skipped
        collection_tracks 3: 3 imported
        playlist_notes 1: 1 skipped
        skipped 2: a list that iTunes makes by itself
        skipped 1: a playlist has no place for Description: "Told"
        skipped 1: iTunes does not show the list "Hidden"
        skipped 1: the smart playlist "Top Rated" is a rule, and this library keeps lists
        """)
    #expect(try world.lists() == "Mine: song 2, song 1\nTold: song 3")
  }

  @Test("a playlist that cannot be read takes its entries with it into the quarantine")
  func damaged() throws {
    let world = try ImportWorld("Library.xml")
    let source = ITunes.library(
      tracks,
      [
        ITunes.playlist(20, "First", [1]), ITunes.playlist(20, "Second", [2]),
        ITunes.playlist(21, "No id", [3]).replacingOccurrences(of: ITunes.id(21), with: "?"), "<string>no dict</string>",
        ITunes.playlist(22, "Odd").replacingOccurrences(
          of: "<key>All Items</key><true/>", with: "<key>Playlist Items</key><array><integer>101</integer></array>"),
      ])
    #expect(
      try world.importing(source) == """
        tracks 3: 3 imported
        collections 5: 2 imported, 3 quarantined
        collection_tracks 4: 1 imported, 3 quarantined
        Playlists[1]: an earlier list in the source has the same id
        Playlists[1].Playlist Items[0]: its playlist is quarantined
        Playlists[2]: Playlist Persistent ID should be 16 hexadecimal digits, found "?"
        Playlists[2].Playlist Items[0]: its playlist is quarantined
        Playlists[3]: a playlist should be a dict
        Playlists[4].Playlist Items[0]: an entry should be a dict with a Track ID
        """)
  }

  @Test("playlists that stand before the tracks find them")
  func playlistsFirst() throws {
    let world = try ImportWorld("Library.xml")
    let source =
      "<plist version=\"1.0\"><dict><key>Playlists</key><array>\(ITunes.playlist(20, "Mix", [2, 1]))</array>"
      + "<key>Tracks</key><dict>\(tracks.joined())</dict></dict></plist>"
    #expect(try world.importing(source) == allImported(["tracks": 3, "collections": 1, "collection_tracks": 2]))
    #expect(try world.lists() == "Mix: song 2, song 1")
  }

  @Test("a later export brings new plays where nobody changed the track, and edits in the library win")
  func laterExport() throws {
    let world = try ImportWorld("Library.xml")
    func plays(_ count: String) -> [String] { (1...3).map { ITunes.track($0, more: ITunes.integer("Play Count", count)) } }
    _ = try world.report(ITunes.library(plays("1"), [ITunes.playlist(20, "Mix", [1, 2]), ITunes.playlist(21, "F", more: ITunes.folder)]))
    try world.edit(track: ITunes.uuid(1)) { $0.title = "my own title" }
    try world.withLibrary { _ = try $0.store.write { try MusicStore.deleteTracks([ITunes.uuid(2)], in: $0) } }
    // Track IDs are others in every export.
    let later = ITunes.library(
      plays("2") + [ITunes.track(4)],
      [
        ITunes.playlist(20, "Mix", [1, 2, 4, 2]), ITunes.playlist(21, "F", more: ITunes.folder),
        ITunes.playlist(22, "New", [2, 3], more: ITunes.parent(21)),
      ]
    ).replacingOccurrences(of: ">10", with: ">77")
    #expect(
      try world.importing(later) == """
        tracks 4: 1 imported, 1 merged, 2 skipped
        collections 3: 1 imported, 2 skipped
        collection_tracks 6: 2 imported, 4 skipped
        skipped 1: deleted since it was imported
        skipped 3: in the store already
        skipped 3: its track was deleted since it was imported
        skipped 1: the store is newer
        """)
    #expect(try world.lists() == "Mix: my own title, song 4\nF (folder): \nF/New: song 3")
    #expect(try world.tracks().map { "\($0.title) \($0.playCount)" } == ["my own title 1", "song 3 2", "song 4 0"])
  }

  @Test("a folder that was deleted stays away, and what the next export has in it comes to the top")
  func deletedFolder() throws {
    let world = try ImportWorld("Library.xml")
    let folder = ITunes.playlist(21, "F", more: ITunes.folder)
    _ = try world.report(ITunes.library(tracks, [folder]))
    try world.withLibrary { _ = try $0.store.write { try MusicStore.savePlaylists([], replacingAll: true, in: $0) } }
    #expect(
      try world.importing(ITunes.library(tracks, [folder, ITunes.playlist(22, "New", [3], more: ITunes.parent(21))])) == """
        tracks 3: 3 skipped
        collections 2: 1 imported, 1 skipped
        collection_tracks 1: 1 imported
        skipped 1: deleted since it was imported
        skipped 3: in the store already
        """)
    #expect(try world.lists() == "New: song 3")
  }

  @Test("a list whose folder or place among folders is damaged in a later export stays where it is, and the rest of it comes")
  func damagedFolders() throws {
    let world = try ImportWorld("Library.xml")
    let first = [
      ITunes.playlist(20, "F", more: ITunes.folder), ITunes.playlist(21, "In F", [1], more: ITunes.parent(20)),
      ITunes.playlist(22, "G", more: ITunes.folder), ITunes.playlist(23, "In G", [2], more: ITunes.parent(22)),
    ]
    _ = try world.report(ITunes.library(tracks, first))
    let before = try world.rows()
    let later = [
      ITunes.playlist(20, "F", more: ITunes.string("Folder", "yes")),
      ITunes.playlist(21, "In F", [1], more: ITunes.string("Parent Persistent ID", "x")),
      ITunes.playlist(22, "G", more: ITunes.string("Name", "twice") + ITunes.folder),
      ITunes.playlist(23, "In G", [2], more: ITunes.parent(22)),
    ]
    let stays = "a known list keeps its folder, and a new list is put into no folder"
    #expect(
      try world.importing(ITunes.library(tracks, later)) == """
        tracks 3: 3 skipped
        collections 4: 3 skipped, 1 quarantined
        collection_tracks 2: 2 skipped
        skipped 8: in the store already
        Playlists[0].Folder: Folder should be true or false, found "yes"
        Playlists[1].Parent Persistent ID: Parent Persistent ID should be 16 hexadecimal digits; \(stays)
        Playlists[2]: Name appears twice in this record; keep one of the two in the source, and import it again
        Playlists[3].Parent Persistent ID: there is no such folder, or it is inside of itself; \(stays)
        """)
    #expect(try world.rows() == before)
  }

  @Test("a folder that the listener moved into another one, which iTunes has in it, is told, and the rest comes in")
  func circle() throws {
    let world = try ImportWorld("Library.xml")
    let (a, b) = (ITunes.playlist(20, "A", more: ITunes.folder), ITunes.playlist(21, "B", more: ITunes.folder))
    _ = try world.report(ITunes.library(tracks, [a, b]))
    try world.withLibrary { try $0.store.write { try MusicStore.movePlaylist(ITunes.uuid(20), toFolder: ITunes.uuid(21), in: $0) } }
    let moved = ITunes.playlist(21, "B", more: ITunes.folder + ITunes.parent(20))
    let later = ITunes.library(tracks, [moved, a, ITunes.playlist(22, "New", [1], more: ITunes.parent(21))])
    #expect(
      try world.importing(later) == """
        tracks 3: 3 skipped
        collections 3: 1 imported, 1 skipped, 1 quarantined
        collection_tracks 1: 1 imported
        skipped 3: in the store already
        skipped 1: the store is newer
        Playlists[0]: in this library its folder is inside of it
        """)
    #expect(try world.lists().split(separator: "\n").sorted() == ["B (folder): ", "B/A (folder): ", "B/New: song 1"])
  }

  @Test("folders that change places in iTunes do so here, whichever stands first")
  func swapped() throws {
    let world = try ImportWorld("Library.xml")
    let inside = ITunes.folder + ITunes.parent(20)
    _ = try world.report(ITunes.library(tracks, [ITunes.playlist(20, "A", more: ITunes.folder), ITunes.playlist(21, "B", more: inside)]))
    let later = [
      ITunes.playlist(20, "A", more: ITunes.folder + ITunes.parent(21)), ITunes.playlist(21, "B", more: ITunes.folder),
    ]
    #expect(
      try world.importing(ITunes.library(tracks, later)) == """
        tracks 3: 3 skipped
        collections 2: 2 merged
        skipped 3: in the store already
        """)
    #expect(try world.lists() == "B/A (folder): \nB (folder): ")
  }

  @Test("a list in a folder that only the listener knows stays there when iTunes has another name for it")
  func ownFolder() async throws {
    let world = try ImportWorld("Library.xml")
    _ = try world.report(ITunes.library(tracks, [ITunes.playlist(20, "Mix", [1])]))
    try await world.usingLibrary { try await $0.movePlaylist(ITunes.uuid(20), toFolder: $0.createFolder(named: "Mine").id) }
    _ = try world.report(ITunes.library(tracks, [ITunes.playlist(20, "Mixed", [1])]))
    #expect(try world.lists().split(separator: "\n").sorted() == ["Mine (folder): ", "Mine/Mix: song 1"])
  }

  @Test("entries that are no list are told, and their playlist comes in without them", arguments: ["<dict/>", "<string>1, 2</string>"])
  func entriesOfAnotherKind(items: String) throws {
    let world = try ImportWorld("Library.xml")
    #expect(
      try world.importing(ITunes.library(tracks, [ITunes.playlist(20, "Mix", more: "<key>Playlist Items</key>\(items)")])) == """
        tracks 3: 3 imported
        collections 1: 1 imported
        Playlists[0].Playlist Items: Playlist Items should be a list of entries
        """)
    #expect(try world.quarantine() == [items == "<dict/>" ? "<dict></dict>" : items])
  }

  @Test("folders hundreds deep keep their places, and a circle above them is cut")
  func deepFolders() throws {
    let world = try ImportWorld("Library.xml")
    let depth = 500
    let lists = (0..<depth).map { ITunes.playlist(1_000 + $0, "F\($0)", more: ITunes.folder + ITunes.parent(999 + $0)) }
    let circle = [998, 999].map { ITunes.playlist($0, "C\($0)", more: ITunes.folder + ITunes.parent(1_997 - $0)) }
    let report = try world.report(ITunes.library([], circle + lists))
    #expect(report.counts["collections"]?.imported == depth + 2)
    #expect(report.problems.map(\.path) == ["Playlists[0]", "Playlists[1]"])
    let stored = try world.withLibrary { try $0.store.read { try MusicStore.playlists(in: $0) } }
    #expect(stored.count { $0.parentID != nil } == depth)
  }
}

extension ImportWorld {
  /// One line a playlist, with its folders before it.
  func lists() throws -> String {
    try withLibrary { library in
      let titles = Dictionary(
        try library.store.read { try MusicStore.tracks(in: $0) }.map { ($0.id, $0.title) }, uniquingKeysWith: { first, _ in first })
      let lists = try library.store.read { try MusicStore.playlists(in: $0) }
      let byID = Dictionary(lists.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
      return lists.map { list in
        var name = list.name
        var parent = list.parentID
        while let folder = parent.flatMap({ byID[$0] }) {
          name = "\(folder.name)/\(name)"
          parent = folder.parentID
        }
        return "\(name)\(list.isFolder ? " (folder)" : ""): \(list.trackIDs.map { titles[$0] ?? "?" }.joined(separator: ", "))"
      }.joined(separator: "\n")
    }
  }
}
