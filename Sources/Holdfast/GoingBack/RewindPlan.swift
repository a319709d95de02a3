public import Foundation

/// What a rewind would do.
public struct RewindPlan: Sendable, Codable, Equatable {
  /// The commit whose state the store would have.
  public var commit: ArchivedCommit
  /// The tables that would differ: `added` are rows that the rewind brings back.
  public var tables: [TableDifference]
  /// What the checks of that state found, one line each, damage first. A rewind refuses damage. Rows that point at rows that are gone do
  /// not stop it: the store was so at that moment.
  public var findings: [String]
  /// For people, if the clock was wrong: a time may not tell which commits were before it; choose a commit by its number. Else nil.
  public var warning: String?
}

extension Store {
  /// Builds the state of a moment beside the store, verifies it and compares it with the present one. Changes nothing. Migrations that
  /// the moment lacks are not run for the comparison.
  ///
  /// - Throws: as `rewind(to:)`, but not for findings.
  public func rewindPlan(to moment: Moment) throws -> RewindPlan {
    try withMoments([moment]) { files, built in
      let archive = try archive()
      let (commit, damage, dangling) = try archive.build(moment, at: built[0])
      let tables = try StoreDifference.between(files.url, built[0], options)
      return try RewindPlan(
        commit: commit, tables: tables, findings: damage + dangling, warning: archive.warning(of: moment, leadingTo: commit))
    }
  }

  /// The same without blocking the caller.
  public func rewindPlan(to moment: Moment) async throws -> RewindPlan { try await offTask { _ in try self.rewindPlan(to: moment) } }

  /// The tables whose rows differ between two moments. Needs free space for both beside the store.
  ///
  /// - Throws: the errors of `Archive.restore(to:at:)`.
  public func differences(from old: Moment, to new: Moment) throws -> [TableDifference] {
    try withBuilt(old, new) { before, after in try StoreDifference.between(before, after, options) }
  }

  /// The same without blocking the caller.
  public func differences(from old: Moment, to new: Moment) async throws -> [TableDifference] {
    try await offTask { _ in try self.differences(from: old, to: new) }
  }

  /// At most `limit` rows of one table that differ between two moments, as `StoreDifference.rows` orders them.
  ///
  /// - Throws: `.notFound` for a table that neither moment has; the errors of `Archive.restore(to:at:)`.
  package func rowDifferences(of table: String, from old: Moment, to new: Moment, limit: Int) throws -> [RowDifference] {
    try withBuilt(old, new) { before, after in try StoreDifference.rows(of: table, before, after, options, limit: limit) }
  }

  /// Brings one row of a moment back into the running store, with every row that referenced it then, and touches nothing else.
  ///
  /// Rows whose foreign keys point at it come with it, and theirs, and so on; a row that one of these points at comes back, too, if it is gone
  /// today. A row that is there today stays as it is. All rows come in one transaction.
  ///
  /// - Throws: `.notFound` when the moment has no such row; `.constraint` when the schema refuses a row for another reason than a unique value;
  ///   the errors of `Archive.restore(to:at:)` and of `write`. The store is then unchanged.
  @discardableResult
  public func bringBack<Record: StoredRecord>(_ type: Record.Type, id: UUID, from moment: Moment) throws -> BringBackReport {
    try bringBack(Record.table, where: [Record.key.first ?? "id": .id(id)], from: moment)
  }

  /// The same without blocking the caller. Work that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func bringBack<Record: StoredRecord>(_ type: Record.Type, id: UUID, from moment: Moment) async throws -> BringBackReport {
    try await bringBack(Record.table, where: [Record.key.first ?? "id": .id(id)], from: moment)
  }

  /// The same for a table by its name.
  ///
  /// - Parameter key: the columns that identify the row, with the values that they had.
  /// - Throws: also `.misuse` for a table or column that the store or the moment lacks.
  @discardableResult
  public func bringBack(_ table: String, where key: [String: SQLValue], from moment: Moment) throws -> BringBackReport {
    try checkWritable()
    return try withMoments([moment]) { _, built in
      _ = try archive().built(moment, at: built[0])
      return try bringBack(table, where: key, from: built[0])
    }
  }

  /// The same without blocking the caller. Work that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func bringBack(_ table: String, where key: [String: SQLValue], from moment: Moment) async throws -> BringBackReport {
    try await offTask { _ in try self.bringBack(table, where: key, from: moment) }
  }

  private func withBuilt<T>(_ old: Moment, _ new: Moment, _ body: (URL, URL) throws -> T) throws -> T {
    try withMoments([old, new]) { _, built in
      let archive = try archive()
      _ = try archive.built(old, at: built[0])
      _ = try archive.built(new, at: built[1])
      return try body(built[0], built[1])
    }
  }

  /// Calls `body` with the name of a file for each moment, in a folder that is removed afterwards.
  private func withMoments<T>(_ moments: [Moment], _ body: (StoreFiles, [URL]) throws -> T) throws -> T {
    try OpenDoor.check(self)
    guard let files else { throw StoreError(.misuse, "a store in memory has no archive") }
    return try telling {
      let folder = try WorkingFolder(for: files, "comparing")
      return try body(files, moments.indices.map { folder.file("moment-\($0).sqlite") })
    }
  }
}
