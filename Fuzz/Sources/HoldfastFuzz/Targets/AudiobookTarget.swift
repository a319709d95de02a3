import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer

/// The common part of the formats of an audiobook player's library.
protocol AudiobookTarget: ImportTarget {}

extension AudiobookTarget {
  var schemas: [StoreSchema] { [AudiobookLibrary.schema] }
  var tables: [String] { ["collections", "tracks", "playback_states", "favorites", "tags"] }

  func format(of source: ImportSource) throws -> any ImportFormat { try AudiobookLibrary.importer(for: source) }

  func edit(_ store: Store, _ random: inout SeededRandom) throws {
    let library = AudiobookLibrary(store)
    for collection in try library.store.read({ try AudiobookLibrary.collections(in: $0) }) {
      let track = collection.tracks.randomElement(using: &random)?.id
      switch Int.random(in: 0..<9, using: &random) {
      case 0: _ = try library.store.write { try AudiobookLibrary.deleteCollection(collection.id, in: $0) }
      case 1: _ = try library.store.write { try AudiobookLibrary.renameCollection(collection.id, to: "renamed", in: $0) }
      case 2:
        if let tag = collection.tags.first {
          _ = try library.store.write { try AudiobookLibrary.removeTag(tag, from: collection.id, in: $0) }
        }
      case 3: if let track { _ = try library.store.write { try AudiobookLibrary.removeTracks([track], in: $0) } }
      case 4: if let track { _ = try library.store.write { try AudiobookLibrary.renameTrack(track, to: "renamed", in: $0) } }
      case 5: if let track { _ = try library.store.write { try AudiobookLibrary.toggleFavorite(track: track, in: $0) } }
      case 6:
        if let track {
          try library.store.write {
            try AudiobookLibrary.savePlaybackState(
              PlaybackState(position: 3, updatedAt: Date(timeIntervalSince1970: 1_800_000_000)), of: track, in: $0)
          }
        }
      case 7: if let track { try library.store.write { try AudiobookLibrary.moveTrack(track, before: nil, in: $0) } }
      default: break
      }
    }
  }
}

enum AudiobookTexts {
  static let titles = [
    "三体", "Der Prozeß", "Café du Monde", "ノルウェイの森", "حكاية", "📚 Emoji", "a \"quoted\" \\ line\n2", "", "nul\u{0}byte", "e\u{301}",
  ]
  static let tags = ["sci-fi", "中文", "Kinder", "", "é", "long tag with spaces"]
}
