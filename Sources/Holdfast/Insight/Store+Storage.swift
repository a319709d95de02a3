import Foundation
internal import GRDB

extension Store {
  /// Measures how much room each table, each index and each copy of the store takes.
  ///
  /// Reads every page of the file, so a large store takes seconds; writers do not wait. Where SQLite was built without `dbstat`, the figures
  /// of tables and indexes are estimates, and their sum is exact.
  ///
  /// - Throws: `.closed`, `.damaged`, `.inputOutput`.
  public func storage() throws -> StorageUse {
    try inspect { db in
      var use = StorageUse()
      let sizes = try ObjectSizes(db.texts)
      use.freeBytes = try sizes.freeBytes()
      use.objects = try sizes.objects()
      guard let files else { return use }
      let copies = CopyBytes(files, db.texts)
      (use.fileBytes, use.logBytes) = (DurableFile.size(files.path), DurableFile.size(files.log.path))
      (use.snapshotBytes, use.archiveBytes) = (copies.snapshots, copies.archive)
      (use.quarantineBytes, use.sourceBytes) = (copies.quarantine, copies.sources)
      use.diskFreeBytes = DurableFile.freeBytes(in: files.parent)
      use.rewindNeedsBytes = files.copyingBytes
      return use
    }
  }

  /// The same without blocking the caller. It runs to its end, even when the task is cancelled.
  public func storage() async throws -> StorageUse { try await offTask { _ in try self.storage() } }
}

extension Reader {
  /// The bytes of each table with its indexes, and of each virtual table with its tables; see `Store.storage()`. Reads every page of the
  /// file.
  package func tableBytes() throws -> [String: Int64] {
    try checkOpen()
    return try ObjectSizes(database.texts).objects().reduce(into: [:]) { $0[$1.table, default: 0] &+= $1.bytes }
  }
}

/// The sizes of a database's tables and indexes, with the tables of a full-text index counted as one.
struct ObjectSizes {
  private typealias Size = (name: String, bytes: Int64)

  private let query: TextQuery
  /// Whether this SQLite counts pages. Tests say that it does not.
  private let countsPages: Bool
  /// How many rows of a table an estimate reads.
  private static let sampledRows = 1_000

  init(_ query: @escaping TextQuery, countsPages: Bool? = nil) throws {
    self.query = query
    self.countsPages = try countsPages ?? !query("SELECT 1 FROM pragma_module_list WHERE name = 'dbstat'").isEmpty
  }

  func freeBytes() throws -> Int64 { try number("freelist_count") &* number("page_size") }

  /// The bytes of all pages that are not free. Estimates are shares of them.
  private func usedBytes() throws -> Int64 { try (number("page_count") &- number("freelist_count")) &* number("page_size") }

  private func number(_ pragma: String) throws -> Int64 {
    let text = try query("PRAGMA \(pragma)").first?.first ?? nil
    return text.flatMap { Int64($0) } ?? 0
  }

  /// The largest first.
  func objects() throws -> [StorageUse.Object] {
    let tables = try namesOfTables(of: "index")
    let shadows = try names("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'shadow'")
    let virtual = try names("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'virtual'")
    var objects: [String: StorageUse.Object] = [:]
    for size in try countsPages ? counted() : estimated(usedBytes()) {
      let owner = shadows.contains(size.name) ? virtual.filter { size.name.hasPrefix($0 + "_") }.max { $0.count < $1.count } : nil
      let name = owner ?? size.name
      let kind: StorageUse.Object.Kind = owner != nil ? .search : tables[name] != nil ? .index : .table
      let new = StorageUse.Object(name: name, table: tables[name] ?? name, kind: kind, bytes: 0, isEstimated: !countsPages)
      objects[name, default: new].bytes &+= size.bytes
    }
    return objects.values.sorted { ($1.bytes, $0.name) < ($0.bytes, $1.name) }
  }

  private func counted() throws -> [Size] {
    try query("SELECT name, pgsize FROM dbstat WHERE aggregate = 1").compactMap { row in
      guard row.count == 2, let name = row[0], let bytes = row[1].flatMap({ Int64($0) }) else { return nil }
      return (name: name, bytes: bytes)
    }
  }

  /// Shares by the number of rows, and the length of the first ones as text. 8 bytes are added for the number or the header of a row.
  private func estimated(_ usedBytes: Int64) throws -> [Size] {
    var weights: [(name: String, weight: Double)] = []
    for table in try namesOfTables(of: "table").keys.sorted() {
      weights.append((table, try weight(of: "SELECT name FROM pragma_table_xinfo(\(literal(table))) WHERE hidden IN (0, 3)", in: table)))
    }
    for (index, table) in try namesOfTables(of: "index").sorted(by: { $0.key < $1.key }) {
      let columns = "SELECT name FROM pragma_index_xinfo(\(literal(index))) WHERE key = 1 AND cid >= 0"
      weights.append((index, try weight(of: columns, in: table)))
    }
    let all = weights.reduce(0) { $0 + $1.weight }
    guard all > 0 else { return [] }
    return weights.map { (name: $0.name, bytes: Int64(exactly: (Double(usedBytes) * $0.weight / all).rounded()) ?? 0) }
  }

  private func weight(of columnQuery: String, in table: String) throws -> Double {
    let columns = try names(columnQuery)
    let length = columns.map { "coalesce(length(CAST(\(quoted($0)) AS BLOB)), 0)" }.joined(separator: " + ")
    let sample = "SELECT \(length.isEmpty ? "0" : length) AS length FROM \(quoted(table)) LIMIT \(Self.sampledRows)"
    let row = try query("SELECT count(*), (SELECT avg(length) FROM (\(sample))) FROM \(quoted(table))").first ?? []
    guard row.count == 2, let rows = row[0].flatMap({ Double($0) }), let average = row[1].flatMap({ Double($0) }) else { return 0 }
    return rows * (average + 8)
  }

  /// The tables or indexes that have pages, with the table of each.
  private func namesOfTables(of type: String) throws -> [String: String] {
    var names: [String: String] = [:]
    for row in try query("SELECT name, tbl_name FROM sqlite_schema WHERE type = \(literal(type)) AND rootpage > 0") {
      if row.count == 2, let name = row[0], let table = row[1] { names[name] = table }
    }
    return names
  }

  private func names(_ sql: String) throws -> [String] { try query(sql).compactMap { $0.first ?? nil } }
}
