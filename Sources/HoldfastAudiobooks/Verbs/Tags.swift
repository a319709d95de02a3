public import Foundation
public import Holdfast

/// A tag and the number of collections that have it.
public struct TagCount: Sendable, Hashable {
  /// The tag as people wrote it.
  public var tag: String
  /// At least 1.
  public var collections: Int
}

extension AudiobookLibrary {
  /// Adds a tag at the end of a collection's tags. Returns false when the collection already has it.
  ///
  /// - Throws: `.notFound` when there is no such collection.
  @discardableResult
  public func addTag(_ tag: String, to collectionID: UUID) async throws -> Bool {
    try await store.write { try Self.addTag(tag, to: collectionID, in: $0) }
  }

  /// Removes a tag from a collection. Returns whether the collection had it.
  @discardableResult
  public func removeTag(_ tag: String, from collectionID: UUID) async throws -> Bool {
    try await store.write { try Self.removeTag(tag, from: collectionID, in: $0) }
  }

  /// All tags by name, with the number of collections that have each.
  public func tags() async throws -> [TagCount] { try await store.read { try Self.tags(in: $0) } }

  /// The collections with this tag, newest first.
  public func collections(taggedWith tag: String) async throws -> [AudiobookCollection] {
    try await store.read { try Self.collections(taggedWith: tag, in: $0) }
  }

  /// All tags now, and after each change.
  public func tagUpdates() -> Updates<[TagCount]> { store.updates { try Self.tags(in: $0) } }

  /// Adds a tag to a collection inside your transaction; as `addTag(_:to:)`.
  public static func addTag(_ tag: String, to collectionID: UUID, in tx: Writer) throws -> Bool {
    guard try tx.count("SELECT count(*) FROM collections WHERE id = \(collectionID)") > 0 else { throw missingCollection(collectionID) }
    let rows = try tx.all(TagRow.self, "WHERE collection_id = \(collectionID) ORDER BY position, tag")
    // Compared in Swift: SQLite would take two spellings of one accent for two tags.
    if rows.contains(where: { $0.tag == tag }) { return false }
    let positions = SparseOrder.assign(existing: rows.map(\.position) + [nil])
    let new = TagRow(collectionID: collectionID, tag: tag, position: .min)
    for (row, position) in zip(rows + [new], positions) where row.position != position {
      try tx.upsert(TagRow(collectionID: collectionID, tag: row.tag, position: position))
    }
    return try touchCollection(collectionID, in: tx)
  }

  /// Removes a tag from a collection inside your transaction; as `removeTag(_:from:)`.
  public static func removeTag(_ tag: String, from collectionID: UUID, in tx: Writer) throws -> Bool {
    let stored = try tx.all(TagRow.self, "WHERE collection_id = \(collectionID)").first { $0.tag == tag }
    guard let stored else { return false }
    try tx.execute("DELETE FROM tags WHERE collection_id = \(collectionID) AND tag = \(stored.tag)")
    return try touchCollection(collectionID, in: tx)
  }

  /// Counts the collections of each tag inside your transaction; as `tags()`.
  public static func tags(in reader: Reader) throws -> [TagCount] {
    try reader.values("SELECT tag, count(*) FROM tags GROUP BY tag ORDER BY tag") { row in
      TagCount(tag: try row.text(), collections: try row.int())
    }
  }

  /// Reads the collections with a tag inside your transaction; as `collections(taggedWith:)`.
  public static func collections(taggedWith tag: String, in reader: Reader) throws -> [AudiobookCollection] {
    try collections(in: "(SELECT collection_id FROM tags WHERE tag = \(tag))", reader)
  }
}
