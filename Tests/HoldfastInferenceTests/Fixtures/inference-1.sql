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
CREATE TRIGGER configuration_revised AFTER UPDATE OF id, api_key_reference, base_url, model_cache_size, max_memory_usage_mb,
    allows_user_override, temperature, max_tokens, top_p, top_k, repetition_penalty, stop_sequences, max_tokens_per_request,
    max_tokens_per_day, max_tokens_per_month, enforces_token_budget, framework_preferences, max_context_length, extracts_thinking,
    thinking_open_tag, thinking_close_tag, created_at, updated_at ON configuration
WHEN (old.id, old.api_key_reference, old.base_url, old.model_cache_size, old.max_memory_usage_mb, old.allows_user_override,
    old.temperature, old.max_tokens, old.top_p, old.top_k, old.repetition_penalty, old.stop_sequences, old.max_tokens_per_request,
    old.max_tokens_per_day, old.max_tokens_per_month, old.enforces_token_budget, old.framework_preferences, old.max_context_length,
    old.extracts_thinking, old.thinking_open_tag, old.thinking_close_tag, old.created_at, old.updated_at) IS NOT (new.id,
    new.api_key_reference, new.base_url, new.model_cache_size, new.max_memory_usage_mb, new.allows_user_override, new.temperature,
    new.max_tokens, new.top_p, new.top_k, new.repetition_penalty, new.stop_sequences, new.max_tokens_per_request,
    new.max_tokens_per_day, new.max_tokens_per_month, new.enforces_token_budget, new.framework_preferences, new.max_context_length,
    new.extracts_thinking, new.thinking_open_tag, new.thinking_close_tag, new.created_at, new.updated_at) BEGIN
  UPDATE configuration SET revision = old.revision + 1 WHERE rowid = old.rowid;
END;
CREATE TRIGGER routing_policies_insert_revises AFTER INSERT ON routing_policies BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = new.configuration_id;
END;
CREATE TRIGGER routing_policies_update_revises AFTER UPDATE ON routing_policies
WHEN (old.configuration_id, old.position, old.policy, old.is_cloud_enabled, old.privacy_mode, old.custom_rules,
    old.max_latency_threshold, old.min_confidence_score, old.on_device_threshold, old.max_cloud_cost_per_request,
    old.prefers_on_device) IS NOT (new.configuration_id, new.position, new.policy, new.is_cloud_enabled, new.privacy_mode,
    new.custom_rules, new.max_latency_threshold, new.min_confidence_score, new.on_device_threshold,
    new.max_cloud_cost_per_request, new.prefers_on_device) BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = new.configuration_id;
END;
CREATE TRIGGER routing_policies_delete_revises AFTER DELETE ON routing_policies BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = old.configuration_id;
END;
CREATE TRIGGER analytics_config_insert_revises AFTER INSERT ON analytics_config BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = new.configuration_id;
END;
CREATE TRIGGER analytics_config_update_revises AFTER UPDATE ON analytics_config
WHEN (old.configuration_id, old.is_enabled, old.level, old.are_live_metrics_enabled, old.telemetry_consent,
    old.includes_device_info, old.includes_model_info, old.batch_size, old.submission_interval_seconds, old.are_metrics_enabled,
    old.is_error_reporting_enabled, old.is_performance_tracking_enabled) IS NOT (new.configuration_id, new.is_enabled, new.level,
    new.are_live_metrics_enabled, new.telemetry_consent, new.includes_device_info, new.includes_model_info, new.batch_size,
    new.submission_interval_seconds, new.are_metrics_enabled, new.is_error_reporting_enabled,
    new.is_performance_tracking_enabled) BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = new.configuration_id;
END;
CREATE TRIGGER analytics_config_delete_revises AFTER DELETE ON analytics_config BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = old.configuration_id;
END;
CREATE TRIGGER storage_config_insert_revises AFTER INSERT ON storage_config BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = new.configuration_id;
END;
CREATE TRIGGER storage_config_update_revises AFTER UPDATE ON storage_config
WHEN (old.configuration_id, old.max_cache_size_bytes, old.eviction_policy, old.directory_name, old.is_auto_cleanup_enabled,
    old.auto_cleanup_interval_seconds, old.minimum_free_space_bytes, old.is_compression_enabled, old.cleanup_threshold_percent,
    old.model_retention_days) IS NOT (new.configuration_id, new.max_cache_size_bytes, new.eviction_policy, new.directory_name,
    new.is_auto_cleanup_enabled, new.auto_cleanup_interval_seconds, new.minimum_free_space_bytes, new.is_compression_enabled,
    new.cleanup_threshold_percent, new.model_retention_days) BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = new.configuration_id;
END;
CREATE TRIGGER storage_config_delete_revises AFTER DELETE ON storage_config BEGIN
  UPDATE configuration SET revision = revision + 1 WHERE id = old.configuration_id;
