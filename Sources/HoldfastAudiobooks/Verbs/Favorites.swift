public import Foundation
public import Holdfast

/// A favourite with the track that it is about.
public struct FavoriteTrack: Sendable, Hashable {
  /// The track itself.
  public var track: AudiobookTrack
  /// The collection that it is in.
  public var collectionID: UUID
  /// When the track became a favourite.
  public var favorite: Favorite
}

extension AudiobookLibrary {
  /// Makes a track a favourite, or removes the mark. A track that is already a favourite keeps its time.
  ///
  /// - Throws: `.notFound` when there is no such track.
  public func setFavorite(_ isFavorite: Bool, track id: UUID) async throws {
    try await store.write { try Self.setFavorite(isFavorite, track: id, in: $0) }
  }

  /// Switches the favourite mark of a track. Returns whether the track is a favourite now.
  ///
  /// - Throws: `.notFound` when there is no such track.
  @discardableResult
  public func toggleFavorite(track id: UUID) async throws -> Bool {
    try await store.write { try Self.toggleFavorite(track: id, in: $0) }
  }

  /// A page of favourites, newest first; favourites without a time come last.
  ///
  /// - Throws: `.misuse` for a page key of another list.
  public func favorites(after key: PageKey? = nil, limit: Int = 100) async throws -> Page<FavoriteTrack> {
    try await store.read { try Self.favorites(after: key, limit: limit, in: $0) }
  }

  /// The newest favourites now, and after each change.
  public func favoriteUpdates(limit: Int = 100) -> Updates<[FavoriteTrack]> {
    store.updates { try Self.favorites(limit: limit, in: $0).items }
  }

  /// Makes a track a favourite, or removes the mark, inside your transaction; as `setFavorite(_:track:)`.
  public static func setFavorite(_ isFavorite: Bool, track id: UUID, in tx: Writer) throws {
    guard let collectionID = try collectionID(ofTrack: id, in: tx) else { throw missingTrack(id) }
    if !isFavorite {
      guard try tx.execute("DELETE FROM favorites WHERE track_id = \(id)") > 0 else { return }
    } else if try tx.count("SELECT count(*) FROM favorites WHERE track_id = \(id)") == 0 {
      try tx.insert(FavoriteRow(trackID: id, collectionID: collectionID, favoritedAt: tx.currentDate()))
    } else {
      return
    }
    // An older copy of the collection on another device must not win over this change.
    _ = try touchCollection(collectionID, in: tx)
  }

  /// Switches the favourite mark of a track inside your transaction; as `toggleFavorite(track:)`.
  public static func toggleFavorite(track id: UUID, in tx: Writer) throws -> Bool {
    let becomes = try tx.count("SELECT count(*) FROM favorites WHERE track_id = \(id)") == 0
    try setFavorite(becomes, track: id, in: tx)
    return becomes
  }

  /// Reads a page of favourites inside your transaction; as `favorites(after:limit:)`.
  public static func favorites(after key: PageKey? = nil, limit: Int = 100, in reader: Reader) throws -> Page<FavoriteTrack> {
    let dated = Listing(
      condition: "f.favorited_at IS NOT NULL", columns: [("f.favorited_at", .number), ("f.track_id", .text)], isDescending: true)
    let others = Listing(condition: "f.favorited_at IS NULL", columns: [("f.track_id", .text)], isDescending: true)
    let columns = AudiobookTrack.loadedColumns.map { "t." + $0 }
    return try reader.page(
      "\(raw: columns.joined(separator: ", ")), f.collection_id, f.favorited_at",
      from: "favorites f CROSS JOIN tracks t ON t.id = f.track_id", [dated, others], after: key, limit: limit
    ) { row in
      let track = try AudiobookTrack(loading: &row)
      return FavoriteTrack(track: track, collectionID: try row.id(), favorite: Favorite(favoritedAt: try row.dateOrNil()))
    }
  }
}
