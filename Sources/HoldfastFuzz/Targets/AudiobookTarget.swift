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
    for collection in try library.collections() {
      let track = collection.tracks.randomElement(using: &random)?.id
      switch Int.random(in: 0..<9, using: &random) {
      case 0: try library.deleteCollection(collection.id)
      case 1: try library.renameCollection(collection.id, to: "renamed")
      case 2: if let tag = collection.tags.first { try library.removeTag(tag, from: collection.id) }
      case 3: if let track { try library.removeTracks([track]) }
      case 4: if let track { try library.renameTrack(track, to: "renamed") }
      case 5: if let track { try library.toggleFavorite(track: track) }
      case 6: if let track { try library.savePlaybackState(PlaybackState(position: 3, updatedAt: Date()), of: track) }
      case 7: if let track { try library.moveTrack(track, before: nil) }
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
