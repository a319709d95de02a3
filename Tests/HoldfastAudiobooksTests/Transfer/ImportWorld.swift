import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer

typealias ImportWorld = HoldfastTesting.ImportWorld<AudiobookLibrary>

extension ImportWorld {
  /// - Parameter name: of the source, which is not there yet.
  convenience init(_ name: String = "library.json") throws {
    try self.init(name) { wanted in
      try AudiobookLibrary.importLibrary(
        from: wanted.source, into: wanted.store, format: wanted.format, options: wanted.options, storeOptions: wanted.storeOptions)
    }
  }

  /// What is on the shelf, one line a collection and one a track.
  func shelf() throws -> String {
    try withLibrary { library in
      try library.store.read { try AudiobookLibrary.collections(in: $0) }.sorted { $0.id.uuidString < $1.id.uuidString }.map { collection in
        var line = "\(collection.title) by \(collection.author ?? "nobody")"
        if !collection.tags.isEmpty { line += " \(collection.tags)" }
        if let last = collection.lastPlayedTrackID { line += " last \(Legacy.short(last))" }
        return ([line] + collection.tracks.map { "  " + Self.line($0, collection) }).joined(separator: "\n")
      }.joined(separator: "\n")
    }
  }

  private static func line(_ track: AudiobookTrack, _ collection: AudiobookCollection) -> String {
    var line = "\(Legacy.short(track.id)) \(track.displayName)"
    if let original = track.originalID { line += " was \(Legacy.short(original))" }
    if let state = collection.playbackStates[track.id] { line += " at \(state.position)" }
    if let favorite = collection.favorites[track.id] {
      line += " ★" + (favorite.favoritedAt.flatMap(DateCodec.milliseconds).map { DateCodec.iso8601($0, fraction: false) } ?? "")
    }
    return line
  }
}

/// The picture of a report whose records all came in: how many, by kind.
func allImported(_ counts: KeyValuePairs<String, Int>) -> String {
  counts.map { kind, count in "\(kind) \(count): \(count) imported" }.joined(separator: "\n")
}

/// The picture of a report whose records are all in the store already.
func allSkipped(_ counts: KeyValuePairs<String, Int>) -> String {
  let lines = counts.map { kind, count in "\(kind) \(count): \(count) skipped" }
  return (lines + ["skipped \(counts.map(\.value).reduce(0, +)): in the store already"]).joined(separator: "\n")
}

/// Pieces of a `library.json`, with ids from small numbers.
enum Legacy {
  static func id(_ number: Int) -> String { "7C9E6679-7425-40DE-944B-" + String(repeating: "0", count: 10) + "\(number + 10)" }
  static func uuid(_ number: Int) -> UUID { IDCodec.parse(id(number)) ?? UUID() }

  /// `3` for `id(3)`, the first block of another.
  static func short(_ id: UUID) -> String {
    let text = IDCodec.uppercase(id)
    return text.hasPrefix("7C9E6679-7425") ? "\((Int(text.suffix(2)) ?? 0) - 10)" : String(text.prefix(8))
  }

  static func derived(_ track: Int, in collection: Int) -> UUID {
    NewID.derived(from: "\(IDCodec.lowercase(uuid(collection)))/\(IDCodec.lowercase(uuid(track)))")
  }

  static func library(_ collections: String..., version: Int = 3) -> String {
    #"{"collections":[\#(collections.joined(separator: ","))],"schemaVersion":\#(version)}"#
  }

  /// `more` are members that come on top, each with a comma behind it.
  static func collection(
    _ number: Int = 1, title: String = "三体", updatedAt: String = "2025-11-05T11:41:22Z", tracks: [String] = [], more: String = ""
  ) -> String {
    #"""
    {\#(more)"coverAsset":{"kind":{"colorHex":"#5B8DEF","type":"solid"}},"createdAt":"2025-11-03T02:10:05Z","id":"\#(id(number))",
    "source":{"folderPath":"\/有声书","tokenScope":"netdisk","type":"baiduNetdisk"},"title":"\#(title)",
    "tracks":[\#(tracks.joined(separator: ","))],"updatedAt":"\#(updatedAt)"}
    """#
  }

  static func track(_ number: Int, name: String? = nil, more: String = "") -> String {
    #"""
    {\#(more)"displayName":"\#(name ?? "track \(number)")","fileSize":1,"filename":"\#(number).mp3","id":"\#(id(number))",
    "location":{"fsId":\#(number),"path":"\/\#(number).mp3","type":"baidu"},"metadata":{},"trackNumber":\#(number)}
    """#
  }

  static func state(_ position: String = "754.2", at time: String = "2025-11-05T11:41:22Z") -> String {
    #"{"duration":1832.48,"position":\#(position),"updatedAt":"\#(time)"}"#
  }

  static func states(_ pairs: (Int, String)...) -> String {
    #""playbackStates":[\#(pairs.map { "\"\(id($0.0))\",\($0.1)" }.joined(separator: ","))],"#
  }
}
