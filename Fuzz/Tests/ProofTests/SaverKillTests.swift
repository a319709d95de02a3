import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@testable import HoldfastFuzz

/// A process that stores one state after the other with `LibrarySaver`, and is killed at random moments.
///
/// 24 times in the short form of `make proof`; 400 times in the long one.
@Suite("kill -9 of an app that saves", .serialized)
struct SaverKillTests {
  private static let kills = KillWorld.isShort ? 24 : 400

  @Test("the store is healthy and holds exactly one of the states that were given, none older than what was known to be stored")
  func kill() async throws {
    let seed = UInt64.random(in: 0...UInt64(UInt32.max))
    print("LibrarySaver, \(Self.kills) kills: seed \(seed)")
    var random = SeededGenerator(seed: seed)
    let folder = try TemporaryFolder()
    let url = folder.file("library.sqlite")
    try MusicStore.open(at: url).store.close()
    var before = LibraryState()
    var changed = 0
    for kill in 0..<Self.kills {
      let run = seed &+ UInt64(kill) &* 1_000_000
      let driver = try Driver.start(["--save-into", url.path, "--seed", "\(run)"])
      let lines = try driver.killed(afterLine: Int.random(in: 1...120, using: &random))
      // The last line may be cut, and the last state given may have had no line yet.
      let given = lines.filter { $0.hasPrefix("given ") }.count
      let stored = lines.last { $0.hasPrefix("stored ") }.flatMap { Int($0.dropFirst("stored ".count)) } ?? 0
      #expect(lines.allSatisfy { $0.hasPrefix("given ") || $0.hasPrefix("stored ") }, "\(lines.suffix(2))")

      let library = try MusicStore.open(at: url)
      let found = try await library.state()
      #expect(try await library.store.integrityCheck().findings.map(\.message) == [])
      try library.store.close()
      #expect(found.playlists.allSatisfy { !$0.trackIDs.isEmpty })
      let possible = (max(stored, 1)...(given + 1)).map { SavedState.number($0, seed: run) } + (stored == 0 ? [before] : [])
      try #require(possible.contains { Self.areEqual($0, found) }, "kill \(kill) of seed \(seed), \(stored) to \(given + 1)")
      if !Self.areEqual(found, before) { changed += 1 }
      before = found
    }
    print("\(changed) of them had stored something")
    #expect(changed * 2 > Self.kills)
  }

  /// In a library tracks have no order of their own.
  private static func areEqual(_ a: LibraryState, _ b: LibraryState) -> Bool {
    Set(a.tracks) == Set(b.tracks) && a.tracks.count == b.tracks.count && a.playlists == b.playlists
  }
}
