import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

/// The player's first database, as it comes.
@Suite struct LibrarySQLiteTests {
  private typealias Old = OldDatabase

  private static let whole: [String] = [
    Old.collection(Old.book, ["last_played_track_id": "'\(Old.second)'"]),
    Old.track(Old.second, number: 2, ["is_favorite": "1"]),
    Old.track(Old.first, number: 1, ["is_favorite": "1", "favorited_at": "'2025-11-05 09:12:00.000'"]),
    Old.track(Old.third, number: 3, ["favorited_at": "'2025-11-05 09:13:00.000'", "duration": "NULL", "checksum": "NULL"]),
    Old.state(Old.first), Old.state(Old.second, ["position": "0", "duration": "NULL"]), Old.tag("sci-fi"), Old.tag("经典"),
  ]

  private static let json = """
    {"schemaVersion":3,"collections":[{"author":"刘慈欣",
    "coverAsset":{"dominantColorHex":"#5B8DEF","kind":{"colorHex":"#5B8DEF","type":"solid"}},
    "createdAt":"2025-11-03T02:10:05Z","id":"\(Old.book)","lastPlayedTrackId":"\(Old.second)","playbackStates":[
    "\(Old.first)",{"duration":1832.48,"position":754.2,"updatedAt":"2025-11-05T11:41:22Z"},
    "\(Old.second)",{"position":0,"updatedAt":"2025-11-05T11:41:22Z"}],
    "source":{"folderPath":"\\/有声书\\/三体","tokenScope":"netdisk","type":"baiduNetdisk"},"tags":["sci-fi","经典"],"title":"三体","tracks":[
    \(track(Old.first, 1, #""isFavorite":true,"favoritedAt":"2025-11-05T09:12:00Z","duration":1832.48,"checksum":"d41d""#)),
    \(track(Old.second, 2, #""isFavorite":true,"duration":1832.48,"checksum":"d41d""#)),
    \(track(Old.third, 3, #""isFavorite":false,"favoritedAt":"2025-11-05T09:13:00Z""#))],"updatedAt":"2025-11-05T11:41:22Z"}]}
    """

  private static func track(_ id: String, _ number: Int, _ rest: String) -> String {
    """
    {"displayName":"第\(number)章","fileSize":29360128,"filename":"00\(number).mp3","id":"\(id)","metadata":{},"trackNumber":\(number),
    "location":{"fsId":11223344556677\(number),"path":"\\/三体\\/00\(number).mp3","type":"baidu"},\(rest)}
    """
  }

