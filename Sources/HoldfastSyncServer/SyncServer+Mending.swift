internal import Holdfast

/// A space whose counts `SyncServer.mendSpaces()` has mended.
public struct MendedSpace: Sendable, Hashable {
  /// What a space counts.
  public struct Counts: Sendable, Hashable {
    /// Rows, deleted ones among them; the bytes of their lines; the number of the last push.
    public let rows, bytes, head: Int64
  }

  /// Its name.
  public let name: String
  /// What the space counted before.
  public let counted: Counts
  /// What is there: as head, the number of the last push that one of the rows has.
  public let found: Counts

  var isWrong: Bool { counted.rows != found.rows || counted.bytes != found.bytes || counted.head < found.head }
}

extension SyncServer {
  /// Counts the rows of each space and their bytes, and mends the spaces whose counts differ from their rows: a heal has put the store
  /// together, and lost rows. Their digests are made anew, too, and an epoch without a past begins in them, so that every device compares all
  /// of its rows, and sends what the server lacks.
  ///
  /// For the start of a server. SQLite counts; only the rows of a space that is mended are read here. A space where the digest alone differs
  /// is left as it is: somebody has changed lines, and no device would bring them back. `check(at:options:)` names it; go back to a backup
  /// then. A space that is being taken from another store is left alone, too.
  /// - Throws: the errors of a read, such as `.damaged`, and of a write. Then nothing was mended.
  public func mendSpaces() throws -> [MendedSpace] {
    let wrong = try store.read(as: "mendSpaces") { reader in try Self.counts(reader).filter(\.isWrong) }
    guard !wrong.isEmpty else { return [] }
    try store.write(as: "mendSpaces") { tx in
      for name in wrong.map(\.name) {
        var space = try StoredSpace.find(name, tx)
        try SpaceSum(of: name, tx).write(into: &space)
        space.lineage = []
        space.beginEpoch(in: tx)
        try tx.upsert(space)
      }
    }
    return wrong
  }

  private static func counts(_ reader: Reader) throws -> [MendedSpace] {
    let query: BoundSQL = """
      SELECT sync_space.space, rows, bytes, head, count(sync_row.space), ifnull(sum(length(CAST(body AS BLOB))), 0), ifnull(max(sequence), 0)
      FROM sync_space LEFT JOIN sync_row ON sync_row.space = sync_space.space
      WHERE lineage <> '[]' GROUP BY sync_space.space ORDER BY sync_space.space
      """
    func next(_ row: inout StoredRow) throws -> MendedSpace.Counts {
      MendedSpace.Counts(rows: try row.int64(), bytes: try row.int64(), head: try row.int64())
    }
    return try reader.values(query) { row in
      MendedSpace(name: try row.text(), counted: try next(&row), found: try next(&row))
    }
  }
}
