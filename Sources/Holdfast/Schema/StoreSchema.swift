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
  /// Full-text indexes and revisions, which the kit makes after the migrations and keeps.
  public let declarations: [SchemaDeclaration]
  /// Tables that are in no documented export, and that no such file brings in: secrets, and what means nothing outside of this file.
  /// No other table may point at one; exporting checks it.
  public let neverExported: Set<String>

  /// Takes the declaration as it is; opening a store checks it.
  public init(
    _ name: String, migrations: [Migration], records: [any StoredRecord.Type] = [], invariants: [Invariant] = [],
    declarations: [SchemaDeclaration] = [], neverExported: Set<String> = []
  ) {
    self.name = name
    self.migrations = migrations
    self.records = records
    self.invariants = invariants
    self.declarations = declarations
    self.neverExported = neverExported
  }

  /// How many migrations there are.
  public var version: Int { migrations.count }
}
