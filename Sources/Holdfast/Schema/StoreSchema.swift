/// A named, versioned set of tables: what a library keeps, and the steps that made it.
///
/// The version is the number of migrations. `Documentation/ARCHITECTURE.md` says how they run.
public struct StoreSchema: Sendable {
  /// Stands in `holdfast_schemas` and says what kind of file this is. Permanent once shipped.
  public let name: String
  /// Oldest first. A migration that has shipped is never edited, moved or removed.
  public let migrations: [Migration]
  /// What the rows are read as; the integrity check reads every row of them.
  public let records: [any StoredRecord.Type]
  /// What must hold beyond constraints; the integrity check runs them.
  public let invariants: [Invariant]
  /// Tables that are in no documented export, and that no such file brings in: secrets, and what means nothing outside of this file.
  /// No other table may point at one; exporting checks it.
  public let neverExported: Set<String>

  /// Takes the declaration as it is; opening a store checks it.
  public init(
    _ name: String, migrations: [Migration], records: [any StoredRecord.Type] = [], invariants: [Invariant] = [],
    neverExported: Set<String> = []
  ) {
    self.name = name
    self.migrations = migrations
    self.records = records
    self.invariants = invariants
    self.neverExported = neverExported
  }

  /// How many migrations there are.
  public var version: Int { migrations.count }
}

/// One permanent named step of a schema.
///
/// All pending migrations run in one transaction with foreign keys off; before it commits, foreign keys, the schema and the
/// row count of every table are verified.
public struct Migration: Sendable {
  enum Step: Sendable {
    case sql(String)
    case closure(version: String, @Sendable (Writer) throws -> Void)
  }

  /// For example `audiobooks/002-add-speed`. Unique in the file.
  public let name: String
  let step: Step
  /// Tables that may end with fewer rows than before, or be gone.
  let losesRowsOf: Set<String>
  /// New names of tables that are renamed, by their old name: their rows are compared across the rename.
  let renames: [String: String]

  /// A migration in SQL: one or more statements.
  public init(_ name: String, sql: String, losesRowsOf: Set<String> = [], renames: [String: String] = [:]) {
    self.name = name
    self.step = .sql(sql)
    self.losesRowsOf = losesRowsOf
    self.renames = renames
  }

  /// A migration in Swift, for moving data. Code cannot be hashed: `version` stands for it in `holdfast_migrations`, so
  /// change it only before the migration ships. Runs also on an empty database, to learn the expected schema.
  public init(
    _ name: String, version: String, losesRowsOf: Set<String> = [], renames: [String: String] = [:],
    _ move: @escaping @Sendable (Writer) throws -> Void
  ) {
    self.name = name
    self.step = .closure(version: version, move)
    self.losesRowsOf = losesRowsOf
    self.renames = renames
  }

  /// SHA-256 of the SQL text or of the closure's version, in hexadecimal.
  public var hash: String {
    switch step {
    case .sql(let sql): SHA256Hex.of(sql)
    case .closure(let version, _): SHA256Hex.of("closure " + version)
    }
  }
}

/// Something that must hold in a healthy file: a query whose every row is a finding.
public struct Invariant: Sendable {
  /// Says what holds, for example "every playback state belongs to its track's collection".
  public let name: String
  /// The table that a finding is about.
  public let table: String
  /// Selects one row per finding; its first column says which row of `table` breaks the invariant.
  package let findings: BoundSQL

  /// The query runs in a read; one that would write throws then.
  public init(_ name: String, table: String, findings: BoundSQL) {
    self.name = name
    self.table = table
    self.findings = findings
  }
}
