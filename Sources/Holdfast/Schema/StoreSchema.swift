/// A named, versioned set of tables of a library, with the migrations that made it.
///
/// The version is the number of migrations. `Documentation/ARCHITECTURE.md` describes how they run.
public struct StoreSchema: Sendable {
  /// The name in `holdfast_schemas`, by which a file's kind is known. Permanent once shipped.
  public let name: String
  /// Oldest first. A migration that has shipped is never edited, moved or removed.
  public let migrations: [Migration]
  /// The types of the rows. The integrity check reads every row as its type.
  public let records: [any StoredRecord.Type]
  /// Conditions beyond the constraints. The integrity check tests them.
  public let invariants: [Invariant]
  /// Full-text indexes, revisions and audits, which the kit makes after the migrations and keeps up to date.
  public let declarations: [SchemaDeclaration]
  /// Tables that no documented export contains and no import of such a file fills: secrets, and data that are useless outside this file. No
  /// other table may refer to them; exporting checks that.
  public let neverExported: Set<String>
  /// The tables whose old rows are removed; see `Store.applyRetention()`.
  public let retention: [RetentionPolicy]

  /// Makes a schema without checking it. Opening a store checks it.
  public init(
    _ name: String, migrations: [Migration], records: [any StoredRecord.Type] = [], invariants: [Invariant] = [],
    declarations: [SchemaDeclaration] = [], neverExported: Set<String> = [], retention: [RetentionPolicy] = []
  ) {
    self.name = name
    self.migrations = migrations
    self.records = records
    self.invariants = invariants
    self.declarations = declarations
    self.neverExported = neverExported
    self.retention = retention
  }

  /// The number of migrations.
  public var version: Int { migrations.count }
}