END;
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
CREATE TRIGGER model_metadata_revised AFTER UPDATE OF id, name, format, framework, size_bytes, quantization, version, capabilities,
    requirements, download_url, local_path, missing_since, context_length, estimated_memory_bytes, download_size_bytes, checksum,
    author, license, description, tags, supports_thinking, thinking_open_tag, thinking_close_tag, downloaded_at, last_used_at,
    usage_count, total_tokens_generated, created_at, updated_at, name_key ON model_metadata
WHEN (old.id, old.name, old.format, old.framework, old.size_bytes, old.quantization, old.version, old.capabilities, old.requirements,
    old.download_url, old.local_path, old.missing_since, old.context_length, old.estimated_memory_bytes, old.download_size_bytes,
    old.checksum, old.author, old.license, old.description, old.tags, old.supports_thinking, old.thinking_open_tag,
    old.thinking_close_tag, old.downloaded_at, old.last_used_at, old.usage_count, old.total_tokens_generated, old.created_at,
    old.updated_at, old.name_key) IS NOT (new.id, new.name, new.format, new.framework, new.size_bytes, new.quantization, new.version,
    new.capabilities, new.requirements, new.download_url, new.local_path, new.missing_since, new.context_length,
    new.estimated_memory_bytes, new.download_size_bytes, new.checksum, new.author, new.license, new.description, new.tags,
    new.supports_thinking, new.thinking_open_tag, new.thinking_close_tag, new.downloaded_at, new.last_used_at, new.usage_count,
    new.total_tokens_generated, new.created_at, new.updated_at, new.name_key) BEGIN
  UPDATE model_metadata SET revision = old.revision + 1 WHERE rowid = old.rowid;
END;
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
CREATE TRIGGER generation_sessions_revised AFTER UPDATE OF id, model_id, type, started_at, ended_at, generation_count, message_count,
    total_input_tokens, total_output_tokens, total_tokens, total_cost, average_time_to_first_token_ms, average_tokens_per_second,
    total_duration_ms, context, updated_at ON generation_sessions
WHEN (old.id, old.model_id, old.type, old.started_at, old.ended_at, old.generation_count, old.message_count, old.total_input_tokens,
    old.total_output_tokens, old.total_tokens, old.total_cost, old.average_time_to_first_token_ms, old.average_tokens_per_second,
    old.total_duration_ms, old.context, old.updated_at) IS NOT (new.id, new.model_id, new.type, new.started_at, new.ended_at,
    new.generation_count, new.message_count, new.total_input_tokens, new.total_output_tokens, new.total_tokens, new.total_cost,
    new.average_time_to_first_token_ms, new.average_tokens_per_second, new.total_duration_ms, new.context, new.updated_at) BEGIN
  UPDATE generation_sessions SET revision = old.revision + 1 WHERE rowid = old.rowid;
END;
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
CREATE TRIGGER generations_revised AFTER UPDATE OF id, session_id, sequence_number, created_at, model_id, execution_target,
    latency_ms, prompt_tokens, completion_tokens, time_to_first_token_ms, tokens_per_second, cost, cost_saved, routing_framework,
    routing_reason, request, response, error_code, error_message ON generations
WHEN (old.id, old.session_id, old.sequence_number, old.created_at, old.model_id, old.execution_target, old.latency_ms,
    old.prompt_tokens, old.completion_tokens, old.time_to_first_token_ms, old.tokens_per_second, old.cost, old.cost_saved,
    old.routing_framework, old.routing_reason, old.request, old.response, old.error_code, old.error_message) IS NOT (new.id,
    new.session_id, new.sequence_number, new.created_at, new.model_id, new.execution_target, new.latency_ms, new.prompt_tokens,
    new.completion_tokens, new.time_to_first_token_ms, new.tokens_per_second, new.cost, new.cost_saved, new.routing_framework,
    new.routing_reason, new.request, new.response, new.error_code, new.error_message) BEGIN
  UPDATE generations SET revision = old.revision + 1 WHERE rowid = old.rowid;
END;
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
CREATE TRIGGER telemetry_revised AFTER UPDATE OF id, type, name, properties, occurred_at, user_id, session_id, device_info,
    sdk_version, created_at, updated_at ON telemetry
WHEN (old.id, old.type, old.name, old.properties, old.occurred_at, old.user_id, old.session_id, old.device_info, old.sdk_version,
    old.created_at, old.updated_at) IS NOT (new.id, new.type, new.name, new.properties, new.occurred_at, new.user_id, new.session_id,
    new.device_info, new.sdk_version, new.created_at, new.updated_at) BEGIN
  UPDATE telemetry SET revision = old.revision + 1 WHERE rowid = old.rowid;
END;
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
CREATE TRIGGER user_preferences_revised AFTER UPDATE OF name, value, created_at, updated_at ON user_preferences
WHEN (old.name, old.value, old.created_at, old.updated_at) IS NOT (new.name, new.value, new.created_at, new.updated_at) BEGIN
  UPDATE user_preferences SET revision = old.revision + 1 WHERE rowid = old.rowid;
END;
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