  @Test("a clean file gives the library that library.json gives, and is not touched")
  func clean() throws {
    let folder = try ImportFolder(Self.whole)
    let before = try folder.files()
    #expect(
      try folder.importing() == [
        "collections 1 = 1 + 0 + 0 + 0", "tracks 3 = 3 + 0 + 0 + 0", "playback_states 2 = 2 + 0 + 0 + 0", "favorites 3 = 2 + 0 + 1 + 0",
        "tags 2 = 2 + 0 + 0 + 0", "skipped 1: no longer a favourite",
      ])
    let source = try #require(before["library.sqlite"])
    #expect(try folder.files() == ["library.sqlite": source, "library.sqlite.backup": source])
    let json = folder.url.appendingPathComponent("library.json")
    let other = folder.url.appendingPathComponent("store.sqlite.json")
    try Data(Self.json.utf8).write(to: json)
    _ = try folder.importing(json, into: other)
    #expect(try folder.collections() == folder.collections(in: other))
    #expect(try folder.collections().first?.tracks.map(\.displayName) == ["第1章", "第2章", "第3章"])
  }

  @Test("rows that stand only in the log are imported; neither file changes, and the copy has both")
  func log() throws {
    let folder = try ImportFolder([Old.collection()])
    try folder.leaveLog([Old.track(), Old.state()])
    let before = try folder.files()
    #expect(before.keys.sorted() == ["library.sqlite", "library.sqlite-wal"])
    #expect(
      try folder.importing() == ["collections 1 = 1 + 0 + 0 + 0", "tracks 1 = 1 + 0 + 0 + 0", "playback_states 1 = 1 + 0 + 0 + 0"])
    let after = try folder.files()
    #expect(after.keys.sorted() == ["library.sqlite", "library.sqlite-wal", "library.sqlite.backup", "library.sqlite.backup-wal"])
    for (name, content) in before {
      #expect(after[name] == content)
      #expect(after[name.replacingOccurrences(of: "library.sqlite", with: "library.sqlite.backup")] == content)
    }
  }

  @Test("a log that grew makes another source: it is not taken for the one that was imported")
  func grownLog() throws {
    let folder = try ImportFolder([Old.collection()])
    try folder.leaveLog([Old.track()])
    _ = try folder.importing()
    let known = { try folder.change { try ImportSource.isKnown(folder.source, to: $0.store) } }
    let imported = { try folder.change { try ImportSource(folder.source).wasImported(into: $0.store) } }
    #expect(try known() && imported())
    let log = URL(fileURLWithPath: folder.source.path + "-wal")
    try (Data(contentsOf: log) + Data([0])).write(to: log)
    #expect(try !known() && !imported())
  }

  @Test("the copy goes back with its log, over a file with another log")
  func restoring() throws {
    let folder = try ImportFolder([Old.collection()])
    try folder.leaveLog([Old.track()])
    let before = try folder.files()
    _ = try folder.importing()
    for name in before.keys { try FileManager.default.removeItem(at: folder.url.appendingPathComponent(name)) }
    try folder.execute([Old.schema])
    try folder.leaveLog([Old.collection(Old.other)])
    try folder.change { _ = try $0.store.restoreBackup(ofSource: folder.source) }
    let after = try folder.files()
    #expect(before.allSatisfy { after[$0.key] == $0.value })
    #expect(try folder.importing().first == "collections 1 = 0 + 0 + 1 + 0")
  }

  @Test("what a crash left half written is undone in the copy, by the journal beside the file")
  func journal() throws {
    let folder = try ImportFolder([Old.collection()])
    let half = folder.url.appendingPathComponent("half.sqlite")
    try RawDatabase.with(folder.source) { database in
      try database.execute("PRAGMA cache_size = 1; BEGIN; UPDATE collections SET title = 'half'")
      let filling = "INSERT INTO filling WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) SELECT randomblob(900) FROM n"
      try database.execute("CREATE TABLE filling (x); \(filling)")
      for suffix in ["", "-journal"] { try FileManager.default.copyItem(atPath: folder.source.path + suffix, toPath: half.path + suffix) }
    }
    #expect(try folder.importing(half) == ["collections 1 = 1 + 0 + 0 + 0"])
    #expect(try folder.collections().map(\.title) == ["三体"])
  }

  @Test("it is known by its content: any name will do, and other databases are refused by what they hold")
  func recognition() throws {
    let folder = try ImportFolder([Old.collection()])
    let renamed = folder.url.appendingPathComponent("library.json")
    try FileManager.default.moveItem(at: folder.source, to: renamed)
    #expect(try folder.importing(renamed) == ["collections 1 = 1 + 0 + 0 + 0"])
    #expect(
      try failure { _ = try folder.importing(folder.store, into: folder.url.appendingPathComponent("x")) }
        == "wrong_kind: \(folder.store.path) is a Holdfast library already")
    let music = try ImportFolder(schema: "CREATE TABLE collections (id, name); CREATE TABLE tracks (id, title, artist);")
    #expect(
      try failure { _ = try music.importing() }
        == "invalid_source: \(music.source.path) is not the player's library: it has the tables collections, tracks")
    #expect(try music.files().keys.sorted() == ["library.sqlite"])
    #expect(!FileManager.default.fileExists(atPath: music.store.path))
  }

  @Test("a damaged file is refused whole, and nothing is written")
  func damaged() throws {
    let folder = try ImportFolder([Old.collection()] + (0..<400).map { Old.track(UUID().uuidString, number: $0) })
    var bytes = try Data(contentsOf: folder.source)
    for page in 6..<20 { bytes.replaceSubrange(page * 4096..<page * 4096 + 64, with: Data(repeating: 0xAA, count: 64)) }
    try bytes.write(to: folder.source)
    #expect(try failure { _ = try folder.importing() }?.hasPrefix("invalid_source: \(folder.source.path) is damaged: ") == true)
    try bytes.prefix(5000).write(to: folder.source)
    #expect(try failure { _ = try folder.importing() }?.hasPrefix("invalid_source: \(folder.source.path) ") == true)
    #expect(try folder.files().keys.sorted() == ["library.sqlite"])
  }

  @Test("a newer version is refused")
  func newer() throws {
    let folder = try ImportFolder(
      [Old.collection()], schema: Old.looseSchema + "CREATE TABLE schema_state (version); INSERT INTO schema_state VALUES (2);")
    #expect(try failure { _ = try folder.importing() }?.hasPrefix("newer_source: \(folder.source.path) has version 2") == true)
  }

  @Test("a damaged database is never written over by the fallback to the legacy file")
  func fallback() throws {
    let folder = try ImportFolder([Old.collection()])
    let bytes = try Data(contentsOf: folder.source).prefix(5000)
    try bytes.write(to: folder.source)
    let library = try AudiobookLibrary.open(at: folder.store, legacy: folder.source, options: .testing)
    guard case .readOnly = library.access else {
      Issue.record("it can be written: \(library.access)")
      return
    }
    #expect(try Data(contentsOf: folder.source) == bytes)
  }

  @Test("the private copy lives as long as the value that reads it")
  func privateCopy() throws {
    let mark = UUID().uuidString
    let folder = try ImportFolder([Old.collection(mark)])
    let temporary = FileManager.default.temporaryDirectory
    let copies = {
      try FileManager.default.contentsOfDirectory(atPath: temporary.path).filter { name in
        let copy = temporary.appendingPathComponent(name).appendingPathComponent("source.sqlite")
        return name.hasPrefix(".holdfast-source-") && (try? Data(contentsOf: copy))?.range(of: Data(mark.utf8)) != nil
      }
    }
    var source: SQLiteSource? = try SQLiteSource(ImportSource(folder.source))
    #expect(try copies().count == 1)
    #expect(source?.tables == ["collections", "playback_states", "schema_state", "tags", "tracks"])
    #expect(try source?.count(of: "collections") == 1)
    source = nil
    #expect(try copies() == [])
  }

  private func failure(_ body: () throws -> Void) throws -> String? {
    do {
      try body()
      return nil
    } catch let error as StoreError {
      return "\(error.code.rawValue): \(error.message)"
    }
  }
}
