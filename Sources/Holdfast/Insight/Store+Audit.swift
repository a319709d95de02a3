public import Foundation

extension Reader {
  /// The entries of the audit about one row, oldest first, with the bases of its table; see `Store.history`.
  public func history(of table: String, id: String) throws -> [AuditEntry] {
    try entries("kind = \(table) AND row IN (\(id), '') AND (row = \(id) OR operation = 'base')")
  }

  /// The entries of the audit, oldest first; see `Store.auditEntries`.
  public func auditEntries(since date: Date? = nil, after id: Int64 = 0, limit: Int = 1_000) throws -> [AuditEntry] {
    try entries("id > \(id) AND time >= coalesce(\(date), time)", limit: max(0, limit))
  }

  private func entries(_ condition: BoundSQL, limit: Int = .max) throws -> [AuditEntry] {
    try values("SELECT \(sql: AuditEntry.columns) FROM holdfast_audit WHERE \(sql: condition) ORDER BY id LIMIT \(limit)") { row in
      try AuditEntry(row: &row)
    }
  }
}

extension Writer {
  /// Records in the audit that a secret is read: in this transaction, with its actor and verb. No schema need declare it.
  ///
  /// - Throws: `.closed` after the closure; the errors of writing.
  public func recordAccess(to table: String, id: String, reason: String? = nil) throws {
    try beginAudit()
    let reason = reason.map { JSONValue.object(["reason": .string($0)]).canonicalText() }
    try execute(
      """
      INSERT INTO holdfast_audit (time, kind, row, operation, after) VALUES (\(currentDate()), \(table), \(id), 'read', \(reason))
      """)
  }
}

extension Store {
  /// The entries of the audit about one row, oldest first, with the bases of its table. Empty where nothing is audited.
  ///
  /// - Parameter id: the key as text, as in `AuditEntry.row`; a UUID in lower case.
  /// - Throws: `.decoding` for an entry that cannot be read; `.closed`.
  public func history(of table: String, id: String) throws -> [AuditEntry] { try read { try $0.history(of: table, id: id) } }
  /// The same without blocking the caller.
  public func history(of table: String, id: String) async throws -> [AuditEntry] { try await read { try $0.history(of: table, id: id) } }

  /// A part of the audit, oldest first.
  ///
  /// - Parameters:
  ///   - date: leaves out what is older; nil: nothing.
  ///   - id: begins after this entry: the last one of the part before.
  ///   - limit: how many; values below 0 count as 0.
  /// - Throws: `.decoding` for an entry that cannot be read; `.closed`.
  public func auditEntries(since date: Date? = nil, after id: Int64 = 0, limit: Int = 1_000) throws -> [AuditEntry] {
    try read { try $0.auditEntries(since: date, after: id, limit: limit) }
  }
  /// The same without blocking the caller.
  public func auditEntries(since date: Date? = nil, after id: Int64 = 0, limit: Int = 1_000) async throws -> [AuditEntry] {
    try await read { try $0.auditEntries(since: date, after: id, limit: limit) }
  }

  /// Follows the chain of hashes through the whole audit. The integrity check does the same.
  ///
  /// - Parameter kept: an earlier `AuditCheck.head`, kept outside the file. It is a finding when the entry is gone or has another hash. An
  ///   entry that retention has removed is gone, except the newest of them.
  /// - Throws: only when the audit cannot be read; what was changed is a finding.
  public func checkAudit(following kept: AuditHead? = nil) throws -> AuditCheck { try read { try $0.checkAudit(following: kept) } }
  /// The same without blocking the caller.
  public func checkAudit(following kept: AuditHead? = nil) async throws -> AuditCheck {
    try await read { try $0.checkAudit(following: kept) }
  }

  /// Brings one row back to its state after an entry of its history: changes, inserts or deletes it. One verb, which the audit records.
  ///
  /// Only audited columns change; a row that is inserted again has the defaults in the others. Rows that pointed at a deleted row do not
  /// come back with it: see `bringBack`, and the history of each.
  /// - Parameters:
  ///   - id: the key as text, as in `AuditEntry.row`.
  ///   - entry: the entry's id. The state after a deletion is that there is no row.
  /// - Returns: whether anything changed.
  /// - Throws: `.notFound` when the row's history lacks the entry, or an entry after it was purged; `.misuse` for a table that is not
  ///   audited, and for an entry before the last base of its table; `.constraint` when the schema refuses the state; the errors of `write`.
  @discardableResult
  public func revert(of table: String, id: String, to entry: Int64) throws -> Bool {
    let audited = try audited(table)
    return try write { tx in try tx.revert(audited, id: id, to: entry) }
  }
  /// The same without blocking the caller.
  @discardableResult
  public func revert(of table: String, id: String, to entry: Int64) async throws -> Bool {
    let audited = try audited(table)
    return try await write { tx in try tx.revert(audited, id: id, to: entry) }
  }

  private func audited(_ table: String) throws -> AuditedTable {
    let audits = schemas.flatMap(\.declarations).compactMap(\.audited)
    guard let found = audits.first(where: { $0.name == table }) else { throw StoreError(.misuse, "the table \(table) is not audited") }
    return found
  }
}
