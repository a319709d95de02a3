import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting

/// Tracks as they come: bare or with everything, in every script.
enum Sample {
  static let words = [
    "三体", "さくら さくら", "Café del Mar", "Beyoncé", "naïve", "Ελλάδα", "Война", "it's \"quoted\"", "100% -- AND OR", "", " ", "emoji 🎵",
    "AC/DC", "第1章", "السلام", "e\u{301}tude", "tab\tand\nline", "x",
  ]

  static func track(
    _ title: String, artist: String = LibraryTrack.unknownArtist, album: String = LibraryTrack.unknownAlbum, _ random: inout SeededGenerator
  )
    -> LibraryTrack
  {
    LibraryTrack(
      id: random.id(), title: title, artist: artist, album: album, file: TrackFile(location: FileLocation(path: "/Music/\(title).mp3")),
      addedAt: random.date())
  }

  /// Every field has a value.
  static func full(_ random: inout SeededGenerator, artwork: String? = nil) -> LibraryTrack {
    LibraryTrack(
      id: random.id(), title: random.pick(words), artist: random.pick(words), album: random.pick(words), albumArtist: random.pick(words),
      isCompilation: random.chance(50), genre: random.pick(words), year: 1998, trackNumber: 3, discNumber: 2, duration: 181.5,
      file: TrackFile(
        location: FileLocation(path: "/Music/\(random.pick(words)).mp3"), availability: FileAvailability(rawValue: "elsewhere"),
        sizeBytes: 7_000_000, modifiedAt: random.date(), contentHash: "hash"),
      artworkURL: "file:///Music/cover.jpg", artworkHash: artwork, playCount: 5, lastPlayedAt: random.date(), rating: 80,
      addedAt: random.date(), persistentID: "0123456789ABCDEF", metadata: StoredJSON(text: "{\"Bit Rate\":\"256\"}"))
  }

  /// Bare and full ones in turns.
  static func tracks(_ count: Int, _ random: inout SeededGenerator) -> [LibraryTrack] {
    (0..<count).map { $0 % 2 == 0 ? full(&random) : track("\(random.pick(words)) \($0)", artist: random.pick(words), &random) }
  }
}
