import Foundation
import Holdfast
import HoldfastAudiobooks

extension AudiobookCommands {
  func show(_ text: String, _ console: Console) throws -> Answer {
    let (collection, trackID) = try library.store.read { reader in
      let place = try AudiobookLookup(text: text, in: reader).place()
      guard let collection = try AudiobookLibrary.collection(place.collectionID, in: reader) else {
        throw StoreError(.notFound, "there is no collection \(IDCodec.lowercase(place.collectionID))")
      }
      return (collection, place.trackID)
    }
    if let trackID {
      guard let index = collection.tracks.firstIndex(where: { $0.id == trackID }) else {
        throw StoreError(.notFound, "there is no track \(IDCodec.lowercase(trackID))")
      }
      let track = ShownTrack(collection, index)
      return Answer(
        document: [
          "kind": .string("track"), "track": track.json, "collection_id": .id(collection.id),
          "collection_title": .string(collection.title),
        ], text: track.text)
    }
    let tracks = collection.tracks.indices.map { ShownTrack(collection, $0) }
    return Answer(
      document: [
        "kind": .string("collection"), "collection": json(collection, tracks),
      ], text: facts(collection, tracks, console))
  }

  private func facts(_ collection: AudiobookCollection, _ tracks: [ShownTrack], _ console: Console) -> String {
    let summary = CollectionSummary(collection)
    var facts = FactList()
    facts.add("title", collection.title)
    facts.add("author", collection.author)
    facts.add("about", collection.description)
    facts.add("tags", collection.tags.joined(separator: ", "))
    facts.add("source", collection.source.type)
    facts.add("length", DisplayText.length(summary.totalSeconds))
    facts.add("heard", DisplayText.length(summary.listenedSeconds))
    facts.add("added", DisplayText.time(collection.createdAt))
    facts.add("changed", DisplayText.time(collection.updatedAt))
    facts.add("last played", collection.lastPlayedTrackID.flatMap { id in collection.tracks.first { $0.id == id }?.displayName })
    facts.add("id", IDCodec.lowercase(collection.id))
    guard !tracks.isEmpty else { return facts.text }
    var table = TextTable([
      .number("#"), .flexible("TRACK"), .number("LENGTH"), .number("HEARD"), .text("FAVORITE"), .text("ID"),
    ])
    for track in tracks { table.add(track.cells) }
    return facts.text + "\n" + table.text(width: console.outputWidth)
  }

  private func json(_ collection: AudiobookCollection, _ tracks: [ShownTrack]) -> JSONValue {
    .object([
      "id": .id(collection.id), "title": .string(collection.title), "author": .text(collection.author),
      "description": .text(collection.description), "created_at": .time(collection.createdAt), "updated_at": .time(collection.updatedAt),
      "cover": .object([
        "type": .string(collection.cover.image.type), "payload": .stored(collection.cover.image.payload),
        "dominant_color": .text(collection.cover.dominantColorHex),
      ]),
      "source": .object(["type": .string(collection.source.type), "payload": .stored(collection.source.payload)]),
      "last_played_track_id": .id(collection.lastPlayedTrackID), "tags": .texts(collection.tags), "tracks": .array(tracks.map(\.json)),
    ])
  }
}

/// A track with its place in the collection and what the listener did with it.
private struct ShownTrack {
  let track: AudiobookTrack
  let number: Int
  let state: PlaybackState?
  let favorite: Favorite?

  init(_ collection: AudiobookCollection, _ index: Int) {
    track = collection.tracks[index]
    number = index + 1
    state = collection.playbackStates[track.id]
    favorite = collection.favorites[track.id]
  }

  var cells: [String] {
    [
      String(number), track.displayName, DisplayText.length(track.duration), DisplayText.length(state?.position),
      favorite == nil ? "" : "yes", IDCodec.lowercase(track.id),
    ]
  }

  var text: String {
    var facts = FactList()
    facts.add("track", track.displayName)
    facts.add("number", String(number))
    facts.add("file", track.filename)
    facts.add("size", DisplayText.size(track.fileSize))
    facts.add("length", DisplayText.length(track.duration))
    facts.add("location", track.location.type)
    facts.add("heard", state.map { "\(DisplayText.length($0.position)) at \(DisplayText.time($0.updatedAt))" })
    facts.add("favorite", favorite.map { "yes \(DisplayText.time($0.favoritedAt))" })
    facts.add("id", IDCodec.lowercase(track.id))
    return facts.text
  }

  var json: JSONValue {
    .object([
      "id": .id(track.id), "number": .number(number), "display_name": .string(track.displayName), "filename": .string(track.filename),
      "track_number": .number(track.trackNumber), "file_size": .integer(track.fileSize), "duration_seconds": .number(track.duration),
      "checksum": .text(track.checksum), "original_id": .id(track.originalID), "metadata": .stored(track.metadata.text),
      "location": .object(["type": .string(track.location.type), "payload": .stored(track.location.payload)]),
      "is_favorite": .bool(favorite != nil), "favorited_at": .time(favorite?.favoritedAt),
      "playback": state.map { state in
        .object([
          "position_seconds": .double(state.position), "duration_seconds": .number(state.duration), "updated_at": .time(state.updatedAt),
        ])
      } ?? .null,
    ])
  }
}
