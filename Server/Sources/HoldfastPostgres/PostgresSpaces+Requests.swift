internal import Foundation
internal import Holdfast
public import HoldfastSyncServer

extension PostgresSpaces {
  // MARK: Pushing

  /// Merges a push into a space. Pushes of one space that wait at the same time share one transaction. Cancelling the task stops none.
  ///
  /// - Throws: `PostgresError`. Perhaps nothing was applied: a device may send the same push again.
  public func push(_ push: SyncPush, in space: String, now: Int64) async throws -> SyncAnswer {
    try await pushes.run(push, in: space, now: now) { group in
      let (answers, hasChanged) = try await apply(group, in: space)
      if hasChanged { await live.tell(space) }
      return answers
    }
  }

  private struct Name: Hashable {
    let table, key: ExactText

    init(_ table: String, _ key: String) { (self.table, self.key) = (ExactText(table), ExactText(key)) }
  }

  private func apply(_ group: [SpaceQueues.Waiting], in name: String) async throws -> ([Result<SyncAnswer, any Error>], Bool) {
    try await pool.with { connection in
      let names = Dictionary(group.flatMap { $0.push.names }.map { (Name($0.table, $0.key), $0) }) { first, _ in first }
      let read = try await connection.run([
        PostgresStatement("BEGIN"), SpaceRow.select(name, locks: true), LineRows.named(Array(names.values), in: name),
      ])
      guard read.count == 3, let found = read[1].rows.first else {
        return (group.map { .success(SyncAnswer(StoredSpace.notFound(name), now: $0.now)) }, false)
      }
      var row = try SpaceRow(found)
      try row.checkVersion()
      let begins = !row.isOfTimeline
      if begins { row.beginEpoch() }
      var lines: [Name: Result<StoredLine, any Error>] = [:]
      for row in read[2].rows {
        guard let line = try LineRows.line(row) else {
          return try tooMany(group)
        }
        lines[Name(line.table, line.key)] = Result { try StoredLine(line) }
      }
      var changed: [Name: SyncLine] = [:]
      let answers = group.map { one in
        Result<SyncAnswer, any Error> {
          // A push that fails changes nothing.
          let (answer, new) = try one.push.applied(to: &row.space, limits: limits, now: one.now) { try lines[Name($0, $1)]?.get() }
          for line in new {
            let name = Name(line.stored.table, line.stored.key)
            (lines[name], changed[name]) = (.success(line), line.stored)
          }
          return answer
        }
      }
      if !changed.isEmpty || begins {
        let write = changed.isEmpty ? [] : [LineRows.upsert(changed.values, in: name)]
        _ = try await connection.run(write + [try SpaceRow.update(row.space), .commit])
        if begins { logFailover(to: row) }
      }
      return (answers, !changed.isEmpty)
    }
  }

  /// The stored rows of the pushes are too many bytes for one transaction.
  private func tooMany(_ group: [SpaceQueues.Waiting]) throws -> ([Result<SyncAnswer, any Error>], Bool) {
    let refusal = StoreError(.invalidValue, "the answer would have too many bytes", suggestion: "Send fewer rows at once.")
    guard group.count == 1 else { throw refusal }
    return (group.map { .success(SyncAnswer(refusal, now: $0.now)) }, false)
  }

  // MARK: Reading

  /// The rows behind the cursor, and the space, as of one moment.
  ///
  /// - Throws: `PostgresError`; `.decoding` for a line that is not its row's.
  public func pull(_ pull: SyncPull, in space: String, now: Int64) async throws -> SyncAnswer {
    if let answer = try await answer(pull, in: space, now: now, ofTimeline: true) { return answer }
    // Another database has taken over. A new epoch begins where it ends.
    try await changing(space) { _, _ in }
    return try await answer(pull, in: space, now: now, ofTimeline: false) ?? SyncAnswer(StoredSpace.notFound(space), now: now)
  }

  /// Nil if the epoch must be of the database's timeline, and is of another one.
  private func answer(_ pull: SyncPull, in name: String, now: Int64, ofTimeline: Bool) async throws -> SyncAnswer? {
    try await pool.with { connection in
      let read = try await connection.run([
        PostgresStatement("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"), SpaceRow.select(name),
        LineRows.page(of: name, after: pull.cursor), .commit,
      ])
      guard read.count == 4, let found = read[1].rows.first else { return SyncAnswer(StoredSpace.notFound(name), now: now) }
      let row = try SpaceRow(found)
      if ofTimeline, !row.isOfTimeline { return nil }
      var page = SyncPage()
      for row in read[2].rows {
        guard let line = try LineRows.line(row), page.add(line) else { break }
      }
      return try pull.answer(from: row.space, page, now: now)
    }
  }

  /// The token with this text; nil for one that was revoked or never made.
  ///
  /// - Throws: `PostgresError`.
  public func token(_ text: String) async throws -> SyncToken? {
    try await pool.with { connection in
      let found = try await connection.run(TokenRow.select(hash: StoredToken.hash(of: text)))
      return try found.rows.first.map { try TokenRow.token($0).shown }
    }
  }

  /// Answers the head of a space, as `SyncSpaces` says.
  public func head(of space: String, token: String?, now: Int64) async -> SyncAnswer {
    do {
      let found = try await pool.with { connection in
        let hash = token.map(StoredToken.hash)
        let read = try await connection.run([TokenRow.select(hash: hash ?? ""), SpaceRow.select(space)])
        return (try read.first?.rows.first.map { try TokenRow.token($0).shown }, try read.last?.rows.first.map { try SpaceRow($0).space })
      }
      if let refused = SyncAnswer.refusal(of: .pull, in: space, by: found.0, now: now) { return refused }
      guard let state = found.1 else { return SyncAnswer(StoredSpace.notFound(space), now: now) }
      return SyncAnswer(head: state.head, epoch: state.epoch, now: now)
    } catch {
      return SyncAnswer(failure: error, now: now)
    }
  }
}
