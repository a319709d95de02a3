internal import Foundation
public import Holdfast
internal import HoldfastSync

extension SyncServer {
  /// Calls `body` with all of a space. The rows are read in parts; a push in between is found when they are counted.
  ///
  /// - Throws: `.notFound`; the errors of a read; the error of `body`.
  public func copying<T: Sendable>(_ name: String, _ body: @Sendable (SpaceCopy) async throws -> T) async throws -> T {
    let (space, tokens) = try await store.read(as: "copy") { reader in
      (try StoredSpace.find(name, reader), try StoredToken.all(of: name, reader))
    }
    return try await body(
      SpaceCopy(space, tokens) { [store] last in
        try await store.read(as: "copy") { reader in try Self.part(of: name, after: last, reader) }
      })
  }

  private static func part(of name: String, after last: SyncLine?, _ reader: Reader) throws -> [SyncLine] {
    struct Full: Error {}
    var lines: [SyncLine] = []
    var bytes = 0
    do {
      // No row has the empty table.
      try reader.each(
        SyncLine.self, "WHERE space = \(name) AND (tbl, key) > (\(last?.table ?? ""), \(last?.key ?? "")) ORDER BY tbl, key"
      ) { line in
        bytes += line.line.utf8.count
        lines.append(line)
        guard lines.count < SpaceCopy.part.rows, bytes < SpaceCopy.part.bytes else { throw Full() }
      }
    } catch is Full {}
    return lines
  }

  /// Takes a space with its rows and tokens, in several transactions, and begins a new epoch in it. Counts, lineage and tokens come last:
  /// until then the space is marked as a part: no device reaches it, every verb on it but `removeSpace(_:unchanged:)` throws `.busy`, and
  /// `check(at:options:)` names it. After a crash it stays so; remove it then.
  ///
  /// - Throws: `.constraint` when there is a space or a token of this name; `.busy` when the space changed while it was copied; the errors
  ///   of a write. What was taken is then removed again.
  public func take(_ copy: SpaceCopy) async throws {
    var space = copy.space
    let epoch = store.options.newID().uuidString.lowercased()
    space.beginEpoch(epoch)
    let name = space.space
    try await store.write(as: "take") { [begun = space.begun] tx in
      guard try tx.first(StoredSpace.self, "WHERE space = \(name)") == nil else { throw StoredSpace.taken(name) }
      try tx.insert(begun)
    }
    do {
      try await copy.each { part in try await store.write(as: "take") { tx in try tx.insert(contentsOf: part) } }
      try await store.write(as: "take") { [space] tx in
        // Somebody may have removed the part meanwhile.
        guard try StoredSpace.findAny(name, tx).isPartial else { throw StoredSpace.changed(name) }
        try tx.upsert(space)
        try tx.execute("UPDATE sync_pushes SET number = number + \(space.head)")
        try tx.insert(contentsOf: copy.tokens)
      }
    } catch {
      // In a task of its own, because the caller's may be cancelled.
      try await Task { try await removeSpace(name, unchanged: nil) }.value
      throw error
    }
  }

  /// Removes a space with its rows and tokens, in one transaction.
  ///
  /// - Parameter unchanged: the space and its tokens must still be so; nil for any.
  /// - Throws: `.notFound`; `.busy` for a space that has changed; the errors of a write.
  public func removeSpace(_ name: String, unchanged: SpaceCopy? = nil) async throws {
    try await store.write(as: "removeSpace") { tx in
      let (space, tokens) = (try StoredSpace.findAny(name, tx), try StoredToken.all(of: name, tx))
      if let unchanged, unchanged.space != space || unchanged.tokens != tokens { throw StoredSpace.changed(name) }
      try tx.execute("DELETE FROM sync_token WHERE space = \(name)")
      try tx.execute("DELETE FROM sync_row WHERE space = \(name)")
      try tx.execute("DELETE FROM sync_space WHERE space = \(name)")
    }
  }
}

extension StoredSpace {
  /// The error for a space that changed while it was moved: `.busy`.
  public static func changed(_ name: String) -> StoreError {
    StoreError(.busy, "the space \(name) changed while it was moved", suggestion: "Stop the servers of its store, then try again.")
  }
}
