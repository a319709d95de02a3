import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("What every import of music promises") struct ImportPromises {
  private static let tracks = ImportKind("tracks", title: "title")
  private static let lists = (all: NewID.derived(from: "list"), empty: NewID.derived(from: "empty list"))

  /// The number in the title; samples of one id have one number.
  private static func number(_ sample: ImportSample) -> Int { Int(sample.title.suffix(2)) ?? 0 }

  /// The samples, of those with one id only the first.
  private static func once(_ samples: [ImportSample]) -> [ImportSample] {
    samples.enumerated().filter { place, sample in samples.firstIndex { $0.id == sample.id } == place }.map(\.element)
  }

  @Test("the player's library.json keeps what every import promises", arguments: ImportCheck.allCases)
  func json(_ check: ImportCheck) throws {
    // With a picture that all tracks have, a playlist of all of them that has the first one twice, and an empty one.
    let picture = Data("picture".utf8).base64EncodedString()
    let conformance = ImportConformance<MusicStore>("library.json", records: Self.tracks) { samples, file in
      let tracks = samples.map { sample in
        let changes = ["id": "\"\(sample.id)\"", "title": "\"\(sample.title)\"", "artworkData": "\"\(picture)\""]
        return PlayerMusic.track(Self.number(sample), changes.merging(sample.isDamaged ? ["artist": "5"] : [:]) { $1 })
      }
      let ids = Self.once(samples).map(\.id)
      let entries = (ids + ids.prefix(1)).map { "\"\($0)\"" }.joined(separator: ",")
      let lists = [
        PlayerMusic.playlist(1, [], ["id": "\"\(Self.lists.all)\"", "trackIDs": "[\(entries)]"]),
        PlayerMusic.playlist(2, [], ["id": "\"\(Self.lists.empty)\""]),
      ]
      try Data(PlayerMusic.library(tracks, lists).utf8).write(to: file)
    }
    try conformance.run(check)
  }

  /// What is read in the same way whatever the columns are is checked of the first database alone, unless the run is long.
  private static let databaseChecks = [PlayerDatabase.raw, PlayerDatabase.urls, PlayerDatabase.plays].flatMap {
    schema -> [(ImportCheck, String)] in
    let isWhole = ProofRun.isLong || schema == PlayerDatabase.raw
    let checks = isWhole ? ImportCheck.allCases : [.whole, .again, .damaged, .retried, .idsAsBytes, .changed, .edited, .deleted]
    return checks.map { ($0, schema) }
  }

  @Test("each of the player's databases keeps what every import promises", arguments: databaseChecks)
  func database(_ check: ImportCheck, schema: String) throws {
    // The player's own tables take no id twice.
    let tables = [.twice, .twiceDifferently].contains(check) ? PlayerDatabase.loose : schema
    let hasURLs = tables.contains("fileURL")
    let conformance = ImportConformance<MusicStore>("library.db", records: Self.tracks) { samples, file in
      let tracks = samples.map { sample in
        let number = Self.number(sample)
        let changes = ["id": "'\(sample.id)'", "title": "'\(sample.title)'"]
          .merging(sample.isDamaged ? ["artist": "CAST(x'61ff62' AS TEXT)"] : [:]) { $1 }
        return hasURLs ? PlayerDatabase.urlTrack(number, changes) : PlayerDatabase.track(number, changes)
      }
      let lists = [Self.lists.all, Self.lists.empty].map { "INSERT INTO collections VALUES ('\($0)', 'list')" }
      let entries = Self.once(samples).enumerated().map { place, sample in
        "INSERT INTO collection_tracks VALUES ('\(Self.lists.all)', '\(sample.id)', \(place))"
      }
      try RawDatabase.with(file, creating: true) { database in
        for statement in ["PRAGMA foreign_keys = OFF", tables] + tracks + lists + entries { try database.execute(statement) }
      }
    }
    try conformance.run(check)
  }

  @Test("iTunes's Library.xml keeps what every import promises", arguments: ImportCheck.allCases)
  func iTunes(_ check: ImportCheck) throws {
    let conformance = ImportConformance<MusicStore>("Library.xml", records: Self.tracks) { samples, file in
      let tracks = samples.map { sample in
        let id = String(sample.id.uuidString.filter { $0 != "-" }.prefix(16))
        let more = sample.isDamaged ? ITunes.integer("Artist", "5") : ""
        return ITunes.track(Self.number(sample), sample.title, id: id, more: more)
      }
      try Data(ITunes.library(tracks, [ITunes.playlist(900, "List", Self.once(samples).map(Self.number))]).utf8).write(to: file)
    }
    try conformance.run(check)
  }
}
