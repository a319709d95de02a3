import Foundation
import Holdfast
import HoldfastAudiobooks

/// The sample library of `holdfast demo`.
enum DemoLibrary {
  static let collections = 40
  static let tracks = 25
  static let wrongTitle = "Unknown title"

  /// Saves the sample: each collection in a transaction of its own.
  static func fill(_ library: AudiobookLibrary) throws -> [AudiobookCollection] {
    let books = (1...collections).map { number in
      let created = Date(timeIntervalSince1970: 1_762_000_000 + Double(number) * 3_600)
      let chapters = (1...tracks).map { chapter in
        AudiobookTrack(
          id: UUID(), displayName: "Chapter \(chapter)", filename: "\(chapter).m4a",
          location: .external(url: "https://books.example/\(number)/\(chapter).m4a"), duration: 1_800, trackNumber: chapter)
      }
      let heard = chapters.prefix(number % tracks).map { ($0.id, PlaybackState(position: 60, duration: 1_800, updatedAt: created)) }
      return AudiobookCollection(
        id: UUID(), title: "Sample book \(number)", author: "Author \(number % 7)", createdAt: created,
        source: .external(description: "holdfast demo"), tracks: chapters, playbackStates: Dictionary(uniqueKeysWithValues: heard),
        tags: ["sample"])
    }
    for book in books { try library.store.write({ try AudiobookLibrary.save(book, in: $0) }) }
    return books
  }

  /// Saves listening positions in turns, each in a commit of its own.
  static func listen(_ library: AudiobookLibrary, commits: Int) throws {
    let all = try library.store.read { try AudiobookLibrary.collections(in: $0) }.flatMap(\.tracks)
    guard !all.isEmpty else { return }
    for commit in 0..<commits {
      let track = all[commit * 7 % all.count]
      try library.store.write {
        try AudiobookLibrary.savePlaybackState(
          PlaybackState(position: Double(commit + 1), duration: 1_800, updatedAt: Date()), of: track.id, in: $0)
      }
    }
  }

  /// Writes the library as a `library.json` with wrong names. Each collection says that it is newer than the stored one, as after an
  /// edit on a device whose clock is ahead, so an import overwrites what is stored.
  static func writeBadly(_ library: AudiobookLibrary, to file: URL) throws {
    let bad = try AudiobookLibrary.inMemory()
    for var book in try library.store.read({ try AudiobookLibrary.collections(in: $0) }) {
      book.title = wrongTitle
      book.updatedAt = Date().addingTimeInterval(3_600)
      book.tracks = book.tracks.map { track in
        var track = track
        track.displayName = "Track"
        return track
      }
      try bad.store.write { try AudiobookLibrary.save(book, in: $0) }
    }
    _ = try bad.exportLibraryJSON(to: file)
  }

  static func content(of library: AudiobookLibrary) throws -> [UUID: AudiobookCollection] {
    Dictionary(uniqueKeysWithValues: try library.store.read { try AudiobookLibrary.collections(in: $0) }.map { ($0.id, $0) })
  }

  /// How many collections of either are missing in the other, or different there.
  static func lost(_ wanted: [UUID: AudiobookCollection], _ found: [UUID: AudiobookCollection]) -> Int {
    Set(wanted.keys).union(found.keys).count { wanted[$0] != found[$0] }
  }
}
