import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of the lists of a `library.json`.
struct MusicJSONScan {
  private var scan = MusicScan(shape: .json)
  /// The entries of the first playlist with each id.
  private var lists: [UUID: JSONScanner] = [:]
  private var count = 0

  /// `at` stands at one element of the list of tracks, and ends after it.
  mutating func track(_ at: inout JSONScanner, _ visit: MusicScan.Visit) throws {
    let start = at
    var members = try SourceMembers(&at, "a track")
    // Base64 that does not encode to the same letters again was not written by an encoder.
    let picture = members.takePicture("artworkData", ValueForm<Data>.base64.read(members.value("artworkData"))?.value)
    try scan.track(&members, picture, .json(start.location, member: ".artworkData"), at: .init(start), visit)
  }

  /// `at` stands at one element of the list of playlists, and ends after it.
  mutating func playlist(_ at: inout JSONScanner, _ reader: Reader, _ visit: MusicScan.Visit) throws {
    let start = at
    var members = try SourceMembers(&at, "a playlist", lists: ["trackIDs"])
    let (id, isWhole) = try scan.playlist(&members, index: count, at: .init(start), visit)
    count += 1
    guard let list = members.list("trackIDs") else { return }
    guard let id, isWhole else {
      return try list.each { element in
        try visit(
          .damaged(
            kind: "collection_tracks", path: .json(element.location), reason: "its playlist is quarantined", original: .value(element)),
          element.offset)
      }
    }
    let first = try lists[id.value].map(Self.counts)
    if first == nil { lists[id.value] = list }
    try entries(list, of: id, allowed: first, reader, visit)
  }

  /// A later playlist with the same id adds no entries: `allowed` counts how often the first one has each track.
  private func entries(
    _ list: JSONScanner, of playlist: Written<UUID>, allowed: [UUID: Int]?, _ reader: Reader, _ visit: MusicScan.Visit
  ) throws {
    var numbers: [UUID: Int] = [:]
    var index = 0
    try list.each { element in
      defer { index += 1 }
      func damaged(_ reason: String) throws {
        try visit(
          .damaged(kind: "collection_tracks", path: .json(element.location), reason: reason, original: .value(element)), element.offset)
      }
      let text = try element.text()
      guard let track = text.flatMap(Written.init(id:)) else {
        return try damaged("a track should be a UUID" + (text.map { ", found \"\($0.prefix(60))\"" } ?? ""))
      }
      let number = numbers[track.value, default: 0]
      numbers[track.value] = number + 1
      if let allowed, number >= allowed[track.value, default: 0] {
        return try damaged("the first playlist with this id does not contain this entry")
      }
      try scan.entry(of: track, number: number, in: playlist, index: index, at: .init(element), reader, visit)
    }
  }

  private static func counts(_ list: JSONScanner) throws -> [UUID: Int] {
    var counts: [UUID: Int] = [:]
    try list.each { element in
      if let id = try element.text().flatMap(IDCodec.parse) { counts[id, default: 0] += 1 }
    }
    return counts
  }
}

extension MusicScan.Place {
  fileprivate init(_ at: JSONScanner) { self.init(path: .json(at.location), original: .value(at), position: at.offset) }
}

extension JSONScanner {
  /// Calls `body` with a scanner at each element of the list at the current place.
  fileprivate func each(_ body: (JSONScanner) throws -> Void) throws {
    var list = self
    try list.array { _, element in try body(element) }
  }

  /// The text at the current place; nil for another value.
  fileprivate func text() throws -> String? {
    var value = self
    return try value.peek() == .string ? value.string() : nil
  }
}
