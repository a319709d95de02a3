internal import Foundation
internal import Holdfast
public import HoldfastSyncServer

extension PostgresSpaces {
  // MARK: Spaces

  /// Makes an empty space.
  ///
  /// - Throws: `.constraint` when there is a space of this name; `.invalidValue` for a name that `SyncServer.checkName(_:)` refuses;
  ///   `PostgresError`.
  public func makeSpace(_ name: String) async throws {
    try SyncServer.checkName(name)
    try await insert {
      StoredSpace(name, epoch: SpaceRow.epoch(of: $0))
    } then: { _ in
      []
    }
  }

  /// Inserts a space in a transaction, and what `more` returns with its commit.
  private func insert(
    _ space: @Sendable (_ timeline: String) -> StoredSpace, then more: @Sendable (PostgresConnection) async throws -> [PostgresStatement]
  ) async throws {
    try await pool.with { connection in
      // The lock lets a change of the tables wait, as in a push.
      let begin = [PostgresStatement("BEGIN"), PostgresStatement("LOCK TABLE sync_space IN ROW EXCLUSIVE MODE"), SpaceRow.timeline]
      guard let row = try await connection.run(begin).last?.rows.first else { throw PostgresError.noRow }
      let version = try row.number(0)
      guard version == PostgresSchema.version else { throw PostgresSchema.wrong(version) }
      let new = space(try row.text(1))
      guard try await connection.run(SpaceRow.insert(new)).count == 1 else { throw StoredSpace.taken(new.space) }
      _ = try await connection.run(try await more(connection) + [.commit])
    }
  }

  /// The spaces, by name.
  ///
  /// - Throws: `PostgresError`.
  public func spaces() async throws -> [SyncSpace] {
    try await pool.with { try await $0.run(SpaceRow.selectAll()).rows.map { SyncSpace(try SpaceRow($0).space) } }
  }

  /// The space of this name.
  ///
  /// - Throws: `.notFound`; `PostgresError`.
  public func space(_ name: String) async throws -> SyncSpace {
    try await pool.with { connection in
      guard let row = try await connection.run(SpaceRow.select(name)).rows.first else { throw StoredSpace.notFound(name) }
      return SyncSpace(try SpaceRow(row).space)
    }
  }

  /// Begins a new epoch in a space, or in all of them in one transaction. Call it for all after the database was restored from a dump into
  /// the same system, or from a snapshot of its volume: nothing else tells the devices that the server has lost pushes. A replica that takes
  /// over, and a base backup that is rolled forward, begin one by themselves.
  ///
  /// - Throws: `.notFound`; `PostgresError`.
  public func beginEpoch(in name: String? = nil) async throws {
    if let name {
      return try await changing(name) { row, _ in row.beginEpoch() }
    }
    try await pool.with { connection in
      let found = try await connection.run([PostgresStatement("BEGIN"), SpaceRow.selectAll(locks: true)]).last
      var updates: [PostgresStatement] = []
      for found in found?.rows ?? [] {
        var row = try SpaceRow(found)
        try row.checkVersion()
        row.beginEpoch()
        updates.append(try SpaceRow.update(row.space))
      }
      _ = try await connection.run(updates + [.commit])
    }
  }

  /// Gives a space limits of its own; nil gives those of the server. Where this changes them, a new epoch begins in the space.
  ///
  /// - Throws: `.notFound`; `PostgresError`.
  public func setLimits(_ limits: SyncLimits?, of name: String) async throws {
    try await changing(name) { row, _ in
      if row.space.limits != limits {
        row.space.limits = limits
        row.beginEpoch()
      }
    }
  }

  /// Refuses devices with a schema below `version` from now on. 0 refuses none.
  ///
  /// - Throws: `.notFound`; `PostgresError`.
  public func requireSchema(_ version: Int, in name: String) async throws {
    try await changing(name) { row, _ in row.space.minSchema = version }
  }

  /// How many pushes have changed a row, in all spaces together: the sum of their heads.
  ///
  /// - Throws: `PostgresError`.
  public func pushCount() async throws -> Int64 {
    let sum = PostgresStatement("SELECT coalesce(sum(head), 0)::bigint FROM sync_space")
    return try await pool.with { try await $0.run(sum).rows.first?.number(0) ?? 0 }
  }

  // MARK: Tokens

