internal import GRDB

extension RawConnection {
  /// Rank 1 compares the index with the indexed text, even when that text is in another table.
  static func comparingIndex(_ table: String) -> String {
    "INSERT INTO \(quoted(table)) (\(quoted(table)), rank) VALUES ('integrity-check', 1)"
  }

  /// Makes each search index again that differs from its text. Only for a copy that is being restored: an index is derived from rows, so it
  /// must never hinder rows from coming back, and what is restored should have sound ones.
  ///
  /// - Returns: whether one was made again; and those that still differ, a sentence each, for example because their text cannot be read.
  @discardableResult
  func remakeSearchIndexes() throws -> (remade: Bool, findings: [String]) {
    // A journal left by a kill would be rolled back into the next copy of that name.
    try run("PRAGMA journal_mode = MEMORY")
    let stale = try staleSearchIndexes()
    for table in stale {
      do {
        try run("INSERT INTO \(quoted(table)) (\(quoted(table))) VALUES ('rebuild')")
      } catch let error as StoreError where [.damaged, .misuse].contains(error.code) {
        // The index stays as it was, and is a finding.
      }
    }
    let remaining = stale.isEmpty ? [] : try staleSearchIndexes()
    return (!stale.isEmpty, remaining.map { "the search index \($0) differs from its text" })
  }

  private func staleSearchIndexes() throws -> [String] {
    try texts(Database.fullTextTables).compactMap { row -> String? in
      guard let table = row.first ?? nil else { return nil }
      do {
        try run(Self.comparingIndex(table))
      } catch let error as StoreError where error.code == .damaged {
        return table
      } catch let error as StoreError where error.code == .misuse {
        // The app's own tokenizer is not known here.
      }
      return nil
    }
  }
}
