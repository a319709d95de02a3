import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastMusic

@Suite("Statistics") struct Statistics {
  @Test("the numbers are those that a walk over all tracks gives", arguments: [UInt64(30), 31])
  func model(seed: UInt64) async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: seed)
    var tracks = Sample.tracks(300, &random)
    for index in tracks.indices {
      tracks[index].genre = random.pick([nil, "", "Rock", "rock", "Jazz", "Barock"] + Sample.words)
      tracks[index].year = random.pick([nil, .min, -5, 0, 1, 9, 10, 1989, 1990, 1999, 2000, 9999, 10000, .max])
      tracks[index].rating = random.pick([nil, 0, 1, 19, 20, 39, 40, 60, 80, 99, 100])
      tracks[index].playCount = random.pick([0, 0, 1, 2, 7, 100])
      tracks[index].duration = random.pick([nil, 0, 181.5])
      tracks[index].file.sizeBytes = random.pick([nil, 0, 7_000_000])
      tracks[index].addedAt = random.chance(20) ? nil : random.pick(Self.newYear)
    }
    try await world.library.saveTracks(tracks)
    try await world.library.savePlaylists([
      MusicPlaylist(id: random.id(), name: "List", trackIDs: [tracks[0].id, tracks[0].id]),
      MusicPlaylist(id: random.id(), name: "Folder", isFolder: true),
      MusicPlaylist(id: random.id(), name: "Empty"),
    ])
    let numbers = try await world.library.statistics()
    var expected = walk(tracks)
    expected.counts.playlists = 2
    expected.counts.folders = 1
    #expect(numbers == expected, "seed \(seed)")
    #expect(numbers.genres.count == 10 && numbers.decades.count == 6 && !numbers.stars.contains(0), "seed \(seed)")
    #expect(try await world.library.counts() == expected.counts)
  }

  @Test("an empty library has zeros")
  func empty() async throws {
    let world = try World.temporary()
    #expect(try await world.library.statistics() == MusicStatistics())
    #expect(try await world.library.counts() == MusicCounts())
  }

  @Test("plays and sizes that are too many for a number are as many as it can say")
  func overflow() async throws {
    let world = try World.inMemory()
    var random = SeededGenerator(seed: 32)
    var tracks = [Sample.track("One", &random), Sample.track("Two", &random)]
    for index in tracks.indices {
      tracks[index].playCount = .max
      tracks[index].file.sizeBytes = .max
    }
    try await world.library.saveTracks(tracks)
    let numbers = try await world.library.statistics()
    #expect(numbers.plays == .max)
    #expect(numbers.totalBytes == .max)
    #expect(numbers.mostPlayedArtists == [.init(name: LibraryTrack.unknownArtist, count: .max)])
  }

  @Test("the numbers come again after a track and after a playlist changed")
  func updates() async throws {
    let world = try World.temporary()
    var random = SeededGenerator(seed: 33)
    var updates = try await FollowedUpdates(world.library.statisticsUpdates())
    #expect(updates.first.counts == MusicCounts())
    try await world.library.saveTracks([Sample.track("One", &random)])
    #expect(try await updates.next()?.counts == MusicCounts(tracks: 1, albums: 1, artists: 1))
    try await world.library.savePlaylists([MusicPlaylist(id: random.id(), name: "List")])
    #expect(try await updates.next()?.counts == MusicCounts(tracks: 1, albums: 1, artists: 1, playlists: 1))
  }

  /// Around a turn of the year and of the epoch, to the millisecond: 2024, 2025, 1969, 1970.
  private static let newYear = [1_735_689_599.999, 1_735_689_600, -0.001, 0].map(Date.init(timeIntervalSince1970:))

  private func walk(_ tracks: [LibraryTrack]) -> MusicStatistics {
    var numbers = MusicStatistics()
    numbers.counts.tracks = tracks.count
    numbers.counts.albums = Set(tracks.map { [$0.album, $0.groupArtist] }).count
    numbers.counts.artists = Set(tracks.map(\.groupArtist)).count
    var genres: [String: Int] = [:]
    var decades: [Int: Int] = [:]
    var years: [Int: Int] = [:]
    var artists: [String: Int] = [:]
    for track in tracks {
      numbers.totalSeconds += track.duration ?? 0
      numbers.totalBytes += track.file.sizeBytes ?? 0
      numbers.plays += track.playCount
      if track.playCount > 0 {
        numbers.playedTracks += 1
        artists[track.artist, default: 0] += track.playCount
      }
      if let genre = track.genre, !genre.isEmpty { genres[genre, default: 0] += 1 } else { numbers.tracksWithoutGenre += 1 }
      if let year = track.year, (1...9999).contains(year) {
        decades[year - year % 10, default: 0] += 1
      } else {
        numbers.tracksWithoutYear += 1
      }
      if let rating = track.rating { numbers.stars[rating / 20] += 1 } else { numbers.tracksWithoutRating += 1 }
      if let date = track.addedAt { years[[2024, 2025, 1969, 1970][Self.newYear.firstIndex(of: date) ?? 0], default: 0] += 1 }
    }
    numbers.genres = top(genres)
    numbers.mostPlayedArtists = top(artists)
    numbers.decades = decades.sorted { $0.key < $1.key }.map { .init(year: $0.key, tracks: $0.value) }
    numbers.yearsAdded = years.sorted { $0.key < $1.key }.map { .init(year: $0.key, tracks: $0.value) }
    let played = tracks.filter { $0.playCount > 0 }.sorted { left, right in
      if left.playCount != right.playCount { return left.playCount > right.playCount }
      return IDCodec.lowercase(left.id) > IDCodec.lowercase(right.id)
    }
    numbers.mostPlayedTracks = played.prefix(10).map { .init(id: $0.id, title: $0.title, artist: $0.artist, plays: $0.playCount) }
    return numbers
  }

  /// As SQLite sorts texts: by their bytes.
  private func top(_ counts: [String: Int]) -> [MusicStatistics.Named] {
    let sorted = counts.sorted { left, right in
      if left.value != right.value { return left.value > right.value }
      return left.key.utf8.lexicographicallyPrecedes(right.key.utf8)
    }
    return sorted.prefix(10).map { .init(name: $0.key, count: $0.value) }
  }
}
