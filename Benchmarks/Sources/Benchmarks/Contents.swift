import Foundation

/// What a workload left on disk, read by somebody who took no part.
enum Contents {
  static func read(database folder: String) throws -> [String] {
    let store = try CStore(path: folder + "/" + DataSet.databaseName, durability: .fast)
    defer { store.close() }
    return try [
      "SELECT count(*) || ' collections, last changed ' || max(updated_at) || ', sum ' || sum(updated_at) FROM collections",
      // Positions mean nothing but an order; contestants leave different gaps.
      """
      SELECT count(*) || ' tracks, places ' || sum(place * (file_size % 1009)) || ', bytes ' || sum(file_size)
      FROM (SELECT file_size, row_number() OVER (PARTITION BY collection_id ORDER BY position, id) AS place FROM tracks)
      """,
      "SELECT count(*) || ' states, at ' || round(sum(position), 3) || ', sum ' || sum(updated_at) FROM playback_states",
      "SELECT count(*) || ' favourites' FROM favorites",
      "SELECT count(*) || ' tags' FROM tags",
      "SELECT count(*) || ' last played' FROM collections JOIN tracks ON tracks.id = last_played_track_id",
      "SELECT count(*) || ' indexed' FROM tracks_search_docsize",
      "SELECT count(*) || ' found' FROM tracks_search WHERE tracks_search MATCH 'dragon'",
    ].flatMap(store.rows)
  }

  static func check(json folder: String, tracks: Int) throws {
    let contestant = try JSONContestant(folder: folder, durability: .fast)
    let found = try contestant.loadLibrary().checksum.tracks
    if found != tracks { throw Failure("the JSON file holds \(found) tracks instead of \(tracks)") }
  }
}
