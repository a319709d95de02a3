import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of the lists of a `library.json`.
struct MusicJSONScan {
  private var scan = MusicScan(shape: .json)
  /// The list of the first playlist with an id.
  private var lists: [UUID: JSONScanner] = [:]
  private var count = 0

  /// `at` stands at one element of the list of tracks, and ends behind it.
  mutating func track(_ at: inout JSONScanner, _ visit: MusicScan.Visit) throws {
    let start = at
    let parsed = try MusicJSONTrack(&at).parsed
    try scan.take(parsed, path: .json(start.location), original: .value(start), at: start.offset, visit)
  }

  /// `at` stands at one element of the list of playlists, and ends behind it.
  mutating func playlist(_ at: inout JSONScanner, _ reader: Reader, _ visit: MusicScan.Visit) throws {
    let start = at
    let path = SourcePath.json(start.location)
    let place = count
    count += 1
    guard try at.peek() == .object else {
      return try visit(
        .damaged(kind: "collections", path: path, reason: "a playlist should be an object", original: .value(start)), start.offset)
    }
    var fields = JSONFields(keys: ["id", "name", "trackIDs"])
    var id: Written<UUID>?
    var name = ""
    var list: JSONScanner?
    var unknown: [(key: String, at: JSONScanner)] = []
    try at.object { key, value in
      switch fields.number(of: key) {
      case 0: id = try fields.id("id", &value)
      case 1: name = try fields.text("name", &value)
      case 2: if try value.peek() == .array { list = value } else { fields.fail("trackIDs should be a list") }
      default: unknown.append((key.string, value))
      }
    }
    fields.requireFirst(3)
    guard let id, fields.problem == nil else {
      try visit(
        .damaged(kind: "collections", path: path, reason: fields.problem ?? "it cannot be read", original: .value(start)), start.offset)
      return try list?.each { element in
        try visit(
          .damaged(
            kind: "collection_tracks", path: .json(element.location), reason: "its playlist is quarantined", original: .value(element)),
          element.offset)
      } ?? ()
    }
    for (key, at) in unknown {
      try visit(
        .damagedField(kind: "collections", field: key, path: path, reason: "this field is not known", original: .value(at)), start.offset)
    }
    let row = PlaylistRow(MusicPlaylist(id: id.value, name: name), at: ListPlace.position(at: place))
    try visit(
      .record(
        SourceRecord(
          kind: "collections", key: IDCodec.lowercase(id.value), path: path, fields: MusicShape.json.fields(of: row, id: id.text),
          content: .playlist(SourcePlaylist(row: row, carries: .place)), original: .value(start))), start.offset)
    guard let list else { return }
    let first = try lists[id.value].map(Self.counts)
    if first == nil { lists[id.value] = list }
    try entries(list, of: id, allowed: first, reader, visit)
  }

  /// A playlist whose id stands earlier in the source adds nothing to that one: `allowed` says how often it has each track.
  private func entries(
    _ list: JSONScanner, of playlist: Written<UUID>, allowed: [UUID: Int]?, _ reader: Reader, _ visit: MusicScan.Visit
  ) throws {
    var numbers: [UUID: Int] = [:]
    var place = 0
    try list.each { element in
      let index = place
      place += 1
      func damaged(_ reason: String) throws {
        try visit(
          .damaged(kind: "collection_tracks", path: .json(element.location), reason: reason, original: .value(element)), element.offset)
      }
      var field = JSONFields(keys: [])
      var value = element
      guard let track = try field.id("a track", &value) else { return try damaged(field.problem ?? "it cannot be read") }
      let number = numbers[track.value, default: 0]
      numbers[track.value] = number + 1
      if let allowed, number >= allowed[track.value, default: 0] {
        return try damaged("the playlist of this id that stands earlier does not have it")
      }
      let id = MusicRecord.entryID(of: track.value, number: number, in: playlist.value)
      let row = EntryRow(id: id, of: track.value, in: playlist.value, at: ListPlace.position(at: index))
      try visit(
        scan.entry(
          row, collection: playlist.text, track: track.text, path: .json(element.location), original: .value(element), reader),
        element.offset)
    }
  }

  private static func counts(_ list: JSONScanner) throws -> [UUID: Int] {
    var counts: [UUID: Int] = [:]
    try list.each { element in
      var value = element
      if try value.peek() == .string, let id = IDCodec.parse(try value.string()) { counts[id, default: 0] += 1 }
    }
    return counts
  }
}

extension JSONScanner {
  /// Calls `body` with a scanner at each element of the list that this one stands at.
  fileprivate func each(_ body: (JSONScanner) throws -> Void) throws {
    var list = self
    try list.array { _, element in try body(element) }
  }
}
