/// A permanent, named step of a schema.
///
/// All pending migrations run in one transaction with foreign keys off; before it commits, foreign keys, the schema and the
/// row count of every table are verified. In a store that syncs, their changes of synced columns are sent, with the time of the value that
/// they replace.
public struct Migration: Sendable {
  enum Step: Sendable {
    case sql(String)
    case closure(version: String, @Sendable (Writer) throws -> Void)
  }

  /// For example `audiobooks/002-add-speed`. Unique in the file. Never change it after the migration has shipped.
  public let name: String
  let step: Step
  /// Tables that may end with fewer rows than before, or be gone.
  let losesRowsOf: Set<String>
  /// New names of renamed tables by their old names: row counts are compared across the rename.
  let renames: [String: String]

  /// Makes a migration from SQL: one or more statements.
  public init(_ name: String, sql: String, losesRowsOf: Set<String> = [], renames: [String: String] = [:]) {
    self.init(name, .sql(sql), losesRowsOf, renames)
  }

  /// Makes a migration from Swift code, for moving data. Code cannot be hashed: `version` is recorded for it in `holdfast_migrations`.
  /// Change `version` only before the migration ships. The closure also runs on an empty database, to find the expected schema.
  public init(
    _ name: String, version: String, losesRowsOf: Set<String> = [], renames: [String: String] = [:],
    _ move: @escaping @Sendable (Writer) throws -> Void
  ) {
    self.init(name, .closure(version: version, move), losesRowsOf, renames)
  }

  private init(_ name: String, _ step: Step, _ losesRowsOf: Set<String>, _ renames: [String: String]) {
    (self.name, self.step, self.losesRowsOf, self.renames) = (name, step, losesRowsOf, renames)
  }

  /// SHA-256 of the SQL text or of the closure's version, in hexadecimal.
  public var hash: String {
    switch step {
    case .sql(let sql): SHA256Hex.of(sql)
    case .closure(let version, _): SHA256Hex.of("closure " + version)
    }
  }
}
