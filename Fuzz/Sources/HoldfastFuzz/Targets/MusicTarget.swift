import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTransfer

/// The common part of the formats of a music library.
protocol MusicTarget: ImportTarget {}

extension MusicTarget {
  var schemas: [StoreSchema] { [MusicStore.schema] }
  /// Tracks before the pictures that they show.
  var tables: [String] { ["tracks", "artwork", "collections", "collection_tracks"] }
  var saysWhere: Bool { false }
  var uncounted: Set<String> { ["playlist_notes"] }

  func format(of source: ImportSource) throws -> any ImportFormat { try MusicStore.importer(for: source) }

  func edit(_ store: Store, _ random: inout SeededRandom) throws {
    let library = MusicStore(store)
    for track in try library.store.read({ try MusicStore.tracks(in: $0) }) {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: _ = try library.store.write { try MusicStore.deleteTracks([track.id], in: $0) }
      case 1:
        var renamed = track
        renamed.title = "renamed"
        try library.store.write { try MusicStore.saveTracks([renamed], in: $0) }
      case 2: try library.store.write { try MusicStore.recordPlay(of: track.id, at: Date(timeIntervalSince1970: 1_762_342_882), in: $0) }
      case 3: try library.store.write { try MusicStore.rate(80, track: track.id, in: $0) }
      case 4: _ = try library.store.write { try MusicStore.removeUnusedArtwork(in: $0) }
      default: break
      }
    }
    let lists = try library.store.read { try MusicStore.playlists(in: $0) }
    for list in lists {
      let entries = try library.store.read { try MusicStore.entries(of: list.id, in: $0) }.items.map(\.id)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: _ = try library.store.write { try MusicStore.renamePlaylist(list.id, to: "renamed", in: $0) }
      case 1: _ = try library.store.write { try MusicStore.deletePlaylist(list.id, in: $0) }
      case 2: if let last = entries.last { try library.store.write { try MusicStore.moveEntry(last, before: entries.first, in: $0) } }
      case 3: _ = try library.store.write { try MusicStore.removeEntries(Array(entries.prefix(1)), in: $0) }
      case 4:
        if !list.isFolder {
          _ = try library.store.write {
            try MusicStore.addTracks(Array(list.trackIDs.prefix(2)), to: list.id, before: entries.first, in: $0)
          }
        }
      case 5: try library.store.write { try MusicStore.movePlaylist(list.id, before: nil, in: $0) }
      case 6: _ = try library.store.write { try MusicStore.createPlaylist(named: "new", in: list.isFolder ? list.id : nil, in: $0) }
      case 7:
        // The library refuses this move if the folder is inside the list.
        if let folder = lists.last(where: { $0.isFolder && $0.id != list.id }) {
          try? library.store.write { try MusicStore.movePlaylist(list.id, toFolder: folder.id, in: $0) }
        }
      default: break
      }
    }
  }
}

enum MusicTexts {
  /// Titles, names and genres. None has a character that XML or a line cannot hold.
  static let names = [
    "Blå timme", "Der Prozeß", "Café du Monde", "夜曲", "ノルウェイの森", "أغنية", "Ночь", "e\u{301}tude", "🎵 Emoji", "a \"quoted\" \\ & <b>", "",
    "A",
    "AC/DC - Live", "100% #1",
  ]
  /// Names that Windows-1252 can encode.
  static let western = ["Blå timme", "Der Prozeß", "Café – du Monde", "100% #1", "A, B & \"C\"", "€ 5", "plain"]

  /// The beginnings of pictures. The importer reads no more of a picture.
  static let pictures: [[UInt8]] = [
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 4, 0, 0, 0, 5, 8, 2, 0, 0, 0],
    [0xFF, 0xD8, 0xFF, 0xE0, 0, 4, 0, 0, 0xFF, 0xC0, 0, 11, 8, 0, 7, 0, 9, 1, 0x11, 0], Array("GIF89a".utf8) + [2, 0, 3, 0], [0],
  ]
}

extension SeededRandom {
  mutating func musicName() -> String { pick(MusicTexts.names, otherwise: "") }
}
