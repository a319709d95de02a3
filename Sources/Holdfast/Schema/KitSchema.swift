extension StoreSchema {
  /// The kit's own tables, migrated by the same runner as all others. Migrations and schemas are recorded in two tables that exist before
  /// the first migration; see `MigrationRunner`.
  static let kit = StoreSchema(
    "holdfast",
    migrations: [
      Migration(
        "holdfast/001-import-ledger",
        sql: """
          CREATE TABLE holdfast_imports (
            id TEXT NOT NULL PRIMARY KEY,
            format TEXT NOT NULL,
            format_version INTEGER NOT NULL,
            source_path TEXT NOT NULL,
            source_sha256 TEXT NOT NULL,
            source_bytes INTEGER NOT NULL,
            source_modified_at INTEGER,
            backup_path TEXT,
            imported_at INTEGER NOT NULL,
            report TEXT NOT NULL
          ) STRICT;
          CREATE INDEX holdfast_imports_by_source ON holdfast_imports (source_sha256);
          CREATE TABLE holdfast_imported (
            kind TEXT NOT NULL,
            key TEXT NOT NULL,
            fingerprint INTEGER NOT NULL,
            PRIMARY KEY (kind, key)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE holdfast_quarantine (
            id INTEGER PRIMARY KEY,
            import_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            field TEXT NOT NULL,
            path TEXT NOT NULL,
            reason TEXT NOT NULL,
            original BLOB NOT NULL,
            original_sha256 TEXT NOT NULL,
            created_at INTEGER NOT NULL,
            UNIQUE (kind, field, path, original_sha256)
          ) STRICT;
          CREATE TABLE holdfast_insight (
            kind TEXT NOT NULL,
            day TEXT NOT NULL,
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            PRIMARY KEY (kind, day, name)
          ) STRICT, WITHOUT ROWID;
          CREATE TABLE holdfast_audit (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            time INTEGER NOT NULL,
            actor TEXT,
            verb TEXT,
            kind TEXT NOT NULL,
            row TEXT NOT NULL,
            operation TEXT NOT NULL,
            before TEXT,
            after TEXT,
            hash BLOB
          ) STRICT;
          CREATE INDEX holdfast_audit_by_row ON holdfast_audit (kind, row);
          CREATE TABLE holdfast_audit_anchor (
            place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1),
            entry INTEGER NOT NULL,
            hash BLOB NOT NULL
          ) STRICT;
          """)
    ])
}

extension Store {
  /// The first declared schema that has a newer version in the file.
  package func newerSchema(in reader: Reader) throws -> String? {
    try schemas.first { schema in
      try reader.count("SELECT version FROM holdfast_schemas WHERE name = \(schema.name)") > schema.version
    }?.name
  }
}

extension StoreSchema {
  /// The columns, by table, that the schemas' migrations make in an empty store.
  package static func declaredColumns(of schemas: [StoreSchema]) throws -> [String: Set<String>] {
    try MigrationRunner(schemas).expectedShape().columns
  }
}