  /// Makes a token, and returns it. Only its SHA-256 is stored, so it cannot be shown again.
  ///
  /// - Throws: `.notFound` without such a space; `.constraint` when a token has this name; `.invalidValue` for the name; `PostgresError`.
  public func makeToken(for space: String, _ role: SyncToken.Role = .writes, name: String? = nil) async throws -> String {
    if let name { try SyncServer.checkName(name) }
    return try await changing(space) { _, connection in
      // Under the space's lock: another program may make one at the same time.
      let known = try await connection.run(TokenRow.selectAll).rows.map { try TokenRow.token($0).name }
      let (token, text) = try StoredToken.make(for: space, role, name: name, beside: Set(known), at: Date())
      guard try await connection.run(TokenRow.insert(token)).count == 1 else { throw StoredToken.taken(token.name) }
      return text
    }
  }

  /// The tokens of all spaces, by name.
  ///
  /// - Throws: `PostgresError`.
  public func tokens() async throws -> [SyncToken] {
    try await pool.with { try await $0.run(TokenRow.selectAll).rows.map { try TokenRow.token($0).shown } }
  }

  /// Revokes a token: each request with it that arrives from now on is refused, in every server.
  ///
  /// - Throws: `.notFound` when no token has this name; `PostgresError`.
  public func revokeToken(named name: String) async throws {
    let delete = PostgresStatement("DELETE FROM sync_token WHERE name = $1 RETURNING hash", .text(name))
    guard try await pool.with({ try await $0.run(delete).count }) > 0 else {
      throw StoreError(.notFound, "there is no token of the name \(name)")
    }
  }

  // MARK: Copies

  /// Calls `body` with all of a space as of one moment, while servers go on.
  ///
  /// - Throws: `.notFound`; `PostgresError`; the error of `body`.
  public func copying<T: Sendable>(_ name: String, _ body: @Sendable (SpaceCopy) async throws -> T) async throws -> T {
    try await pool.with { connection in
      let read = try await connection.run([
        PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"),
        // The store that takes the rows may need longer for a part.
        PostgresStatement("SET LOCAL idle_in_transaction_session_timeout = '10min'"), SpaceRow.select(name), TokenRow.select(of: name),
      ])
      guard read.count == 4, let found = read[2].rows.first else { throw StoredSpace.notFound(name) }
      let copy = SpaceCopy(try SpaceRow(found).space, try read[3].rows.map(TokenRow.token)) { last in
        try await connection.run(LineRows.part(of: name, after: last)).rows.compactMap(LineRows.line)
      }
      return try await body(copy)
    }
  }

  /// Takes a space with its rows and tokens in one transaction, and begins a new epoch in it.
  ///
  /// - Throws: `.constraint` when there is a space or a token of this name, and for a row of a file of before `SyncLimits.nameBytes` that is
  ///   beyond it; `.busy` when the space changed while it was copied; `PostgresError`.
  public func take(_ copy: SpaceCopy) async throws {
    try await insert { timeline in
      var space = copy.space
      space.beginEpoch(SpaceRow.epoch(of: timeline))
      return space
    } then: { connection in
      _ = try await connection.run(PostgresStatement("SET LOCAL idle_in_transaction_session_timeout = '10min'"))
      try await copy.each { part in
        if let long = part.first(where: { $0.table.utf8.count + $0.key.utf8.count > SyncLimits.nameBytes }) {
          throw StoreError(
            .constraint, "a row of \(long.table.prefix(100)) has a key of \(long.key.utf8.count) bytes, which a database does not index",
            suggestion: "Keep this space in a file.")
        }
        _ = try await connection.run(LineRows.upsert(part, in: copy.space.space))
      }
      for token in copy.tokens {
        guard try await connection.run(TokenRow.insert(token)).count == 1 else { throw StoredToken.taken(token.name) }
      }
      return []
    }
  }

  /// Removes a space with its rows and tokens, in one transaction.
  ///
  /// - Parameter unchanged: the space and its tokens must still be so; nil for any.
  /// - Throws: `.notFound`; `.busy` for a space that has changed; `PostgresError`.
  public func removeSpace(_ name: String, unchanged: SpaceCopy? = nil) async throws {
    try await pool.with { connection in
      let read = try await connection.run([
        PostgresStatement("BEGIN"), PostgresStatement("SET LOCAL statement_timeout = 0"), SpaceRow.select(name, locks: true),
        TokenRow.select(of: name, locks: true),
      ])
      guard read.count == 4, let found = read[2].rows.first else { throw StoredSpace.notFound(name) }
      let (row, tokens) = (try SpaceRow(found), try read[3].rows.map(TokenRow.token))
      try row.checkVersion()
      if let unchanged, unchanged.space != row.space || unchanged.tokens != tokens { throw StoredSpace.changed(name) }
      let delete = ["sync_token", "sync_row", "sync_space"].map { PostgresStatement("DELETE FROM \($0) WHERE space = $1", .text(name)) }
      _ = try await connection.run(delete + [.commit], seconds: 3_600)
    }
  }
}
