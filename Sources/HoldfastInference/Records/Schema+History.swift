extension InferenceStore {
  /// The registry of models. Each index serves a list: all, by framework, by format, with a file. `search_key` is the text that is
  /// searched, folded: there are a few hundred models, so a full-text index and its triggers would cost more than they save.
  static let modelTables = """
    CREATE TABLE model_metadata (
      rowid INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE CHECK (id <> ''),
      name TEXT NOT NULL,
      format TEXT NOT NULL,
      framework TEXT NOT NULL,
      size_bytes INTEGER,
      quantization TEXT,
      version TEXT,
      capabilities TEXT NOT NULL,
      requirements TEXT,
      download_url TEXT,
      local_path TEXT,
      missing_since INTEGER,
      context_length INTEGER,
      estimated_memory_bytes INTEGER,
      download_size_bytes INTEGER,
      checksum TEXT,
      author TEXT,
      license TEXT,
      description TEXT,
      tags TEXT NOT NULL,
      supports_thinking INTEGER NOT NULL CHECK (supports_thinking IN (0, 1)),
      thinking_open_tag TEXT,
      thinking_close_tag TEXT,
      downloaded_at INTEGER,
      last_used_at INTEGER,
      usage_count INTEGER NOT NULL,
      total_tokens_generated INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      updated_at INTEGER NOT NULL,
      name_key TEXT NOT NULL,
      search_key TEXT NOT NULL,
      revision INTEGER NOT NULL DEFAULT 1,
      acknowledged_revision INTEGER NOT NULL DEFAULT 0,
      set_aside_revision INTEGER NOT NULL DEFAULT 0,
      CHECK ((thinking_open_tag IS NULL) = (thinking_close_tag IS NULL))
    ) STRICT;
    CREATE INDEX model_metadata_by_name ON model_metadata (name_key, id);
    CREATE INDEX model_metadata_by_framework ON model_metadata (framework, name_key, id);
    CREATE INDEX model_metadata_by_format ON model_metadata (format, name_key, id);
    CREATE INDEX model_metadata_with_file ON model_metadata (name_key, id) WHERE local_path IS NOT NULL;
    CREATE INDEX model_metadata_pending ON model_metadata (updated_at, id)
      WHERE revision > acknowledged_revision AND revision > set_aside_revision;

    CREATE TABLE model_usage_stats (
      rowid INTEGER PRIMARY KEY,
      model_id TEXT NOT NULL CHECK (model_id <> ''),
      day TEXT NOT NULL,
      generation_count INTEGER NOT NULL,
      total_tokens INTEGER NOT NULL,
      total_cost REAL NOT NULL,
      total_latency_ms REAL NOT NULL,
      error_count INTEGER NOT NULL,
      UNIQUE (model_id, day)
    ) STRICT;
    CREATE INDEX model_usage_stats_by_day ON model_usage_stats (day, model_id);
    """

  /// Sessions and generations. `first_token_count` and `token_rate_count` count the generations in a session's averages; 0
  /// beside an average means that it was imported with the session. `generations_by_model` contains all columns that statistics
  /// read, so that they read only the index.
  static let historyTables = """
    CREATE TABLE generation_sessions (
      rowid INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      model_id TEXT NOT NULL CHECK (model_id <> ''),
      type TEXT NOT NULL,
      started_at INTEGER NOT NULL,
      ended_at INTEGER,
      generation_count INTEGER NOT NULL,
      message_count INTEGER,
      total_input_tokens INTEGER NOT NULL,
      total_output_tokens INTEGER NOT NULL,
      total_tokens INTEGER NOT NULL,
      total_cost REAL NOT NULL,
      average_time_to_first_token_ms REAL,
      average_tokens_per_second REAL,
      total_duration_ms REAL NOT NULL,
      context TEXT,
      updated_at INTEGER NOT NULL,
      first_token_count INTEGER NOT NULL DEFAULT 0,
      token_rate_count INTEGER NOT NULL DEFAULT 0,
      revision INTEGER NOT NULL DEFAULT 1,
      acknowledged_revision INTEGER NOT NULL DEFAULT 0,
      set_aside_revision INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE INDEX generation_sessions_by_start ON generation_sessions (started_at, id);
    CREATE INDEX generation_sessions_by_model ON generation_sessions (model_id, started_at, id);
    CREATE INDEX generation_sessions_pending ON generation_sessions (updated_at, id, revision, acknowledged_revision, set_aside_revision)
      WHERE revision > acknowledged_revision AND revision > set_aside_revision;

    CREATE TABLE generations (
      rowid INTEGER PRIMARY KEY AUTOINCREMENT,
      id TEXT NOT NULL UNIQUE,
      session_id TEXT NOT NULL REFERENCES generation_sessions (id) ON DELETE CASCADE,
      sequence_number INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      model_id TEXT CHECK (model_id <> ''),
      execution_target TEXT,
      latency_ms REAL,
      prompt_tokens INTEGER,
      completion_tokens INTEGER,
      time_to_first_token_ms REAL,
      tokens_per_second REAL,
      cost REAL NOT NULL,
      cost_saved REAL NOT NULL,
      routing_framework TEXT,
      routing_reason TEXT,
      request TEXT,
      response TEXT,
      error_code TEXT,
      error_message TEXT,
      revision INTEGER NOT NULL DEFAULT 1,
      acknowledged_revision INTEGER NOT NULL DEFAULT 0,
      set_aside_revision INTEGER NOT NULL DEFAULT 0,
      CHECK (
        (model_id IS NULL) + (execution_target IS NULL) + (latency_ms IS NULL) + (prompt_tokens IS NULL) + (completion_tokens IS NULL) IN (0, 5)
      )
    ) STRICT;
    CREATE INDEX generations_in_order ON generations (session_id, sequence_number, id);
    CREATE INDEX generations_by_model ON generations (
      model_id, execution_target, created_at, latency_ms, prompt_tokens, completion_tokens, time_to_first_token_ms, tokens_per_second,
      cost, error_code) WHERE model_id IS NOT NULL;
    CREATE INDEX generations_pending ON generations (created_at, id, revision, acknowledged_revision, set_aside_revision)
      WHERE revision > acknowledged_revision AND revision > set_aside_revision;
    """
}
