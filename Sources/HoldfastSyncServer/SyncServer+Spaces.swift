internal import Foundation
internal import Holdfast
internal import HoldfastSync

/// What a server knows of a space, apart from its rows.
public struct SyncSpace: Sendable, Hashable {
  /// Its name, as in the path of requests.
  public let name: String
  /// The name of its present epoch. Empty for a space of which only a part is here: its move runs, or was interrupted.
  public let epoch: String
  /// The number of the last push that changed a row.
  public let head: Int64
  /// Its rows, deleted ones among them.
  public let rows: Int64
  /// The size of the rows' lines in bytes.
  public let bytes: Int64
  /// Its own limits; nil for those of the server.
  public let limits: SyncLimits?
  /// The least schema of a device that the space takes; 0 takes all. See `SyncServer.requireSchema(_:in:)`.
  public let minSchema: Int

  /// What a store has of it.
  public init(_ space: StoredSpace) {
    (name, epoch, head) = (space.space, space.epoch, space.head)
    (rows, bytes, limits, minSchema) = (space.rows, space.bytes, space.limits, space.minSchema)
  }
}

extension SyncServer {
  /// Makes an empty space. Its first epoch is a new id from the store's options.
  ///
  /// - Parameter name: 1 to 100 of the characters a to z, 0 to 9, `-`, `_` and `.`, the first one a letter or a digit.
  /// - Throws: `.constraint` when there is a space of this name; `.invalidValue` for another name; the errors of a write.
  public func makeSpace(_ name: String) throws {
    try Self.checkName(name)
    let epoch = store.options.newID().uuidString.lowercased()
    do { try makeSpace(name, epoch: epoch) } catch let error as StoreError where error.code == .constraint {
      throw StoredSpace.taken(name, cause: error)
    }
  }

  /// The spaces, by name.
  ///
  /// - Throws: the errors of a read.
  public func spaces() throws -> [SyncSpace] {
    try store.read { reader in try reader.all(StoredSpace.self, "ORDER BY space").map(SyncSpace.init) }
  }

  /// The space of this name.
  ///
  /// - Throws: `.notFound`; `.busy` for a space of which only a part is here; the errors of a read.
  public func space(_ name: String) throws -> SyncSpace {
    try store.read { reader in SyncSpace(try StoredSpace.find(name, reader)) }
  }

  /// Begins a new epoch, a new id from the store's options, in a space, or in all of them in one transaction. Call it after the store was
  /// restored or rewound: devices that had seen later pushes then send again what the server has lost. Costs nothing where none was lost.
  ///
  /// - Parameter name: the space; nil for all that are here as a whole.
  /// - Throws: `.notFound`; `.busy` for a space of which only a part is here; the errors of a write.
  public func beginEpoch(in name: String? = nil) throws {
    try store.write { tx in
      let spaces = try name.map { [try StoredSpace.find($0, tx)] } ?? tx.all(StoredSpace.self).filter { !$0.isPartial }
      for var space in spaces {
        space.beginEpoch(in: tx)
        try tx.upsert(space)
      }
    }
  }

  /// How many pushes have changed a row, in all spaces together. It never falls, unless the store is restored or rewound: note it beside the
  /// store, and compare it at the next start.
  ///
  /// - Throws: the errors of a read.
  public func pushCount() throws -> Int64 {
    try store.read { reader in try reader.value("SELECT number FROM sync_pushes") { row in try row.int64() } ?? 0 }
  }

  /// Names stand in paths, in command lines and in logs.
  ///
  /// - Throws: `.invalidValue` for a text that is no name of a space or a token.
  public static func checkName(_ name: String) throws {
    let letters = Set("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
    let isName = name.utf8.first.map(letters.contains) ?? false && name.utf8.count <= 100
    guard isName, name.utf8.allSatisfy({ letters.union("-_.".utf8).contains($0) }) else {
      throw StoreError(
        .invalidValue, "this is no name for a space or a token",
        suggestion: "Use up to 100 of the characters a to z, 0 to 9, -, _ and ., with a letter or a digit first.")
    }
  }
}

extension StoredSpace {
  /// Begins a new epoch under a new id from the store's options.
  mutating func beginEpoch(in tx: Writer) { beginEpoch(tx.makeID().uuidString.lowercased()) }
}
