// The SQL of the first migration, in parts.
//
// `rowid` is declared because SQLite's hooks name rows by it, and VACUUM renumbers undeclared rowids. A row that is sent has a
// `revision`. A trigger raises it at each change of the row's contents, so that no verb can forget it. The revision that the server has
// acknowledged is stored, too; a row is pending when the two differ. A row that the server refuses again and again is set aside at its
// revision: its next change makes it pending again. A row without consent to send is set aside at the greatest revision.
//
// A table that is sent has AUTOINCREMENT: a rowid is never used twice. So a server's answer applies to the row that was sent,
// even if that row was deleted meanwhile and a new one with the same name begins at the first revision.

extension InferenceStore {
  /// The `set_aside_revision` of a row that neither a change nor a later consent makes pending.
  static let neverSent = Int64.max

  /// The tables of configurations. A change of a part counts as a change of its configuration.
  static let configurationTables = """
    CREATE TABLE configuration (
      rowid INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (id <> ''),
      api_key_reference TEXT,
      base_url TEXT,
      model_cache_size INTEGER,
      max_memory_usage_mb INTEGER,
      allows_user_override INTEGER NOT NULL CHECK (allows_user_override IN (0, 1)),
      temperature REAL NOT NULL,
      max_tokens INTEGER NOT NULL,
      top_p REAL NOT NULL,
      top_k INTEGER,
      repetition_penalty REAL,
      stop_sequences TEXT,
      max_tokens_per_request INTEGER,
      max_tokens_per_day INTEGER,
      max_tokens_per_month INTEGER,
      enforces_token_budget INTEGER CHECK (enforces_token_budget IN (0, 1)),
      framework_preferences TEXT NOT NULL,
      max_context_length INTEGER NOT NULL,
      extracts_thinking INTEGER NOT NULL CHECK (extracts_thinking IN (0, 1)),
      thinking_open_tag TEXT,
      thinking_close_tag TEXT,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      revision INTEGER NOT NULL DEFAULT 1,
      acknowledged_revision INTEGER NOT NULL DEFAULT 0,
      set_aside_revision INTEGER NOT NULL DEFAULT 0,
      CHECK ((thinking_open_tag IS NULL) = (thinking_close_tag IS NULL))
    ) STRICT;
    CREATE TABLE routing_policies (
      rowid INTEGER PRIMARY KEY,
      configuration_id TEXT NOT NULL REFERENCES configuration (id) ON DELETE CASCADE,
      position INTEGER NOT NULL CHECK (position >= 0),
      policy TEXT NOT NULL,
      is_cloud_enabled INTEGER NOT NULL CHECK (is_cloud_enabled IN (0, 1)),
      privacy_mode TEXT NOT NULL,
      custom_rules BLOB,
      max_latency_threshold REAL,
      min_confidence_score REAL,
      on_device_threshold REAL,
      max_cloud_cost_per_request REAL,
      prefers_on_device INTEGER CHECK (prefers_on_device IN (0, 1)),
      UNIQUE (configuration_id, position)
    ) STRICT;
    CREATE TABLE analytics_config (
      rowid INTEGER PRIMARY KEY,
      configuration_id TEXT NOT NULL UNIQUE REFERENCES configuration (id) ON DELETE CASCADE,
      is_enabled INTEGER NOT NULL CHECK (is_enabled IN (0, 1)),
      level TEXT NOT NULL,
      are_live_metrics_enabled INTEGER NOT NULL CHECK (are_live_metrics_enabled IN (0, 1)),
      telemetry_consent TEXT NOT NULL,
      includes_device_info INTEGER NOT NULL CHECK (includes_device_info IN (0, 1)),
      includes_model_info INTEGER NOT NULL CHECK (includes_model_info IN (0, 1)),
      batch_size INTEGER NOT NULL,
      submission_interval_seconds REAL NOT NULL,
      are_metrics_enabled INTEGER CHECK (are_metrics_enabled IN (0, 1)),
      is_error_reporting_enabled INTEGER CHECK (is_error_reporting_enabled IN (0, 1)),
      is_performance_tracking_enabled INTEGER CHECK (is_performance_tracking_enabled IN (0, 1))
    ) STRICT;
    CREATE TABLE storage_config (
      rowid INTEGER PRIMARY KEY,
      configuration_id TEXT NOT NULL UNIQUE REFERENCES configuration (id) ON DELETE CASCADE,
      max_cache_size_bytes INTEGER NOT NULL,
      eviction_policy TEXT NOT NULL,
      directory_name TEXT NOT NULL,
      is_auto_cleanup_enabled INTEGER NOT NULL CHECK (is_auto_cleanup_enabled IN (0, 1)),
      auto_cleanup_interval_seconds REAL NOT NULL,
      minimum_free_space_bytes INTEGER NOT NULL,
      is_compression_enabled INTEGER NOT NULL CHECK (is_compression_enabled IN (0, 1)),
      cleanup_threshold_percent INTEGER,
      model_retention_days INTEGER
    ) STRICT;
    CREATE INDEX configuration_pending ON configuration (updated_at, id)
      WHERE revision > acknowledged_revision AND revision > set_aside_revision;
    """
}
