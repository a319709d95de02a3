public import Foundation
public import Holdfast

extension MusicStore {
  /// Stores a picture; the same picture is stored once. Tracks refer to it by its hash. Returns the picture with its type and size.
  @discardableResult
  public func saveArtwork(_ data: Data) async throws -> MusicArtwork {
    try await store.write { try Self.saveArtwork(MusicArtwork(data), in: $0) }
  }

  /// The picture with this hash; nil when there is none.
  ///
  /// - Throws: `.damaged` when the stored content does not have this hash.
  public func artwork(_ hash: String) async throws -> MusicArtwork? { try await store.read { try Self.artwork(hash, in: $0) } }

  /// Removes the pictures that no track shows. Returns how many bytes were removed.
  @discardableResult
  public func removeUnusedArtwork() async throws -> Int { try await store.write { try Self.removeUnusedArtwork(in: $0) } }

  /// Stores a picture inside your transaction; as `saveArtwork(_:)`.
  @discardableResult
  public static func saveArtwork(_ artwork: MusicArtwork, in tx: Writer) throws -> MusicArtwork {
    if try tx.count("SELECT count(*) FROM artwork WHERE hash = \(artwork.hash)") == 0 { try tx.insert(ArtworkRow(artwork)) }
    return artwork
  }

  /// Reads the picture with this hash inside your transaction; as `artwork(_:)`.
  public static func artwork(_ hash: String, in reader: Reader) throws -> MusicArtwork? {
    try reader.first(ArtworkRow.self, "WHERE hash = \(hash)")?.artwork
  }

  /// Removes unused pictures inside your transaction; as `removeUnusedArtwork()`.
  public static func removeUnusedArtwork(in tx: Writer) throws -> Int {
    let unused: BoundSQL = "FROM artwork WHERE NOT EXISTS (SELECT 1 FROM tracks t WHERE t.artwork_hash = artwork.hash)"
    let bytes = try tx.count("SELECT coalesce(sum(bytes), 0) \(sql: unused)")
    try tx.execute("DELETE \(sql: unused)")
    return bytes
  }
}
