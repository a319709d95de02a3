public import Foundation
public import Holdfast

/// The schema of every shipped version, kept as files, and the proof that today's migrations still make them.
///
/// One file per version, `<schema>-<version>.sql`, in a folder of your repository: the tables, indexes, views and triggers in
/// the order in which they were made. The kit's own tables are not in it. Make the file with `write(_:to:)` when you ship a
/// version, and never again.
public enum FrozenSchema {
  /// The SQL of the objects that the first `version` migrations of `schema` make in an empty store; nil: all.
  public static func dump(_ schema: StoreSchema, version: Int? = nil) throws -> String {
    let store = try Store.inMemory(schemas: [schema.upTo(version ?? schema.version)])
    defer { try? store.close() }
    return try store.read { reader in
      // Shadow tables come with their virtual table.
      let objects = try reader.values(
        """
        SELECT sql FROM sqlite_schema
        WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'holdfast\\_%' ESCAPE '\\' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'
          AND tbl_name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
        ORDER BY rowid
        """
      ) { row in try row.text() }
      return objects.map { $0 + ";\n" }.joined()
    }
  }

  /// Writes the newest version's file, unless it is there.
  ///
  /// - Throws: `.misuse` when the file exists with another text: a shipped version is frozen.
  @discardableResult
  public static func write(_ schema: StoreSchema, to folder: URL) throws -> URL {
    let url = file(schema, schema.version, in: folder)
    let text = try dump(schema)
    if let old = try? String(contentsOf: url, encoding: .utf8) {
      guard old == text else { throw StoreError(.misuse, "\(url.lastPathComponent) is frozen, and the schema differs from it") }
      return url
    }
    try text.write(to: url, atomically: true, encoding: .utf8)
    return url
  }

  /// Compares the file of every version with what the migrations make today.
  ///
  /// - Throws: `.notFound` when the file of a version is missing; `.verificationFailed` with the first line that differs.
  public static func check(_ schema: StoreSchema, in folder: URL) throws {
    for version in stride(from: 1, through: schema.version, by: 1) {
      let url = file(schema, version, in: folder)
      guard let frozen = try? String(contentsOf: url, encoding: .utf8) else {
        throw StoreError(
          .notFound, "there is no \(url.lastPathComponent) in \(folder.path)", suggestion: "Make it with FrozenSchema.write.")
      }
      let made = try dump(schema, version: version)
      guard made != frozen else { continue }
      let lines = zip(frozen.components(separatedBy: "\n"), made.components(separatedBy: "\n"))
      let first = lines.first { $0 != $1 }
      let difference = first.map { "“\($0)” became “\($1)”" } ?? "one of them is longer"
      throw StoreError(.verificationFailed, "\(url.lastPathComponent) is not what the migrations make: \(difference)")
    }
  }

  /// Makes a store of every version, lets `seed` fill it, and opens it with the newest schema.
  ///
  /// - Parameters:
  ///   - last: the newest version that is made; nil: the schema's own.
  ///   - seed: writes rows into every table of that version.
  /// - Returns: what each walk did to the rows of each table, by version.
  /// - Throws: `.verificationFailed` when a table of a version was not seeded; what opening throws, `.migrationLostRows` above all.
  @discardableResult
  public static func walk(
    _ schema: StoreSchema, upTo last: Int? = nil, seed: (_ version: Int, _ tx: Writer) throws -> Void
  ) throws -> [Int: MigrationPlan] {
    var plans: [Int: MigrationPlan] = [:]
    for version in stride(from: 1, through: last ?? schema.version, by: 1) {
      let folder = try TemporaryFolder()
      let old = try folder.store([schema.upTo(version)])
      try old.write { tx in try seed(version, tx) }
      let rows = try old.statistics().rows
      try old.close()
      if let empty = rows.first(where: { $0.value == 0 && !$0.key.hasPrefix("holdfast_") }) {
        throw StoreError(.verificationFailed, "version \(version) of \(schema.name) has no rows in \(empty.key)")
      }
      plans[version] = try Store.plan(at: folder.file("store.sqlite"), schemas: [schema], options: .testing)
      let new = try folder.store([schema])
      guard try new.integrityCheck().isHealthy else {
        throw StoreError(.verificationFailed, "version \(version) of \(schema.name) is not healthy after its migration")
      }
      try new.close()
    }
    return plans
  }

  private static func file(_ schema: StoreSchema, _ version: Int, in folder: URL) -> URL {
    folder.appendingPathComponent("\(schema.name)-\(version).sql")
  }
}

extension StoreSchema {
  /// This schema as it was when it had `version` migrations; later ones and the invariants are left out.
  public func upTo(_ version: Int) -> StoreSchema {
    StoreSchema(name, migrations: Array(migrations.prefix(max(0, version))))
  }
}
