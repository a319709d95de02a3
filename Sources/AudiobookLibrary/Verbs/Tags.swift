public import Foundation
public import Holdfast

/// A tag with how many collections have it.
public struct TagCount: Sendable, Hashable {
  public var tag: String
  public var collections: Int
}

extension AudiobookLibrary {
  /// Adds a tag at the end of a collection's tags. Returns false when it was there.
  ///
  /// - Throws: `.notFound` when there is no such collection.
  @discardableResult
  public func addTag(_ tag: String, to collectionID: UUID) throws -> Bool {
    try store.write { try Self.addTag(tag, to: collectionID, in: $0) }
  }
  @discardableResult
  public func addTag(_ tag: String, to collectionID: UUID) async throws -> Bool {
    try await store.write { try Self.addTag(tag, to: collectionID, in: $0) }
  }

  /// Takes a tag from a collection. Returns whether it was there.
  @discardableResult
  public func removeTag(_ tag: String, from collectionID: UUID) throws -> Bool {
    try store.write { try Self.removeTag(tag, from: collectionID, in: $0) }
  }
  @discardableResult
  public func removeTag(_ tag: String, from collectionID: UUID) async throws -> Bool {
    try await store.write { try Self.removeTag(tag, from: collectionID, in: $0) }
  }

  /// All tags by name, with how many collections have each.
  public func tags() throws -> [TagCount] { try store.read(Self.tags(in:)) }
  public func tags() async throws -> [TagCount] { try await store.read { try Self.tags(in: $0) } }

  /// The collections with this tag, newest first.
  public func collections(taggedWith tag: String) throws -> [AudiobookCollection] {
    try store.read { try Self.collections(taggedWith: tag, in: $0) }
  }
  public func collections(taggedWith tag: String) async throws -> [AudiobookCollection] {
    try await store.read { try Self.collections(taggedWith: tag, in: $0) }
  }

  /// All tags now, and after each change.
  public func tagUpdates() -> Updates<[TagCount]> { store.updates(of: ["tags"]) { try Self.tags(in: $0) } }

  public static func addTag(_ tag: String, to collectionID: UUID, in tx: Transaction) throws -> Bool {
    guard try touchCollection(collectionID, in: tx) else { throw StoreError(.notFound, "there is no collection \(collectionID)") }
    let there = try tx.count("SELECT count(*) FROM tags WHERE collection_id = \(collectionID) AND tag = \(tag)") > 0
    if there { return false }
    let last = try tx.value("SELECT max(position) FROM tags WHERE collection_id = \(collectionID)") { row in try row.int64OrNil() } ?? nil
    let position = SparseOrder.between(last, nil) ?? 0
    try tx.insert(TagRow(tag, of: collectionID, at: position))
    return true
  }

  public static func removeTag(_ tag: String, from collectionID: UUID, in tx: Transaction) throws -> Bool {
    let removed = try tx.execute("DELETE FROM tags WHERE collection_id = \(collectionID) AND tag = \(tag)") > 0
    if removed { _ = try touchCollection(collectionID, in: tx) }
    return removed
  }

  public static func tags(in reader: Reader) throws -> [TagCount] {
    try reader.values("SELECT tag, count(*) FROM tags GROUP BY tag ORDER BY tag") { row in
      TagCount(tag: try row.text(), collections: try row.int())
    }
  }

  public static func collections(taggedWith tag: String, in reader: Reader) throws -> [AudiobookCollection] {
    let ids = try reader.values("SELECT collection_id FROM tags WHERE tag = \(tag)") { row in try row.id() }
    return try ids.compactMap { try collection($0, in: reader) }.sorted {
      ($0.createdAt, IDCodec.lowercase($0.id)) > ($1.createdAt, IDCodec.lowercase($1.id))
    }
  }
}
