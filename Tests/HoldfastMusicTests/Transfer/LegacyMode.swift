import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import HoldfastMusic

@Suite("Legacy mode of music") struct LegacyMode {
  private typealias Music = PlayerMusic
  private let world: LegacyWorld
  private let json = Music.library(
    [
      Music.track(1, ["artworkData": "\"\(Data("picture".utf8).base64EncodedString())\"", "genre": "\"Jazz\""]),
      Music.track(2, ["trackNumber": "2"]), Music.track(3),
    ],
    [Music.playlist(5, [2, 1, 2])])

  init() throws { world = try LegacyWorld() }

  @Test("imports the file the first time and says so, does nothing the second time, and again when it changed")
  func everyTime() async throws {
    try world.write(json)
    let first = try world.open()
    #expect(first.access == .readWrite && first.importFailure == nil)
    #expect(first.importReport?.picture == allImported(["artwork": 1, "tracks": 3, "collections": 1, "collection_tracks": 3]))
    #expect(try world.folder.contents().contains("library.json.backup"))
    #expect(try world.open().importReport == nil)
    try world.write(json.replacingOccurrences(of: "track 3", with: "newer"))
    #expect(try world.open().importReport?.counts["tracks"]?.merged == 1)
    #expect(try await world.open().tracks().map(\.title) == ["track 1", "track 2", "newer"])
  }

  @Test("an import that failed is tried again at the next opening, also when the store has tracks already")
  func retried() async throws {
    try await MusicStore.open(at: world.store).saveTracks([
      LibraryTrack(id: Music.uuid(9), title: "mine", file: TrackFile(location: nil), addedAt: Date())
    ])
    try world.write(String(json.dropLast(30)))
    let failed = try world.open()
    #expect(failed.access == .readWrite && failed.importReport == nil && failed.importFailure?.code == .invalidSource)
    #expect(try await failed.tracks().map(\.title) == ["mine"])
    try world.write(json)
    let library = try world.open()
    #expect(library.importFailure == nil && library.importReport?.counts["tracks"]?.imported == 3)
    #expect(try await library.playlists().map(\.trackIDs.count) == [3])
  }

  @Test("every change is in the player's file before it returns, and the file is kept before the first")
  func verbs() async throws {
    try world.write(json)
    try world.forbidStore()
    let library = try world.open()
    #expect(library.importReport == nil && library.importFailure?.code == .cannotCreate)
    guard case .legacy(let reason) = library.access, reason.contains("stores") else {
      Issue.record("\(library.access)")
      return
    }
    #expect(try world.text() == json, "reading changes nothing")
    var tracks = try await library.tracks()
    tracks[0].title = "renamed"
    tracks[1].album = "Café"
    try await library.saveTracks(tracks)
    try await library.deleteTracks([Music.uuid(3)])
    var list = try #require(try await library.playlists().first)
    list.trackIDs = [Music.uuid(1), Music.uuid(1), Music.uuid(2)]
    _ = try await library.savePlaylists([list, MusicPlaylist(id: Music.uuid(6), name: "new")])
    #expect(try world.text(of: "library.json.backup") == json)
    #expect(try world.folder.contents() == ["library.json", "library.json.backup", "stores"])

    let again = try world.open()
    #expect(try await again.tracks() == library.tracks())
    #expect(try await again.playlists() == library.playlists())
    let hash = try #require(try await again.tracks().first?.artworkHash)
    #expect(try await again.artwork(hash)?.data == Data("picture".utf8))

    try world.allowStore()
    let imported = try world.open()
    #expect(imported.access == .readWrite && imported.importReport?.isClean == true && imported.importFailure == nil)
    #expect(try await imported.tracks() == library.tracks())
    #expect(try await imported.playlists() == library.playlists())
  }

  @Test("what the player does not know is kept beside what it does: plays, ratings, dates, discs")
  func more() async throws {
    try world.write(json)
    try world.forbidStore()
    let library = try world.open()
    var tracks = try await library.tracks()
    (tracks[0].playCount, tracks[0].rating, tracks[0].discNumber, tracks[0].isCompilation) = (3, 80, 2, true)
    (tracks[0].lastPlayedAt, tracks[0].persistentID) = (
      DateCodec.rounded(Date(timeIntervalSince1970: 1_700_000_000.123)), "0123456789ABCDEF"
    )
    tracks[1].addedAt = Date(timeIntervalSince1970: 1_600_000_000)
    try await library.saveTracks(tracks)
    #expect(try await world.open().tracks() == tracks)
    try world.allowStore()
    let imported = try world.open()
    #expect(imported.importReport?.isClean == true)
    #expect(try await imported.tracks() == tracks)
  }

