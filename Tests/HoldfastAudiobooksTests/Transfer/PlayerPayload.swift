import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

@Suite("One collection as the player's payload") struct PlayerPayload {
  @Test("comes back equal, at whole seconds, and the player reads it", arguments: [UInt64(1), 2])
  func roundTrip(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<30 {
      let collection = Sample.playersCollection(&random, wholeSeconds: true)
      let payload = try collection.playerPayload()
      #expect(try AudiobookCollection(playerPayload: payload) == collection, "seed \(seed)")
      #expect(try collection.playerPayload() == payload)
      let read = try ExportedLibrary.decoder.decode(ExportedLibrary.Collection.self, from: payload)
      #expect(try [read] == ExportedLibrary([collection]).collections)
    }
  }

  @Test("is one line with sorted keys")
  func shape() throws {
    let payload = String(decoding: try Sample.collection("Book").playerPayload(), as: UTF8.self)
    #expect(
      payload == ##"{"coverAsset":{"kind":{"colorHex":"#5B8DEF","type":"solid"}},"createdAt":"2026-01-01T00:00:00Z","##
        + #""id":"\#(Sample.collection("Book").id.uuidString)","playbackStates":[],"source":{"description":"test","type":"external"},"#
        + #""tags":[],"title":"Book","tracks":[],"updatedAt":"2026-01-01T00:00:00Z"}"#)
  }

  @Test("is read as the player has always written it")
  func playersOwn() throws {
    let collection = try AudiobookCollection(playerPayload: Data(PlayerPayload.sample.utf8))
    #expect(collection.title == "三体" && collection.author == "刘慈欣" && collection.tags == ["sci-fi"])
    let track = try #require(collection.tracks.first)
    #expect(track.location.kind == .baidu(fsID: 112_233_445_566_778, path: "/有声书/三体/001.mp3"))
    #expect(collection.lastPlayedTrackID == track.id && collection.favorites[track.id]?.favoritedAt != nil)
    #expect(collection.playbackStates[track.id]?.position == 754.2)
  }

  fileprivate static let sample = #"""
    { "author":"刘慈欣", "coverAsset":{"dominantColorHex":"#5B8DEF","kind":{"colorHex":"#5B8DEF","type":"solid"}},
      "createdAt":"2025-11-03T02:10:05Z","id":"7C9E6679-7425-40DE-944B-E07FC1F90AE7",
      "lastPlayedTrackId":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F",
      "playbackStates":["E621E1F8-C36C-495A-93FC-0C247A3E6E5F",{"duration":1832.48,"position":754.2,"updatedAt":"2025-11-05T11:41:22Z"}],
      "source":{"folderPath":"\/有声书\/三体","tokenScope":"netdisk","type":"baiduNetdisk"}, "tags":["sci-fi"],"title":"三体",
      "tracks":[{"checksum":"d41d","displayName":"001 序章.mp3","duration":1832.48,"favoritedAt":"2025-11-05T09:12:00Z","fileSize":29360128,
        "filename":"001.mp3","id":"E621E1F8-C36C-495A-93FC-0C247A3E6E5F","isFavorite":true,
        "location":{"fsId":112233445566778,"path":"\/有声书\/三体\/001.mp3","type":"baidu"},"metadata":{},"trackNumber":1}],
      "updatedAt":"2025-11-05T11:41:22Z"}
    """#

  @Test("that is damaged anywhere is an error, or equal")
  func cutOff() throws {
    let payload = Data(PlayerPayload.sample.utf8)
    let last = try #require(payload.lastIndex(of: UInt8(ascii: "}")))
    for count in Array(stride(from: 0, to: last, by: ProofRun.isLong ? 1 : 5)) + [last] {
      let error = #expect(throws: StoreError.self) { try AudiobookCollection(playerPayload: payload.prefix(count)) }
      #expect(error?.code == .invalidSource)
      #expect(error?.offset.map { $0 <= count } == true, "\(count) bytes: \(String(describing: error?.offset))")
    }
  }

  @Test(
    "that is not one collection is refused",
    arguments: [
      "", "null", "[]", "{}", "\(PlayerPayload.sample),\(PlayerPayload.sample)", "\(PlayerPayload.sample)],\"x\":[1",
      PlayerPayload.sample.replacingOccurrences(of: "\"title\":\"三体\",", with: ""),
      PlayerPayload.sample.replacingOccurrences(of: "\"trackNumber\":1", with: "\"trackNumber\":\"1\""),
      PlayerPayload.sample.replacingOccurrences(of: "11-03T", with: "31-03T"),
      PlayerPayload.sample.replacingOccurrences(of: "\"id\":\"7C9E", with: "\"id\":\"XC9E"),
    ])
  func refused(payload: String) throws {
    #expect(code { _ = try AudiobookCollection(playerPayload: Data(payload.utf8)) } == .invalidSource)
  }

  @Test("of a collection that the player could not read is refused with the reason")
  func unknownKind() throws {
    var collection = Sample.collection("Book")
    collection.source = Tagged(.ephemeralBaidu(path: "/x"))
    let error = #expect(throws: StoreError.self) { try collection.playerPayload() }
    #expect(error?.code == .invalidValue && error?.message.contains("ephemeralBaidu") == true)
  }
}
