import Foundation
public import Holdfast

extension MusicLibrary {
  /// Finds tracks by title, artist, album, album artist and genre: every word must be in one of them, and may be the beginning of
  /// a longer one. Accents and case do not matter; Chinese, Japanese and other scripts without spaces are found inside a sentence.
  ///
  /// - Parameters:
  ///   - ranked: best first. Costs many times the search itself; without it the order is that of storing.
  ///   - limit: how many; values below 1 count as 1.
  /// - Returns: nothing for a text without a word.
  public func search(_ text: String, ranked: Bool = false, limit: Int = 50) throws -> [Track] {
    try store.read { try Self.search(text, ranked: ranked, limit: limit, in: $0) }
  }
  public func search(_ text: String, ranked: Bool = false, limit: Int = 50) async throws -> [Track] {
    try await store.read { try Self.search(text, ranked: ranked, limit: limit, in: $0) }
  }

  /// What a search finds now, and after each change of a track.
  public func searchUpdates(_ text: String, ranked: Bool = false, limit: Int = 50) -> Updates<[Track]> {
    store.updates(of: ["tracks"]) { try Self.search(text, ranked: ranked, limit: limit, in: $0) }
  }

  public static func search(_ text: String, ranked: Bool = false, limit: Int = 50, in reader: Reader) throws -> [Track] {
    guard let query = SearchText.query(text) else { return [] }
    let order: SQL = ranked ? "ORDER BY f.rank" : ""
    return try reader.values(
      """
      SELECT \(sql: Track.joinedColumns) FROM tracks_search f JOIN tracks t ON t.rowid = f.rowid
      WHERE tracks_search MATCH \(query) \(sql: order) LIMIT \(max(1, limit))
      """, Track.init(loading:))
  }
}
