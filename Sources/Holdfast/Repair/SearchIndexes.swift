extension RawConnection {
  /// Makes each search index again that differs from its text or cannot be read. Only for a copy: an index is derived from rows, so it must
  /// never hinder rows from coming back, and what is restored should have sound ones. Call it when the plain pages are known to be sound:
  /// older versions of SQLite end the process at some damaged pages of an index.
  ///
  /// - Returns: whether one was made again; and what is still wrong, a sentence each, for example because a text cannot be read.
  @discardableResult
  func remakeSearchIndexes() throws -> (remade: Bool, findings: [String]) {
    // A journal left by a kill would be rolled back into the next copy of that name.
    try run("PRAGMA journal_mode = MEMORY")
    var (remade, findings) = (false, [String]())
    for index in try SearchIndex.all(texts) {
      guard try problem(of: index) != nil else { continue }
      remade = true
      try? run(index.filling)
      if try problem(of: index) != nil, index.hasTextElsewhere { try makeAnew(index) }
      if let left = try problem(of: index) { findings.append("\(index.name): \(left)") }
    }
    return (remade, findings)
  }

  private func problem(of index: SearchIndex) throws -> String? {
    do {
      try run(index.comparing)
      return nil
    } catch let error as StoreError where [.damaged, .misuse].contains(error.code) {
      return SearchIndex.finding(error)?.replacing("\(path): ", with: "")
    }
  }

  /// Where the index cannot be filled, it stays as it was, and is a finding.
  private func makeAnew(_ index: SearchIndex) throws {
    try run("SAVEPOINT anew")
    do {
      try index.drop(on: handle, run)
      try index.make(run)
    } catch let error as StoreError where [.damaged, .misuse].contains(error.code) {
      try run("ROLLBACK TO anew")
    }
    try run("RELEASE anew")
  }
}
