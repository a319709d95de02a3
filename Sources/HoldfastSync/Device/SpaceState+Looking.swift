internal import Holdfast

extension SpaceState {
  /// The space that the file is connected to; nil for one that is not.
  static func space(in reader: Reader) throws -> String? {
    guard try !reader.tables(named: SyncTables.state).isEmpty else { return nil }
    return try reader.value("SELECT space FROM holdfast_sync") { row in try row.text() }
  }

  /// - Throws: `.misuse` for a file that is not connected; `.wrongKind` for one that is connected to another space.
  static func check(_ space: String, in reader: Reader) throws {
    guard let known = try Self.space(in: reader) else { throw notConnected }
    guard ExactText(known) == ExactText(space) else {
      throw StoreError(
        .wrongKind, "the store is connected to another space: \(known)", suggestion: "Disconnect it first, or name that space.")
    }
  }

  /// - Throws: `.keyNeeded`, `.wrongKey`, `.notSealed` for another key than the one with which the store has synced.
  func check(_ given: SpaceSeal?) throws {
    // Before the first whole pull nothing is known, and the rows tell.
    guard let seal, seal != given?.check ?? "" else { return }
    throw given == nil ? SpaceSeal.keyNeeded : seal.isEmpty ? SpaceSeal.notSealed : SpaceSeal.wrongKey
  }

  /// Whether a row of a table has to be sent: one look at a partial index.
  static func hasUnsent(in reader: Reader) throws -> Bool {
    try reader.count("SELECT EXISTS (SELECT 1 FROM holdfast_sync_row WHERE dirty AND dirty = 1)") > 0
  }
}
