internal import Holdfast

extension SyncServer {
  /// Counts the rows of each space, and mends the spaces that count others: a heal has put the store together, and lost rows. All is counted
  /// anew, and the space begins an epoch without a past, so that every device compares all of its rows, and sends what the server lacks.
  ///
  /// Reads every row. For the start of a server.
  /// - Returns: the names of the mended spaces, in their order.
  /// - Throws: the errors of a read, such as `.damaged`, and of a write. Then nothing was mended.
  public func mendSpaces() throws -> [String] {
    let wrong = try store.read(as: "mendSpaces") { reader in
      try reader.all(StoredSpace.self, "ORDER BY space").filter { try !SpaceSum(of: $0.space, reader).problems(of: $0).isEmpty }
    }
    guard !wrong.isEmpty else { return [] }
    try store.write(as: "mendSpaces") { tx in
      for name in wrong.map(\.space) {
        var space = try StoredSpace.find(name, tx)
        try SpaceSum(of: name, tx).count(for: &space)
        space.lineage = []
        space.beginEpoch(in: tx)
        try tx.upsert(space)
      }
    }
    return wrong.map(\.space)
  }
}
