internal import Holdfast
internal import HoldfastPostgres
package import HoldfastSyncServer

extension Diagnosis {
  /// Looks at the spaces of a store: counts, and no digests. For those there is `holdfast-server check`.
  ///
  /// - Throws: the errors of the store.
  package static func spaces(of store: any SyncSpaces) async throws -> Diagnosis {
    let (spaces, tokens) = (try await store.spaces(), try await store.tokens())
    let opened = Set(tokens.map(\.space))
    var findings: [Finding] = spaces.isEmpty ? [Finding(.noSpace, "the store has no space")] : []
    for space in spaces {
      if space.epoch.isEmpty { findings.append(Finding(.counts, "only a part of the space \(space.name) is here")) }
      if !opened.contains(space.name) { findings.append(Finding(.noToken, "no token opens the space \(space.name)")) }
      let limits = space.limits ?? store.limits
      let full = max(share(space.rows, of: limits.rows), share(space.bytes, of: limits.bytes))
      if full >= 0.9 { findings.append(Finding(.quota, "the space \(space.name) uses \(Int(full * 100)) % of what it may hold")) }
    }
    let partial = Set(spaces.filter(\.epoch.isEmpty).map(\.name))
    for name in try await miscounted(in: store) where !partial.contains(name) {
      findings.append(Finding(.counts, "the space \(name) does not count its rows and pushes right"))
    }
    let rows = spaces.reduce(0) { $0 + $1.rows }
    return Diagnosis(facts: "spaces \(spaces.count), rows \(rows), tokens \(tokens.count)", findings: findings)
  }

  private static func share(_ used: Int64, of limit: Int64) -> Double {
    limit > 0 ? min(10, Double(used) / Double(limit)) : used > 0 ? 10 : 0
  }

  private static func miscounted(in store: any SyncSpaces) async throws -> [String] {
    // Both kinds of store have these tables.
    let query = """
      SELECT space FROM sync_space AS counted
      WHERE rows <> (SELECT count(*) FROM sync_row WHERE space = counted.space)
        OR head < (SELECT coalesce(max(sequence), 0) FROM sync_row WHERE space = counted.space)
      ORDER BY space
      """
    if let database = store as? PostgresSpaces { return try await database.texts(query) }
    guard let file = store as? SyncServer else { return [] }
    return try await file.store.read { reader in try reader.values(BoundSQL(raw: query)) { try $0.text() } }
  }
}
