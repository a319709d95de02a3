public import Foundation
public import Holdfast

/// A favourite with the track that it is about.
public struct FavoriteTrack: Sendable, Hashable {
  public var track: AudiobookTrack
  public var collectionID: UUID
  public var favorite: Favorite
}

extension AudiobookLibrary {
  /// Makes a track a favourite, or no longer. A favourite keeps the time since when it is one.
  ///
  /// - Throws: `.notFound` when there is no such track.
  public func setFavorite(_ isFavorite: Bool, track id: UUID) throws {
    try store.write { try Self.setFavorite(isFavorite, track: id, in: $0) }
  }
  public func setFavorite(_ isFavorite: Bool, track id: UUID) async throws {
    try await store.write { try Self.setFavorite(isFavorite, track: id, in: $0) }
  }

  /// Turns a favourite into none and the other way round. Returns what it is now.
  ///
  /// - Throws: `.notFound` when there is no such track.
  @discardableResult
  public func toggleFavorite(track id: UUID) throws -> Bool { try store.write { try Self.toggleFavorite(track: id, in: $0) } }
  @discardableResult
  public func toggleFavorite(track id: UUID) async throws -> Bool {
    try await store.write { try Self.toggleFavorite(track: id, in: $0) }
  }

  /// A page of favourites, newest first; those without a time come last.
  public func favorites(after key: PageKey? = nil, limit: Int = 100) throws -> Page<FavoriteTrack> {
    try store.read { try Self.favorites(after: key, limit: limit, in: $0) }
  }
  public func favorites(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<FavoriteTrack> {
    try await store.read { try Self.favorites(after: key, limit: limit, in: $0) }
  }

  /// The newest favourites now, and after each change.
  public func favoriteUpdates(limit: Int = 100) -> Updates<[FavoriteTrack]> {
    store.updates(of: ["favorites", "tracks"]) { try Self.favorites(limit: limit, in: $0).items }
  }

  public static func setFavorite(_ isFavorite: Bool, track id: UUID, in tx: Transaction) throws {
    guard let collectionID = try collectionID(ofTrack: id, in: tx) else {
      throw StoreError(.notFound, "there is no track \(IDCodec.lowercase(id))")
    }
    if !isFavorite {
      try tx.execute("DELETE FROM favorites WHERE track_id = \(id)")
    } else if try tx.count("SELECT count(*) FROM favorites WHERE track_id = \(id)") == 0 {
      try tx.insert(FavoriteRow(Favorite(favoritedAt: tx.currentDate()), of: id, in: collectionID))
    } else {
      return
    }
    // An older copy of the collection elsewhere must not win over this.
    _ = try touchCollection(collectionID, in: tx)
  }

  public static func toggleFavorite(track id: UUID, in tx: Transaction) throws -> Bool {
    let becomes = try tx.count("SELECT count(*) FROM favorites WHERE track_id = \(id)") == 0
    try setFavorite(becomes, track: id, in: tx)
    return becomes
  }

  public static func favorites(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<FavoriteTrack> {
    let limit = max(1, limit)
    // NULL sorts first in the index, so last in descending order; in a page key it is the smallest number.
    let rest: SQL =
      if let key {
        if key.milliseconds == .min {
          "WHERE f.favorited_at IS NULL AND f.track_id < \(key.id)"
        } else {
          """
          WHERE (f.favorited_at < \(key.milliseconds) OR (f.favorited_at = \(key.milliseconds) AND f.track_id < \(key.id))
            OR f.favorited_at IS NULL)
          """
        }
      } else {
        ""
      }
    let columns = AudiobookTrack.loadedColumns.split(separator: ",").map { "t." + $0.trimmingCharacters(in: .whitespaces) }
    let items = try reader.values(
      """
      SELECT f.collection_id, f.favorited_at, \(raw: columns.joined(separator: ", "))
      FROM favorites f JOIN tracks t ON t.id = f.track_id \(sql: rest)
      ORDER BY f.favorited_at DESC, f.track_id DESC LIMIT \(limit)
      """
    ) { row in
      let collectionID = try row.id()
      let favorite = Favorite(favoritedAt: try row.dateOrNil())
      return FavoriteTrack(track: try AudiobookTrack(loading: &row), collectionID: collectionID, favorite: favorite)
    }
    let next = items.count == limit ? items.last : nil
    return Page(
      items: items,
      next: next.map { PageKey(milliseconds: $0.favorite.favoritedAt.flatMap(DateCodec.milliseconds) ?? .min, id: $0.track.id) })
  }
}
