extension Writer {
  /// Runs `body`, whose changes are as old as a source in a store that is connected: so an edit that was made after it wins against it on every
  /// device, and two devices that take in one source give equal rows equal stamps.
  ///
  /// - Parameters:
  ///   - time: milliseconds since 1970; a time ahead counts as now. Nil: now.
  ///   - sha256: the hash of the source, of which its changes get their node.
  package func stamped<T>(at time: Int64?, by sha256: String, _ body: () throws -> T) throws -> T {
    guard try !tables(named: SyncTables.state).isEmpty, let time else { return try body() }
    let before = try value("SELECT clock, node FROM holdfast_sync") { row in (clock: try row.int64OrNil(), node: try row.int64()) }
    guard let before, let node = Int64(sha256.prefix(10), radix: 16) else { return try body() }
    try execute(
      "UPDATE holdfast_sync SET node = \(node), clock = min(max(0, \(time)), coalesce(clock, \(raw: AuditedTable.now) + \"offset\"))")
    // An error rolls this back with everything else, or the caller's transaction goes on without an import.
    defer { _ = try? execute("UPDATE holdfast_sync SET clock = \(before.clock), node = \(before.node)") }
    return try body()
  }
}
