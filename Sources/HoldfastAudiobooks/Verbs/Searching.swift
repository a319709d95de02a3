public import Foundation
public import Holdfast

/// A collection or track that a search found.
public enum SearchHit: Sendable, Hashable {
  /// A collection by its title or author.
  case collection(id: UUID, title: String, author: String?)
  /// A track by its name.
  case track(id: UUID, name: String, collectionID: UUID, collectionTitle: String)
}

extension AudiobookLibrary {
  /// Finds titles, authors and track names that contain every word; a word may be the beginning of a longer one. Accents and
  /// case do not matter; Chinese, Japanese and other scripts without spaces are found inside a sentence.
  ///
  /// - Parameters:
  ///   - ranked: best first within each kind. Costs many times the search itself; without it, hits come in the order of storing.
  ///   - limit: the most collections, and the most tracks. Values below 1 count as 1.
  /// - Returns: collections, then tracks. Empty for a text without a word.
  public func search(_ text: String, ranked: Bool = false, limit: Int = 50) async throws -> [SearchHit] {
    try await store.read { try Self.search(text, ranked: ranked, limit: limit, in: $0) }
  }

  /// Finds titles, authors and track names by words inside your transaction; as `search(_:ranked:limit:)`.
  public static func search(_ text: String, ranked: Bool = false, limit: Int = 50, in reader: Reader) throws -> [SearchHit] {
    guard let query = SearchText.query(text) else { return [] }
    let limit = max(1, limit)
    let order: BoundSQL = ranked ? "ORDER BY f.rank" : ""
    let collections = try reader.values(
      """
      SELECT c.id, c.title, c.author FROM collections_search f JOIN collections c ON c.rowid = f.rowid
      WHERE collections_search MATCH \(query) \(sql: order) LIMIT \(limit)
      """
    ) { row in SearchHit.collection(id: try row.id(), title: try row.text(), author: try row.textOrNil()) }
    let tracks = try reader.values(
      """
      SELECT t.id, t.display_name, c.id, c.title FROM tracks_search f JOIN tracks t ON t.rowid = f.rowid
      JOIN collections c ON c.id = t.collection_id WHERE tracks_search MATCH \(query) \(sql: order) LIMIT \(limit)
      """
    ) { row in
      SearchHit.track(id: try row.id(), name: try row.text(), collectionID: try row.id(), collectionTitle: try row.text())
    }
    return collections + tracks
  }
}
