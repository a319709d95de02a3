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
    for track in try library.tracks() {
      switch Int.random(in: 0..<10, using: &random) {
      case 0: _ = try library.deleteTracks([track.id])
      case 1:
        var renamed = track
        renamed.title = "renamed"
        try library.saveTracks([renamed])
      case 2: try library.recordPlay(of: track.id, at: Date(timeIntervalSince1970: 1_762_342_882))
      case 3: try library.rate(80, track: track.id)
      case 4: _ = try library.removeUnusedArtwork()
      default: break
      }
    }
    let lists = try library.playlists()
    for list in lists {
      let entries = try library.entries(of: list.id).items.map(\.id)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: _ = try library.renamePlaylist(list.id, to: "renamed")
      case 1: _ = try library.deletePlaylist(list.id)
      case 2: if let last = entries.last { try library.moveEntry(last, before: entries.first) }
      case 3: _ = try library.removeEntries(Array(entries.prefix(1)))
      case 4: if !list.isFolder { _ = try library.addTracks(Array(list.trackIDs.prefix(2)), to: list.id, before: entries.first) }
      case 5: try library.movePlaylist(list.id, before: nil)
      case 6: _ = try library.createPlaylist(named: "new", in: list.isFolder ? list.id : nil)
      case 7:
        // The library refuses this move if the folder is inside the list.
        if let folder = lists.last(where: { $0.isFolder && $0.id != list.id }) { try? library.movePlaylist(list.id, toFolder: folder.id) }
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
