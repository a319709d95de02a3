import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("What every import of the player's library promises") struct ImportPromises {
  private static let collections = ImportKind("collections", title: "title", modifiedAt: "updated_at")
  private static let tracks = ImportKind("tracks", title: "display_name")

  private static func time(_ sample: ImportSample) throws -> String {
    DateCodec.iso8601(try #require(DateCodec.milliseconds(sample.modifiedAt)), fraction: false)
  }

  @Test("library.json keeps what every import promises", arguments: ImportCheck.allCases)
  func json(_ check: ImportCheck) throws {
    // A track stands in its collection, so there is none without one.
    let conformance = ImportConformance<AudiobookLibrary>(
      "library.json", records: Self.collections, children: Self.tracks, without: [.orphans]
    ) { samples, file in
      let collections = try samples.filter { $0.parent == nil }.map { collection in
        try Self.collection(collection, tracks: samples.filter { $0.parent == collection.id })
      }
      try Data(#"{"collections":[\#(collections.joined(separator: ","))],"schemaVersion":3}"#.utf8).write(to: file)
    }
    try conformance.run(check)
  }

  /// With a tag, a last played track, and a playback state and a favourite for each track.
  private static func collection(_ sample: ImportSample, tracks: [ImportSample]) throws -> String {
    let states = try tracks.map { track in
      #""\#(track.id)",{"duration":1832.48,"position":754.2,"updatedAt":"\#(try time(track))"}"#
    }
    let last = tracks.first { !$0.isDamaged }.map { #""lastPlayedTrackId":"\#($0.id)","# } ?? ""
    return ##"""
      {"coverAsset":{"kind":{"colorHex":"#5B8DEF","type":"solid"}},"createdAt":"\##(sample.isDamaged ? "soon" : "2025-11-03T02:10:05Z")",
      "id":"\##(sample.id)",\##(last)"source":{"folderPath":"\/a","tokenScope":"netdisk","type":"baiduNetdisk"},"tags":["sample"],
      "playbackStates":[\##(states.joined(separator: ","))],"title":"\##(sample.title)",
      "tracks":[\##(tracks.map(track).joined(separator: ","))],"updatedAt":"\##(try time(sample))"}
      """##
  }

  private static func track(_ sample: ImportSample) -> String {
    #"""
    {"displayName":"\#(sample.title)","fileSize":\#(sample.isDamaged ? "\"big\"" : "1"),"filename":"a.mp3","id":"\#(sample.id)",
    "isFavorite":true,"location":{"fsId":1,"path":"\/a.mp3","type":"baidu"},"metadata":{},"trackNumber":1}
    """#
  }

  @Test("library.sqlite keeps what every import promises", arguments: ImportCheck.allCases)
  func database(_ check: ImportCheck) throws {
    let conformance = ImportConformance<AudiobookLibrary>(
      "library.sqlite", records: Self.collections, children: Self.tracks
    ) { samples, file in
      try RawDatabase.with(file, creating: true) { database in
        try database.execute(OldDatabase.looseSchema)
        for sample in samples { try database.execute(Self.rows(of: sample, among: samples).joined(separator: ";")) }
      }
    }
    try conformance.run(check)
  }

  /// A collection with a tag and a last played track, or a track that is a favourite, with its playback state.
  private static func rows(of sample: ImportSample, among samples: [ImportSample]) throws -> [String] {
    let (id, time) = (sample.id.uuidString, "'\(try time(sample))'")
    guard let parent = sample.parent?.uuidString else {
      let last = samples.first { $0.parent == sample.id && !$0.isDamaged }.map { "'\($0.id)'" } ?? "NULL"
      let damage = sample.isDamaged ? ["created_at": "'soon'"] : [:]
      let changes = ["title": "'\(sample.title)'", "updated_at": time, "last_played_track_id": last]
      return [
        OldDatabase.collection(id, changes.merging(damage) { $1 }),
        OldDatabase.tag("sample", of: id),
      ]
    }
    let damage = sample.isDamaged ? ["file_size": "'big'"] : [:]
    return [
      OldDatabase.track(id, in: parent, ["display_name": "'\(sample.title)'", "is_favorite": "1"].merging(damage) { $1 }),
      OldDatabase.state(id, in: parent, ["updated_at": time]),
    ]
  }
}
