public import Foundation
public import Holdfast

/// Keeps the schema of every shipped version in files, and checks that the present migrations still make it.
///
/// One file per version, `<schema>-<version>.sql`, in a folder of your repository: the tables, indexes, views and triggers in the order of
/// their making, without the kit's own tables. Make the file with `write(_:to:)` when you ship a version, and never change it.
public enum FrozenSchema {
  /// The SQL of the objects that the first `version` migrations of `schema` make in an empty store; nil: all.
  private static func dump(_ schema: StoreSchema, version: Int? = nil) throws -> String {
    let store = try Store.inMemory(schemas: [schema.upTo(version ?? schema.version)])
    defer { try? store.close() }
    return try store.read { reader in
      // Leaves out shadow tables, which their virtual table makes.
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

  /// Writes the newest version's file, unless it exists.
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

  /// Compares each version's file with the result of the present migrations.
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
  ///   - last: the last version to make; nil: the schema's own.
  ///   - seed: must write at least one row into every table of that version.
  /// - Returns: by version, the rows of each table before and after its migration.
  /// - Throws: `.verificationFailed` for an empty table of a version and for an unhealthy result; the errors of opening, such as
  ///   `.migrationLostRows`.
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
      try expect(try new.integrityCheck().isHealthy, "version \(version) of \(schema.name) is not healthy after its migration")
      try new.close()
    }
    return plans
  }

  private static func file(_ schema: StoreSchema, _ version: Int, in folder: URL) -> URL {
    folder.appendingPathComponent("\(schema.name)-\(version).sql")
  }
}

extension StoreSchema {
  /// This schema as it was with `version` migrations, without later migrations and without anything else that it declares.
  package func upTo(_ version: Int) -> StoreSchema {
    StoreSchema(name, migrations: Array(migrations.prefix(max(0, version))))
  }
}
