import Foundation
public import Holdfast

extension MusicStore {
  /// Finds tracks whose title, artist, album, album artist or genre contain every word; a word may be the beginning of a longer
  /// one. Accents and case do not matter; Chinese, Japanese and other scripts without spaces are found inside a sentence.
  ///
  /// - Parameters:
  ///   - ranked: best first. Costs many times the search itself; without it, tracks come in the order of storing. A ranked
  ///     search has no pages: ask for a greater `limit`.
  ///   - limit: how many; values below 1 count as 1.
  /// - Returns: empty for a text without a word.
  public func search(_ text: String, ranked: Bool = false, limit: Int = 50) async throws -> [LibraryTrack] {
    try await store.read { try Self.search(text, ranked: ranked, limit: limit, in: $0) }
  }

  /// A page of a search's results, in the order of storing.
  ///
  /// - Parameters:
  ///   - key: the last page's `next`; nil begins at the first.
  ///   - limit: how many; values below 1 count as 1.
  /// - Returns: an empty page for a text without a word.
  /// - Throws: `.misuse` for a page key of another list, or of a search for another text.
  public func search(_ text: String, after key: PageKey?, limit: Int) async throws -> Page<LibraryTrack> {
    try await store.read { try Self.search(text, after: key, limit: limit, in: $0) }
  }

  /// The results of a search now, and after each change of a track.
  ///
  /// - Parameter ignoringPlays: as for `trackUpdates(_:limit:ignoringPlays:)`.
  public func searchUpdates(
    _ text: String, ranked: Bool = false, limit: Int = 50, ignoringPlays: Bool = false
  ) -> Updates<[LibraryTrack]> {
    store.updates(ignoring: Self.plays(ignoringPlays: ignoringPlays)) {
      try Self.search(text, ranked: ranked, limit: limit, in: $0)
    }
  }

  /// Finds tracks by words inside your transaction; as `search(_:ranked:limit:)`.
  public static func search(_ text: String, ranked: Bool = false, limit: Int = 50, in reader: Reader) throws -> [LibraryTrack] {
    guard ranked else { return try search(text, after: nil, limit: limit, in: reader).items }
    guard let query = SearchText.query(text) else { return [] }
    return try reader.values(
      """
      SELECT \(sql: LibraryTrack.joinedColumns) FROM \(sql: found)
      WHERE tracks_search MATCH \(query) ORDER BY f.rank LIMIT \(max(1, limit))
      """, LibraryTrack.init(loading:))
  }

  /// Reads a page of a search's results inside your transaction; as `search(_:after:limit:)`.
  public static func search(_ text: String, after key: PageKey?, limit: Int, in reader: Reader) throws -> Page<LibraryTrack> {
    guard let query = SearchText.query(text) else { return Page(items: [], next: nil) }
    let listing = Listing(condition: "tracks_search MATCH \(query)", columns: [("f.rowid", .number)])
    return try reader.page(LibraryTrack.joinedColumns, from: found, listing, after: key, limit: limit, LibraryTrack.init(loading:))
  }

  /// CROSS keeps SQLite from starting with the tracks.
  private static var found: BoundSQL { "tracks_search f CROSS JOIN tracks t ON t.rowid = f.rowid" }
}
