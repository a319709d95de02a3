import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting

/// Collections as they come: few or many tracks, every kind, every script.
enum Sample {
  static let words = [
    "三体", "黑暗森林", "吾輩は猫である", "Café", "naïve", "Ελλάδα", "Война", "it's \"quoted\"", "100% -- AND OR", "", " ", "emoji 📚👩‍👩‍👧",
    "Chapter", "序章", "第1章", "السلام", "e\u{301}", "tab\tand\nline", "x",
  ]

  static func track(_ random: inout SeededGenerator, number: Int = 1) -> AudiobookTrack {
    let locations: [TrackLocation] = [
      .local(bookmark: Data([0, 1, 255])), .baidu(fsID: .max, path: "/有声书/三体/001.mp3"), .baidu(fsID: -1, path: ""),
      .external(url: "https://example.com/a%20b.mp3?q=\"1\""),
      .unknown(type: "webdav", json: #"{"b": 1.50,  "a":"é\/","type":"webdav"}"#),
    ]
    return AudiobookTrack(
      id: random.id(), displayName: random.pick(words) + " " + random.pick(words), filename: "\(number).mp3",
      location: random.pick(locations), fileSize: random.pick([0, 1, .max]), duration: random.pick([nil, 0, 1832.48, 0.1]),
      trackNumber: random.pick([number, 0, -1, .max]), checksum: random.pick([nil, "", "d41d8cd9"]),
      metadata: random.pick([.empty, StoredJSON(text: #"{"artist": "刘慈欣"}"#)]))
  }

  static func collection(_ random: inout SeededGenerator, tracks: ClosedRange<Int> = 0...8) -> AudiobookCollection {
    let sources: [CollectionSource] = [
      .baiduNetdisk(folderPath: "/有声书", tokenScope: "netdisk"), .local(directoryBookmark: Data()),
      .external(description: "a shelf"), .ephemeralBaidu(path: "/x"), .unknown(type: "ftp", json: #"{"z":[1,2,{"y":null}]}"#),
    ]
    let covers: [CollectionCover] = [
      .standard, CollectionCover(.image(relativePath: "covers/1.jpg"), dominantColorHex: "#112233"),
      CollectionCover(.remote(url: "https://example.com/c.png")), CollectionCover(.unknown(type: "gradient", json: "{ }")),
    ]
    let list = (0..<Int.random(in: tracks, using: &random)).map { track(&random, number: $0 + 1) }
    var states: [UUID: PlaybackState] = [:]
    var favorites: [UUID: Favorite] = [:]
    for track in list {
      if random.chance(40) {
        states[track.id] = PlaybackState(
          position: random.pick([0, 0.1, 754.2]), duration: random.pick([nil, 1832.48]), updatedAt: random.date())
      }
      if random.chance(30) { favorites[track.id] = Favorite(favoritedAt: random.pick([nil, random.date()])) }
    }
    let created = random.date()
    return AudiobookCollection(
      id: random.id(), title: random.pick(words), author: random.pick([nil, random.pick(words)]),
      description: random.pick([nil, random.pick(words)]), cover: random.pick(covers), createdAt: created,
      updatedAt: random.pick([nil, random.date()]), source: random.pick(sources), tracks: list,
      lastPlayedTrackID: list.isEmpty || random.chance(50) ? nil : random.pick(list).id, playbackStates: states, favorites: favorites,
      tags: Array(words.shuffled(using: &random).prefix(Int.random(in: 0...4, using: &random))))
  }

  /// A collection with one track per name, made at `created`.
  static func collection(
    _ title: String, author: String? = nil, tracks names: [String] = [], created: Date = Date(timeIntervalSince1970: 1_767_225_600),
    seed: UInt64 = 1
  ) -> AudiobookCollection {
    var random = SeededGenerator(seed: seed)
    let tracks = names.enumerated().map { number, name in
      AudiobookTrack(
        id: random.id(), displayName: name, filename: "\(number + 1).mp3", location: .external(url: "https://example.com/\(number + 1)"),
        duration: 600, trackNumber: number + 1)
    }
    return AudiobookCollection(
      id: random.id(), title: title, author: author, createdAt: created, source: .external(description: "test"), tracks: tracks)
  }

  /// The order in which collections are loaded: newest first, then by id.
  static func newestFirst(_ collections: some Sequence<AudiobookCollection>) -> [AudiobookCollection] {
    collections.sorted { ($0.createdAt, IDCodec.lowercase($0.id)) > ($1.createdAt, IDCodec.lowercase($1.id)) }
  }
}
