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
CREATE TABLE telemetry (
  rowid INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE CHECK (id <> ''),
  type TEXT NOT NULL,
  name TEXT,
  properties TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  user_id TEXT,
  session_id TEXT,
  device_info TEXT,
  sdk_version TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  acknowledged_revision INTEGER NOT NULL DEFAULT 0,
  set_aside_revision INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX telemetry_by_time ON telemetry (occurred_at, id);
CREATE INDEX telemetry_pending ON telemetry (occurred_at, id, revision, acknowledged_revision, set_aside_revision)
  WHERE revision > acknowledged_revision AND revision > set_aside_revision;
CREATE INDEX telemetry_set_aside ON telemetry (occurred_at, id, revision, acknowledged_revision, set_aside_revision)
  WHERE revision > acknowledged_revision AND revision <= set_aside_revision;
CREATE TABLE user_preferences (
  rowid INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  value TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  revision INTEGER NOT NULL DEFAULT 1,
  acknowledged_revision INTEGER NOT NULL DEFAULT 0,
  set_aside_revision INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX user_preferences_pending ON user_preferences (updated_at, name)
  WHERE revision > acknowledged_revision AND revision > set_aside_revision;
CREATE TABLE secrets (
  rowid INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE CHECK (name <> ''),
  sealed BLOB NOT NULL,
  key_check BLOB NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TABLE sync_state (
  slot INTEGER PRIMARY KEY CHECK (slot = 1),
  last_acknowledged_at INTEGER,
  last_error TEXT,
  retry_at INTEGER
) STRICT;
CREATE TABLE sync_tries (
  rowid INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  row_id TEXT NOT NULL,
  revision INTEGER NOT NULL,
  tries INTEGER NOT NULL,
  reason TEXT NOT NULL,
  tried_at INTEGER NOT NULL,
  UNIQUE (kind, row_id)
) STRICT;
CREATE TABLE sync_cursors (
  rowid INTEGER PRIMARY KEY,
  kind TEXT NOT NULL UNIQUE,
  since INTEGER NOT NULL,
  row_key BLOB NOT NULL
) STRICT;
CREATE TABLE sync_conflicts (
  rowid INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,
  row_id TEXT NOT NULL,
  field TEXT NOT NULL,
  lost_value TEXT,
  kept TEXT NOT NULL CHECK (kept IN ('ours', 'theirs')),
  noticed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sync_conflicts_by_time ON sync_conflicts (noticed_at, rowid);
CREATE INDEX sync_conflicts_by_row ON sync_conflicts (kind, row_id, field);
CREATE TRIGGER telemetry_forgotten AFTER DELETE ON telemetry BEGIN
  DELETE FROM sync_tries WHERE kind = 'telemetry' AND row_id = old.id;
END;
CREATE TRIGGER model_metadata_forgotten AFTER DELETE ON model_metadata BEGIN
  DELETE FROM sync_tries WHERE kind = 'model_metadata' AND row_id = old.id;
END;
CREATE TRIGGER configuration_forgotten AFTER DELETE ON configuration BEGIN
  DELETE FROM sync_tries WHERE kind = 'configuration' AND row_id = old.id;
END;
CREATE TRIGGER generation_sessions_forgotten AFTER DELETE ON generation_sessions BEGIN
  DELETE FROM sync_tries WHERE kind = 'generation_sessions' AND row_id = old.id;
END;
CREATE TRIGGER generations_forgotten AFTER DELETE ON generations BEGIN
  DELETE FROM sync_tries WHERE kind = 'generations' AND row_id = old.id;
END;
CREATE TRIGGER user_preferences_forgotten AFTER DELETE ON user_preferences BEGIN
  DELETE FROM sync_tries WHERE kind = 'user_preferences' AND row_id = old.name;
END;
