import Holdfast
import HoldfastMusic

extension MusicCommands {
  func stats(_ console: Console) throws -> Answer {
    let numbers = try library.statistics()
    let counts = numbers.counts
    var facts = FactList()
    facts.add("tracks", String(counts.tracks))
    facts.add("albums", String(counts.albums))
    facts.add("artists", String(counts.artists))
    facts.add("playlists", String(counts.playlists))
    facts.add("length", DisplayText.length(numbers.totalSeconds))
    facts.add("plays", Self.plays(numbers))
    return Answer(document: document(numbers), text: facts.text + charts(numbers).map { $0.text(console.chartStyle) }.joined())
  }

  private func charts(_ numbers: MusicStatistics) -> [BarChart] {
    func chart(_ title: String, _ lines: [(String, Int)]) -> BarChart {
      var chart = BarChart(title)
      for (label, count) in lines { chart.add(label, count) }
      return chart
    }
    let isRated = numbers.stars.contains { $0 > 0 }
    return [
      chart("Tracks by genre", numbers.genres.map { ($0.name, $0.count) }),
      chart("Tracks by decade", numbers.decades.map { ("\($0.year)s", $0.tracks) }),
      chart("Tracks by year added", numbers.yearsAdded.map { (String($0.year), $0.tracks) }),
      chart(
        "Tracks by rating",
        isRated ? numbers.stars.enumerated().reversed().map { ($0.offset == 1 ? "1 star" : "\($0.offset) stars", $0.element) } : []),
      chart("Most played artists", numbers.mostPlayedArtists.map { ($0.name, $0.count) }),
      chart("Most played tracks", numbers.mostPlayedTracks.map { ("\($0.title) – \($0.artist)", $0.plays) }),
    ]
  }

  private func document(_ numbers: MusicStatistics) -> [String: JSONValue] {
    func named(_ lines: [MusicStatistics.Named], _ what: String) -> JSONValue {
      .array(lines.map { .object(["name": .string($0.name), what: .number($0.count)]) })
    }
    func years(_ lines: [MusicStatistics.Year], _ what: String) -> JSONValue {
      .array(lines.map { .object([what: .number($0.year), "tracks": .number($0.tracks)]) })
    }
    var document = Self.json(numbers)
    document["genres"] = named(numbers.genres, "tracks")
    document["decades"] = years(numbers.decades, "decade")
    document["years_added"] = years(numbers.yearsAdded, "year")
    document["ratings"] = .array(numbers.stars.enumerated().map { .object(["stars": .number($0.offset), "tracks": .number($0.element)]) })
    document["tracks_without_genre"] = .number(numbers.tracksWithoutGenre)
    document["tracks_without_year"] = .number(numbers.tracksWithoutYear)
    document["tracks_without_rating"] = .number(numbers.tracksWithoutRating)
    document["most_played_artists"] = named(numbers.mostPlayedArtists, "plays")
    document["most_played_tracks"] = .array(
      numbers.mostPlayedTracks.map { track in
        .object([
          "id": .id(track.id), "title": .string(track.title), "artist": .string(track.artist), "plays": .number(track.plays),
        ])
      })
    return document
  }
}