  @Test("what cannot be read stays in the file word for word, and goes into quarantine when importing works again")
  func damagedRecords() throws {
    let bad = Music.track(7, ["title": nil])
    try world.write(
      Music.library([Music.track(1, ["mood": "\"blue\""]), bad], [Music.playlist(5, [1, 9])]).replacingOccurrences(
        of: "{\"coll", with: "{\"later\":[1],\"coll"))
    try world.forbidStore()
    for title in ["A", "B"] {
      let library = try world.open()
      var track = try #require(try library.store.read { try MusicStore.tracks(in: $0) }.first)
      track.title = title
      try library.store.write { try MusicStore.saveTracks([track], in: $0) }
    }
    try world.allowStore()
    let imported = try world.open()
    #expect(
      imported.importReport?.picture == """
        tracks 2: 1 imported, 1 quarantined
        collections 1: 1 imported
        collection_tracks 2: 1 imported, 1 quarantined
        $.later: this field is not known
        $.tracks[0].mood: this field is not known
        $.tracks[1]: title is missing
        $.collections[0].trackIDs[1]: there is no such track
        """)
    let kept = try imported.store.read { reader in
      try reader.values("SELECT original FROM holdfast_quarantine ORDER BY id") { row in String(decoding: try row.data(), as: UTF8.self) }
    }
    #expect(kept == ["[1]", "\"blue\"", bad, "\"\(Music.id(9))\""])
    #expect(try imported.store.read { try MusicStore.tracks(in: $0) }.map(\.title) == ["B"])
  }

  @Test("of a file that is cut off anywhere, what stands before the cut is there, and nothing is lost by writing")
  func cutOff() async throws {
    let whole = Music.library([Music.track(1), Music.track(2)], [Music.playlist(5, [1])])
    for count in [whole.utf8.count - 1, whole.utf8.count - 30, 200, 120, 30, 5, 0] {
      let world = try LegacyWorld()
      let cut = String(decoding: whole.utf8.prefix(count), as: UTF8.self)
      try world.write(cut)
      let library = try world.open()
      guard case .legacy(let reason) = library.access, reason.contains("byte") else {
        Issue.record("\(count) bytes: \(library.access)")
        continue
      }
      let before = try await library.tracks()
      try await library.saveTracks([
        LibraryTrack(id: Music.uuid(8), title: "new", file: TrackFile(location: FileLocation(path: "/x")), addedAt: Date())
      ])
      #expect(try world.text(of: "library.json.backup") == cut, "\(count) bytes")
      let imported = try world.open()
      #expect(imported.access == .readWrite && imported.importFailure == nil, "\(count) bytes")
      #expect(try await imported.tracks().map(\.title) == before.map(\.title) + ["new"], "\(count) bytes")
      if count > 20 { #expect(imported.importReport?.isClean == (count == whole.utf8.count - 1), "\(count) bytes") }
    }
  }

  @Test("a file that legacy mode wrote and that was then cut off keeps what it had not been able to read before")
  func cutOffTwice() async throws {
    let bad = Music.track(7, ["title": nil])
    try world.write(Music.library([Music.track(1), bad]))
    try world.forbidStore()
    func change() async throws { try await world.open().deleteTracks([Music.uuid(1)]) }
    try await change()
    let text = try world.text()
    let place = try #require(text.range(of: "is missing"))
    try world.write(String(text[..<place.upperBound]))
    try await world.open().savePlaylists([MusicPlaylist(id: Music.uuid(5), name: "new")])
    #expect(try world.text().contains(#"\\\"id\\\""#) && world.text().contains("is missing"))
    try world.allowStore()
    #expect(try world.open().importReport?.problemCount == 1)
  }

  @Test("a change that the file cannot hold is refused instead of being lost at the end")
  func cannotBeHeld() throws {
    try world.write(json)
    try world.forbidStore()
    let library = try world.open()
    let tracks = try library.store.read { try MusicStore.tracks(in: $0) }
    func refusal(_ body: () throws -> Void) -> String? {
      let error = #expect(throws: StoreError.self, performing: body)
      return error?.code == .invalidValue ? error?.message.components(separatedBy: ": ").last : nil
    }
    var track = tracks[0]
    track.file.location = nil
    #expect(
      refusal { try library.store.write { try MusicStore.saveTracks([track], in: $0) } } == "the player wants every track to have a file")
    track = tracks[0]
    track.metadata = StoredJSON(text: #"{"a":"b"}"#)
    #expect(refusal { try library.store.write { try MusicStore.saveTracks([track], in: $0) } } == "it has no place for metadata")
    let folder = MusicPlaylist(id: Music.uuid(6), name: "", isFolder: true)
    #expect(refusal { _ = try library.store.write { try MusicStore.savePlaylists([folder], in: $0) } } == "it has no place for folders")
    let named = MusicPlaylist(id: Music.uuid(6), name: "", persistentID: "0")
    #expect(
      refusal { _ = try library.store.write { try MusicStore.savePlaylists([named], in: $0) } } == "it has no place for a persistent id")
    #expect(try library.store.read { try MusicStore.tracks(in: $0) } == tracks && world.text() == json)
  }

  @Test("a newer file, a database and an export are read and never written")
  func readOnly() throws {
    let database = try ImportWorld("library.db")
    try database.database([PlayerDatabase.raw, PlayerDatabase.track(1)])
    let export = try ImportWorld()
    _ = try export.importing(Music.library([Music.track(1)]))
    let exported = export.folder.file("export.jsonl")
    try export.withLibrary { _ = try $0.store.export(to: exported) }
    let newer = Data(Music.library([Music.track(1)], version: 2).utf8)
    for content in [try Data(contentsOf: database.source), try Data(contentsOf: exported), newer] {
      let world = try LegacyWorld()
      try content.write(to: world.legacy)
      try world.forbidStore()
      let library = try world.open()
      guard case .readOnly(let reason) = library.access, !reason.isEmpty else {
        Issue.record("\(library.access)")
        continue
      }
      #expect(try library.store.read { try MusicStore.tracks(in: $0) }.map(\.title) == ["track 1"])
      #expect(
        #expect(throws: StoreError.self) { try library.store.write { try MusicStore.deleteTracks([Music.uuid(1)], in: $0) } }?.code
          == .readOnly)
      #expect(try Data(contentsOf: world.legacy) == content && world.folder.contents() == ["library.json", "stores"])
    }
  }

  @Test("the player's bundle stands for the file in it, and is found where the player kept it")
  func bundle() throws {
    let bundle = world.folder.file("MusicPlayer.library")
    let resources = bundle.appendingPathComponent("Contents/Resources")
    let places = MusicStore.legacyPlaces(music: world.folder.url, support: world.folder.url)
    for folder in [resources, world.folder.file("MusicPlayer")] {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    #expect(MusicStore.legacyFile(at: places)?.lastPathComponent == "MusicLibrary.json", "none is there: the bundle is empty")
    try Data(json.utf8).write(to: world.folder.file("MusicPlayer/MusicLibrary.json"))
    #expect(MusicStore.legacyFile(at: places)?.lastPathComponent == "MusicLibrary.json", "the older place")
    try Data(json.utf8).write(to: resources.appendingPathComponent("library.json"))
    #expect(MusicStore.legacyFile(at: places)?.lastPathComponent == "library.json", "the newer one")
    #expect(try MusicStore.open(at: world.store, legacy: bundle).importReport?.isClean == true)
    let other = world.folder.file("other.sqlite")
    let report = try MusicStore.importLibrary(from: bundle, into: other, storeOptions: .testing)
    #expect(report.isClean && report.backup == world.folder.file("library.json.backup").path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: resources.path) == ["library.json"], "nothing is put into the bundle")
    try Data().write(to: resources.appendingPathComponent("library.db"))
    let error = #expect(throws: StoreError.self) { _ = try MusicStore.importLibrary(from: bundle, into: other, storeOptions: .testing) }
    #expect(error?.code == .invalidSource && error?.recoverySuggestion != nil)
  }

  @Test("without a legacy file the store is opened alone")
  func noLegacyFile() throws {
    let library = try world.open()
    #expect(library.access == .readWrite && library.importReport == nil && library.importFailure == nil)
    #expect(try library.store.read { try MusicStore.tracks(in: $0) } == [])
  }
}

/// A folder with the player's file, and a store's path that can or cannot be written to.
struct LegacyWorld {
  let folder: TemporaryFolder
  var legacy: URL { folder.file("library.json") }
  var store: URL { folder.file("stores/library.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    try allowStore()
  }

  func forbidStore() throws { try folder.forbidFolder("stores") }
  func allowStore() throws { try folder.allowFolder("stores") }

  func open() throws -> MusicStore { try MusicStore.open(at: store, legacy: legacy) }
  func write(_ json: String) throws { try Data(json.utf8).write(to: legacy) }
  func text(of name: String = "library.json") throws -> String { try String(contentsOf: folder.file(name), encoding: .utf8) }
}
