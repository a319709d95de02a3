import Foundation
import Holdfast
import HoldfastAudiobooks

extension AudiobookCommands {
  func list(_ what: String, limit: Int?, _ console: Console) throws -> Answer {
    let (total, collections) = try library.store.read { reader in
      // A page at a time: the tracks of all collections need not be in memory together.
      let summaries = try gather(limit, as: CollectionSummary.init) { key, limit in
        try AudiobookLibrary.collections(after: key, limit: limit, in: reader)
      }
      return (try AudiobookLibrary.statistics(in: reader).collections, summaries)
    }
    var table = TextTable([
      .text("ID"), .flexible("TITLE"), .flexible("AUTHOR"), .number("TRACKS"), .number("LENGTH"), .number("HEARD"), .text("ADDED"),
    ])
    for collection in collections { table.add(collection.cells) }
    let rest = total - collections.count
    return Answer(
      document: ["total": .number(total), "collections": .array(collections.map(\.json))],
      text: collections.isEmpty ? "" : table.text(width: console.outputWidth),
      notes: total == 0 ? ["There are no collections."] : rest > 0 ? ["… and \(rest) more."] : [])
  }
}

/// A collection in one line.
struct CollectionSummary {
  let id: UUID
  let title: String
  let author: String?
  let tracks: Int
  let totalSeconds: Double
  let listenedSeconds: Double
  let favorites: Int
  let tags: [String]
  let sourceType: String
  let createdAt: Date
  let updatedAt: Date

  init(_ collection: AudiobookCollection) {
    id = collection.id
    title = collection.title
    author = collection.author
    tracks = collection.tracks.count
    totalSeconds = collection.tracks.reduce(0) { $0 + ($1.duration ?? 0) }
    listenedSeconds = collection.playbackStates.values.reduce(0) { $0 + $1.position }
    favorites = collection.favorites.count
    tags = collection.tags
    sourceType = collection.source.type
    createdAt = collection.createdAt
    updatedAt = collection.updatedAt
  }

  var cells: [String] {
    // Nothing rather than 0:00, which would say that an unknown length is known.
    func length(_ seconds: Double) -> String { seconds > 0 ? DisplayText.length(seconds) : "" }
    return [
      IDCodec.lowercase(id), title, author ?? "", String(tracks), length(totalSeconds), length(listenedSeconds),
      DisplayText.time(createdAt),
    ]
  }

  var json: JSONValue {
    .object([
      "id": .id(id), "title": .string(title), "author": .text(author), "tracks": .number(tracks), "total_seconds": .double(totalSeconds),
      "listened_seconds": .double(listenedSeconds), "favorites": .number(favorites), "tags": .texts(tags),
      "source_type": .string(sourceType), "created_at": .time(createdAt), "updated_at": .time(updatedAt),
    ])
  }
}
