import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Random damage to the player's files") struct MusicRandomDamage {
  private typealias Music = PlayerMusic
  private typealias Old = PlayerDatabase

  @Test("every file is imported, verified and the same at the second import, or refused whole", arguments: 1...(ProofRun.isLong ? 200 : 20))
  func file(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try ImportWorld()
    var bytes = Array(Self.library(&random).utf8)
    for _ in 0..<(random.chance(50) ? 0 : Int.random(in: 1...3, using: &random)) {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(random.pick(Array(#"{}[]",:\0"#.utf8)), at: place)
      default: bytes.removeSubrange(place..<min(bytes.count, place + 40))
      }
    }
    try Data(bytes).write(to: world.source)
    try check(world, "seed \(seed): \(String(decoding: bytes, as: UTF8.self))")
  }

  @Test(
    "every database is imported, verified and the same at the second import, or refused whole", arguments: 1...(ProofRun.isLong ? 200 : 20))
  func database(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let world = try ImportWorld("library.db")
    let schema = random.chance(60) ? Old.loose : random.pick([Old.raw, Old.urls, Old.plays])
    let columns = [
      "tracks": ["id", "title", "artist", "album", "duration", "genre", "year"], "collections": ["id", "name"],
      "collection_tracks": ["position"],
    ]
    let tracks = (0..<4).map { schema == Old.urls || schema == Old.plays ? Old.urlTrack($0) : Old.track($0) }
    try world.database([schema] + tracks + Old.playlist(5, [0, 1, 2]) + Old.playlist(6, [3, 0]))
    for _ in 0..<5 {
      let table = random.pick(columns.keys.sorted())
      let column = schema == Old.loose && random.chance(40) ? Self.loose(table, &random) : random.pick(columns[table] ?? [])
      // A constraint may refuse it: then the row stays.
      try? world.database(["UPDATE \(table) SET \(column) = \(random.pick(Self.literals)) WHERE rowid = \(random.next() % 4 + 1)"])
    }
    try check(world, "seed \(seed)")
  }

  private func check(_ world: ImportWorld, _ what: String) throws {
    func report() throws -> ImportReport? {
      do {
        return try world.report()
      } catch let error as StoreError {
        #expect([.invalidSource, .newerSource].contains(error.code), "\(what): \(error)")
        return nil
      }
    }
    guard try report() != nil, let second = try report() else { return }
    #expect(second.counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 }, "\(what): \(second.picture)")
  }

  private static let values = [
    "null", "true", "-1", "1.5", "1e300", "9223372036854775807", "99999999999999999999", "\"\"", #""\u0000""#, #""é\/\uD83C\uDFB5""#, "[]",
    "{}",
    "\"\(Music.id(1))\"", "\"\(Music.id(1).lowercased())\"", "\"QR==\"", "\"AAEC\"", "\"2025-11-05T11:41:22.5+02:00\"",
  ]
  private static let keys = [
    "id", "title", "artist", "album", "albumArtist", "duration", "fileURL", "artworkURL", "artworkData", "genre", "year", "trackNumber",
    "discNumber", "isCompilation", "playCount", "lastPlayedAt", "rating", "addedAt", "persistentID", "x",
  ]

  private static func library(_ random: inout SeededGenerator) -> String {
    func changes(_ keys: [String]) -> [String: String?] {
      var changes: [String: String?] = [:]
      for _ in 0..<3 where random.chance(50) { changes[random.pick(keys)] = random.pick(values) }
      return changes
    }
    let tracks = (0..<5).map { Music.track($0 % 4, changes(keys)) }
    let lists = (5..<8).map { number in
      Music.playlist(number, (0..<4).map { _ in Int.random(in: 0..<6, using: &random) }, changes(["id", "name", "trackIDs", "x"]))
    }
    return Music.library(tracks, lists, version: random.pick([nil, 0, 1]))
  }

  private static let literals = [
    "NULL", "-1", "1.5", "9e999", "9223372036854775807", "''", "x''", "x'000102'", "CAST(x'61ff' AS TEXT)", "CAST(x'6100' AS TEXT)",
    "'/C:/x'",
    "'FILE:///x'", "'a%zz'", "'https://a'", "'\(Music.id(1))'", "'\(Music.id(5).lowercased())'", "'é'", "'//a/b'", "'c:\\x'",
  ]

  private static func loose(_ table: String, _ random: inout SeededGenerator) -> String {
    switch table {
    case "tracks": random.pick(["file_url", "artwork_url", "artwork_data", "album_artist", "track_number"])
    case "collection_tracks": random.pick(["collection_id", "track_id"])
    default: "name"
    }
  }
}
