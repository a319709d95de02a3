import Holdfast
import HoldfastAudiobooks

extension AudiobookCommands {
  func stats(_ console: Console) throws -> Answer {
    let (numbers, heard) = try library.store.read { reader in
      (try AudiobookLibrary.statistics(in: reader), try AudiobookLibrary.mostHeard(limit: 10, in: reader))
    }
    let collections = Progress(
      all: numbers.collections, finished: numbers.finishedCollections, inProgress: numbers.collectionsInProgress)
    let tracks = Progress(all: numbers.tracks, finished: numbers.finishedTracks, inProgress: numbers.tracksInProgress)
    var facts = FactList()
    facts.add("collections", String(numbers.collections))
    facts.add("tracks", String(numbers.tracks))
    facts.add("favorites", String(numbers.favorites))
    facts.add("length", DisplayText.length(numbers.totalSeconds))
    facts.add("heard", DisplayText.length(numbers.listenedSeconds))
    var mostHeard = BarChart("Most heard")
    for one in heard { mostHeard.add(one.title, one.listenedSeconds, DisplayText.length(one.listenedSeconds)) }
    let charts = [collections.chart("Collections by progress"), tracks.chart("Tracks by progress"), mostHeard]
    return Answer(
      document: [
        "collections": .number(numbers.collections), "tracks": .number(numbers.tracks), "favorites": .number(numbers.favorites),
        "total_seconds": .double(numbers.totalSeconds), "listened_seconds": .double(numbers.listenedSeconds),
        "collections_by_progress": collections.json, "tracks_by_progress": tracks.json,
        "most_heard": .array(
          heard.map { one in
            .object([
              "id": .id(one.id), "title": .string(one.title), "author": .text(one.author),
              "listened_seconds": .double(one.listenedSeconds), "total_seconds": .double(one.totalSeconds),
            ])
          }),
      ], text: facts.text + charts.map { $0.text(console.chartStyle) }.joined())
  }
}

/// How many of some things were heard to their end, begun, and neither.
private struct Progress {
  var all: Int
  var finished: Int
  var inProgress: Int
  var notBegun: Int { max(0, all - finished - inProgress) }

  func chart(_ title: String) -> BarChart {
    var chart = BarChart(title)
    guard all > 0 else { return chart }
    for (label, count) in [("finished", finished), ("in progress", inProgress), ("not begun", notBegun)] { chart.add(label, count) }
    return chart
  }

  var json: JSONValue { .numbers(["finished": finished, "in_progress": inProgress, "not_begun": notBegun]) }
}
