public import Foundation
public import Holdfast

extension MusicLibrary {
  /// Stores a picture, once however often it is given; tracks name it by its hash. Returns it with what its header says.
  @discardableResult
  public func saveArtwork(_ data: Data) throws -> Artwork { try store.write { try Self.saveArtwork(Artwork(data), in: $0) } }
  @discardableResult
  public func saveArtwork(_ data: Data) async throws -> Artwork {
    try await store.write { try Self.saveArtwork(Artwork(data), in: $0) }
  }

  /// The picture with this hash, or nil.
  ///
  /// - Throws: `.damaged` when its content is not what its hash says.
  public func artwork(_ hash: String) throws -> Artwork? { try store.read { try Self.artwork(hash, in: $0) } }
  public func artwork(_ hash: String) async throws -> Artwork? { try await store.read { try Self.artwork(hash, in: $0) } }

  /// Removes the pictures that no track shows. Returns how many bytes they had.
  @discardableResult
  public func removeUnusedArtwork() throws -> Int { try store.write(Self.removeUnusedArtwork(in:)) }
  @discardableResult
  public func removeUnusedArtwork() async throws -> Int { try await store.write { try Self.removeUnusedArtwork(in: $0) } }

  @discardableResult
  public static func saveArtwork(_ artwork: Artwork, in tx: Transaction) throws -> Artwork {
    if try tx.count("SELECT count(*) FROM artwork WHERE hash = \(artwork.hash)") == 0 { try tx.insert(ArtworkRow(artwork)) }
    return artwork
  }

  public static func artwork(_ hash: String, in reader: Reader) throws -> Artwork? {
    try reader.first(ArtworkRow.self, "WHERE hash = \(hash)")?.artwork
  }

  public static func removeUnusedArtwork(in tx: Transaction) throws -> Int {
    let unused: SQL = "FROM artwork WHERE NOT EXISTS (SELECT 1 FROM tracks t WHERE t.artwork_hash = artwork.hash)"
    let bytes = try tx.count("SELECT coalesce(sum(bytes), 0) \(sql: unused)")
    try tx.execute("DELETE \(sql: unused)")
    return bytes
  }
}
