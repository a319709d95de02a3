import Foundation
import Holdfast
import HoldfastTransfer

extension ShownMusic {
  /// The numbers that `info` and `stats` show.
  static let numbers = ShownFields<MusicStatistics>([
    "albums": { numbers in
      .told(.count(numbers.counts.albums), "\(numbers.counts.albums) of \(ShownValue.counted(numbers.counts.artists, "artist"))")
    },
    "playlists": { numbers in
      let folders = numbers.counts.folders
      return .told(
        .count(numbers.counts.playlists),
        String(numbers.counts.playlists) + (folders > 0 ? " in \(ShownValue.counted(folders, "folder"))" : ""))
    },
    "total_bytes": { .size($0.totalBytes).unlessZero }, "plays": { .told(.count($0.plays), plays($0)) },
  ]).titled([
    "tracks": "tracks", "albums": "albums", "playlists": "playlists", "total_seconds": "length", "total_bytes": "files", "plays": "plays",
    "artists": nil, "folders": nil, "played_tracks": nil,
  ])

  private static func plays(_ numbers: MusicStatistics) -> String {
    numbers.plays > 0 ? "\(numbers.plays) of \(ShownValue.counted(numbers.playedTracks, "track"))" : "none"
  }

  private static let sums = ShownFields<MusicStatistics>([
    "plays": { .told(.count($0.plays), plays($0)) },
    "genres": { named($0.genres, "tracks") }, "decades": { years($0.decades, "decade") },
    "years_added": { years($0.yearsAdded, "year") },
    "ratings": { .json(.array($0.stars.enumerated().map { .object(["stars": count($0.offset), "tracks": count($0.element)]) })) },
    "most_played_artists": { named($0.mostPlayedArtists, "plays") },
  ]).titled([
    "tracks": "tracks", "albums": "albums", "artists": "artists", "playlists": "playlists", "total_seconds": "length", "plays": "plays",
    "genres": nil, "decades": nil, "years_added": nil, "ratings": nil, "tracks_without_genre": nil, "tracks_without_year": nil,
    "tracks_without_rating": nil, "most_played_artists": nil, "most_played_tracks": nil,
  ])

  private static func count(_ number: Int) -> JSONValue { .integer(Int64(number)) }
  private static func named(_ lines: [MusicStatistics.Named], _ what: String) -> ShownValue {
    .json(.array(lines.map { .object(["name": .string($0.name), what: count($0.count)]) }))
  }
  private static func years(_ lines: [MusicStatistics.Year], _ what: String) -> ShownValue {
    .json(.array(lines.map { .object([what: count($0.year), "tracks": count($0.tracks)]) }))
  }

  static func stats(_ reader: Reader) throws -> Shown {
    let all = try MusicStore.statistics(in: reader)
    let stars = all.stars.contains { $0 > 0 } ? Array(all.stars.enumerated().reversed()) : []
    return Shown(
      (numbers + sums).members(of: all),
      [
        sums.facts(of: all), .chart(title: "Tracks by genre", .init(all.genres.map { ($0.name, $0.count) })),
        .chart(title: "Tracks by decade", .init(all.decades.map { ("\($0.year)s", $0.tracks) })),
        .chart(title: "Tracks by year added", .init(all.yearsAdded.map { (String($0.year), $0.tracks) })),
        .chart(title: "Tracks by rating", .init(stars.map { ($0.offset == 1 ? "1 star" : "\($0.offset) stars", $0.element) })),
        .chart(title: "Most played artists", .init(all.mostPlayedArtists.map { ($0.name, $0.count) })),
        .chart(title: "Most played tracks", .init(all.mostPlayedTracks.map { ("\($0.title) – \($0.artist)", $0.plays) })),
      ])
  }
}
