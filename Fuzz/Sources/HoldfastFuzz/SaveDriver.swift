import Foundation
import Holdfast
import HoldfastMusic

/// The child process of the kill test of `LibrarySaver`: saves one state after the other, until it is killed.
enum SaveDriver {
  /// Prints `given n` after it passed state n to the saver, and `stored n` after a flush stored that state.
  static func run(_ store: String, seed: UInt64) -> Int32 {
    do {
      let library = try MusicStore.open(at: URL(fileURLWithPath: store))
      let saver = LibrarySaver(
        library, loaded: try library.store.read { try MusicStore.state(in: $0) }, debounce: .milliseconds(1), longestDelay: .milliseconds(5)
      ) {
        say("failed \($0)")
      }
      var number = 0
      while true {
        number += 1
        saver.save(SavedState.number(number, seed: seed))
        say("given \(number)")
        if number % 7 == 0 {
          try saver.flush()
          say("stored \(number)")
        }
      }
    } catch {
      say("\(error)")
      return 1
    }
  }
}

/// The states of the kill test: each depends on its seed and number only, and none has a playlist without entries.
enum SavedState {
  private static let tracks = 40

  static func number(_ number: Int, seed: UInt64) -> LibraryState {
    var random = Shuffle(state: seed &+ UInt64(truncatingIfNeeded: number))
    let first = Int(random.next() % 5)
    let list = (first..<first + tracks).map { place in
      LibraryTrack(
        id: id("track", place), title: "\(place) in state \(number)",
        file: TrackFile(location: FileLocation(path: "/Music/\(place).mp3")), playCount: Int(random.next() % 3),
        addedAt: Date(timeIntervalSince1970: 1_700_000_000))
    }
    let playlists = (0..<4).map { place in
      MusicPlaylist(
        id: id("list", place + Int(random.next() % 2) * 10), name: "List \(place) of state \(number)",
        trackIDs: (0..<30).map { _ in list[Int(random.next() % UInt64(tracks))].id })
    }
    return LibraryState(tracks: list, playlists: playlists)
  }

  private static func id(_ kind: String, _ number: Int) -> UUID { NewID.derived(from: "\(kind) \(number)") }

  private struct Shuffle {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state >> 33
    }
  }
}
