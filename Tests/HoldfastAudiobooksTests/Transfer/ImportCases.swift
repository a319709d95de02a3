import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("What becomes of a record that the store may know already")
struct ImportCases {
  private let later = "2025-11-06T00:00:00Z"

  @Test("there and different, source newer by its own time: merged, with what hangs on it")
  func sourceNewer() throws {
    let world = try ImportWorld()
    _ = try world.importing(
      Legacy.library(Legacy.collection(tracks: [Legacy.track(2), Legacy.track(3)], more: Legacy.states((2, Legacy.state("1"))))))
    // The listener changed both, before the old app did.
    try world.withLibrary { library in
      try library.store.write { tx in
        try tx.execute("UPDATE collections SET title = 'mine'")
        try tx.execute("UPDATE tracks SET display_name = 'mine' WHERE id = \(Legacy.uuid(2))")
      }
    }
    let newer = Legacy.library(
      Legacy.collection(
        title: "newer", updatedAt: later, tracks: [Legacy.track(2, name: "newer"), Legacy.track(3)],
        more: Legacy.states((2, Legacy.state("2", at: later)))))
    #expect(
      try world.importing(newer) == """
        collections 1: 1 merged
        tracks 2: 1 merged, 1 skipped
        playback_states 1: 1 merged
        skipped 1: in the store already
        """)
    #expect(
      try world.shelf() == """
        newer by nobody
          2 newer at 2.0
          3 track 3
        """)
  }

  @Test("a favourite has no time: it follows its collection, also when its track did not change")
  func favoriteFollowsCollection() throws {
    let world = try ImportWorld()
    func json(_ updatedAt: String, _ favoritedAt: String) -> String {
      let track = Legacy.track(2, more: #""isFavorite":true,"favoritedAt":"\#(favoritedAt)","#)
      return Legacy.library(Legacy.collection(updatedAt: updatedAt, tracks: [track]))
    }
    _ = try world.importing(json("2025-11-05T11:41:22Z", "2025-11-05T00:00:00Z"))
    try world.withLibrary { library in try library.store.write { _ = try $0.execute("UPDATE favorites SET favorited_at = 5") } }
    #expect(
      try world.importing(json(later, "2025-11-05T22:00:00Z")) == """
        collections 1: 1 merged
        tracks 1: 1 skipped
        favorites 1: 1 merged
        skipped 1: in the store already
        """)
  }

  @Test("there and different, stored row newer: skipped, and the listener's change stays")
  func storeNewer() throws {
    let world = try ImportWorld()
    let states = Legacy.states((2, Legacy.state("1")))
    _ = try world.importing(Legacy.library(Legacy.collection(tracks: [Legacy.track(2)], more: states)))
    try world.withLibrary { library in
      _ = try library.store.write { try AudiobookLibrary.renameCollection(Legacy.uuid(1), to: "mine", in: $0) }
      _ = try library.store.write { try AudiobookLibrary.renameTrack(Legacy.uuid(2), to: "mine", in: $0) }
      try library.store.write {
        try AudiobookLibrary.savePlaybackState(PlaybackState(position: 99, updatedAt: world.clock.now), of: Legacy.uuid(2), in: $0)
      }
    }
    let other = Legacy.collection(
      title: "theirs", updatedAt: later, tracks: [Legacy.track(2, name: "theirs")], more: Legacy.states((2, Legacy.state("2", at: later))))
    #expect(
      try world.importing(Legacy.library(other)) == """
        collections 1: 1 skipped
        tracks 1: 1 skipped
        playback_states 1: 1 skipped
        skipped 3: the store is newer
        """)
    #expect(
      try world.shelf() == """
        mine by nobody last 2
          2 mine at 99.0
        """)
  }

  @Test("imported before, deleted by the user since: skipped, with the rows that reference it")
  func deletedSince() throws {
    let world = try ImportWorld()
    let json = Legacy.library(
      Legacy.collection(
        1, tracks: [Legacy.track(2, more: #""isFavorite":true,"#), Legacy.track(3)],
        more: #""tags":["a"],"# + Legacy.states((2, Legacy.state()))),
      Legacy.collection(4, tracks: [Legacy.track(5)]))
    _ = try world.importing(json)
    try world.withLibrary { library in
      _ = try library.store.write { try AudiobookLibrary.deleteCollection(Legacy.uuid(4), in: $0) }
      _ = try library.store.write { try AudiobookLibrary.removeTracks([Legacy.uuid(2)], in: $0) }
      _ = try library.store.write { try AudiobookLibrary.removeTag("a", from: Legacy.uuid(1), in: $0) }
    }
    #expect(
      try world.importing(json) == """
        collections 2: 2 skipped
        tracks 3: 3 skipped
        playback_states 1: 1 skipped
        favorites 1: 1 skipped
        tags 1: 1 skipped
        skipped 6: deleted since it was imported
        skipped 1: in the store already
        skipped 1: the store is newer
        """)
    #expect(
      try world.shelf() == """
        三体 by nobody
          3 track 3
        """)
  }

  @Test("a collection that comes again newer does not point at the last played track that was deleted since")
  func lastPlayedDeletedSince() throws {
    let world = try ImportWorld()
    func json(_ time: String) -> String {
      Legacy.library(
        Legacy.collection(updatedAt: time, tracks: [Legacy.track(2), Legacy.track(3)], more: #""lastPlayedTrackId":"\#(Legacy.id(2))","#))
    }
    _ = try world.importing(json(later))
    try world.withLibrary { _ = try $0.store.write { try AudiobookLibrary.removeTracks([Legacy.uuid(2)], in: $0) } }
    #expect(
      try world.importing(json("2027-01-01T00:00:00Z")) == """
        collections 1: 1 merged
        tracks 2: 2 skipped
        skipped 1: deleted since it was imported
        skipped 1: in the store already
        """)
    #expect(
      try world.shelf() == """
        三体 by nobody
          3 track 3
        """)
  }

  @Test("the same id twice in the source, different: the second is quarantined")
  func twiceDifferent() throws {
    let world = try ImportWorld()
    let json = Legacy.library(
      Legacy.collection(
        tracks: [Legacy.track(2), Legacy.track(2, name: "other")], more: Legacy.states((2, Legacy.state("1")), (2, Legacy.state("2")))),
      Legacy.collection(title: "other", tracks: [Legacy.track(3)]))
    let reason = "an earlier record in the source has the same id and other content"
    #expect(
      try world.importing(json) == """
        collections 2: 1 imported, 1 quarantined
        tracks 3: 2 imported, 1 quarantined
        playback_states 2: 1 imported, 1 quarantined
        $.collections[0].tracks[1]: \(reason)
        $.collections[0].playbackStates[3]: \(reason)
        $.collections[1]: \(reason)
        """)
    #expect(
      try world.shelf() == """
        三体 by nobody
          2 track 2 at 1.0
          3 track 3
        """)
  }

  @Test("a track id in two collections: the second gets an id derived from both, and what hangs on it follows")
  func twoCollections() throws {
    let world = try ImportWorld()
    let favorite = #""isFavorite":true,"#
    let json = Legacy.library(
      Legacy.collection(
        1, tracks: [Legacy.track(5)], more: #""lastPlayedTrackId":"\#(Legacy.id(5))","# + Legacy.states((5, Legacy.state("1")))),
      Legacy.collection(
        2, title: "second", tracks: [Legacy.track(5, more: favorite)],
        more: #""lastPlayedTrackId":"\#(Legacy.id(5))","# + Legacy.states((5, Legacy.state("2")))))
    #expect(try world.importing(json) == allImported(["collections": 2, "tracks": 2, "playback_states": 2, "favorites": 1]))
    let derived = String(IDCodec.uppercase(Legacy.derived(5, in: 2)).prefix(8))
    let expected = """
      三体 by nobody last 5
        5 track 5 at 1.0
      second by nobody last \(derived)
        \(derived) track 5 was 5 at 2.0 ★
      """
    #expect(try world.shelf() == expected)
    #expect(try world.importing(json) == allSkipped(["collections": 2, "tracks": 2, "playback_states": 2, "favorites": 1]))
    #expect(try world.shelf() == expected)
  }

  @Test("a track id that the store has in a collection of its own is not taken over")
  func foreignTrack() async throws {
    let world = try ImportWorld()
    try await world.usingLibrary { library in
      let track = AudiobookTrack(id: Legacy.uuid(5), displayName: "mine", filename: "m", location: .external(url: "u"), trackNumber: 1)
      try await library.save(
        AudiobookCollection(
          id: Legacy.uuid(9), title: "mine", createdAt: world.clock.now, source: .external(description: "d"), tracks: [track]))
    }
    let json = Legacy.library(Legacy.collection(1, tracks: [Legacy.track(5)], more: Legacy.states((5, Legacy.state("2")))))
    let derived = String(IDCodec.uppercase(Legacy.derived(5, in: 1)).prefix(8))
    let expected = """
      三体 by nobody
        \(derived) track 5 was 5 at 2.0
      mine by nobody
        5 mine
      """
    for outcome in ["imported", "skipped"] {
      let reason = outcome == "skipped" ? "\nskipped 3: in the store already" : ""
      #expect(
        try world.importing(json) == "collections 1: 1 \(outcome)\ntracks 1: 1 \(outcome)\nplayback_states 1: 1 \(outcome)" + reason)
      #expect(try world.shelf() == expected)
    }
  }

  @Test("a last played track that does not exist: the collection is imported, the field quarantined")
  func lastPlayedMissing() throws {
    let world = try ImportWorld()
    let json = Legacy.library(Legacy.collection(tracks: [Legacy.track(2)], more: #""lastPlayedTrackId":"\#(Legacy.id(8))","#))
    #expect(
      try world.importing(json) == """
        collections 1: 1 imported
        tracks 1: 1 imported
        $.collections[0].lastPlayedTrackId: there is no such track in the collection
        """)
    #expect(try world.leftOut() == ["collections lastPlayedTrackId \"\(Legacy.id(8))\""])
  }

  @Test("enum kinds that the app does not know are kept word for word: spelling of numbers, order of keys, white space")
  func unknownKinds() throws {
    let world = try ImportWorld()
    let source = #"{ "z" : 1.50, "type":"webdav" ,"a":[1E2, null, "\u00e9\/"],"n":-0.0 }"#
    let location = #"{"type":"sftp","port":22.0,"b":12345678901234567890123}"#
    let cover = #"{"stops":[0,1.0],"type":"gradient"}"#
    let collection = Legacy.collection(tracks: [Legacy.track(2).replacing(#"{"fsId":2,"path":"\/2.mp3","type":"baidu"}"#, with: location)])
      .replacing(#"{"folderPath":"\/有声书","tokenScope":"netdisk","type":"baiduNetdisk"}"#, with: source)
      .replacing(##"{"colorHex":"#5B8DEF","type":"solid"}"##, with: cover)
    #expect(try world.importing(Legacy.library(collection)) == allImported(["collections": 1, "tracks": 1]))
    try world.withLibrary { library in
      let loaded = try #require(try library.store.read { try AudiobookLibrary.collection(Legacy.uuid(1), in: $0) })
      #expect(loaded.source.kind == .unknown(type: "webdav", json: source))
      #expect(loaded.cover.image.kind == .unknown(type: "gradient", json: cover))
      #expect(loaded.tracks.map(\.location.kind) == [.unknown(type: "sftp", json: location)])
    }
  }

  @Test("an import into a store with other data leaves them alone")
  func otherData() throws {
    let world = try ImportWorld()
    _ = try world.importing(
      Legacy.library(Legacy.collection(7, title: "other", tracks: [Legacy.track(8)], more: Legacy.states((8, Legacy.state("4"))))))
    #expect(
      try world.importing(Legacy.library(Legacy.collection(1, tracks: [Legacy.track(2, name: "Prozeß")])))
        == allImported(["collections": 1, "tracks": 1]))
    #expect(
      try world.shelf() == """
        三体 by nobody
          2 Prozeß
        other by nobody
          8 track 8 at 4.0
        """)
    #expect(try world.withLibrary { try $0.store.read { try AudiobookLibrary.search("proz", in: $0) }.count } == 1)
  }
}

extension ImportWorld {
  /// What was kept out: kind, field and original bytes.
  func leftOut() throws -> [String] {
    try withLibrary { library in
      try library.store.read { reader in
        try reader.values("SELECT kind, field, original FROM holdfast_quarantine ORDER BY id") { row in
          [try row.text(), try row.text(), String(decoding: try row.data(), as: UTF8.self)].filter { !$0.isEmpty }.joined(separator: " ")
        }
      }
    }
  }
}
