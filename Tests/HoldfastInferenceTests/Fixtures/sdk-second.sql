-- The SDK's second database, with checks and keys as its app made them.
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO grdb_migrations VALUES ('v1_initial_schema'), ('v2_add_indexes');
CREATE TABLE configuration (id TEXT PRIMARY KEY, api_key TEXT, base_url TEXT NOT NULL, model_cache_size INTEGER NOT NULL,
  max_memory_usage_mb INTEGER NOT NULL, privacy_mode TEXT NOT NULL, telemetry_consent TEXT NOT NULL, created_at DATETIME NOT NULL,
  updated_at DATETIME NOT NULL, sync_pending BOOLEAN NOT NULL);
CREATE TABLE routing_policies (id TEXT PRIMARY KEY, configurationId TEXT NOT NULL REFERENCES configuration (id), policy_type TEXT NOT NULL,
  on_device_threshold DOUBLE NOT NULL, max_cloud_cost_per_request DOUBLE, prefer_on_device BOOLEAN NOT NULL, created_at DATETIME NOT NULL);
CREATE TABLE analytics_config (id TEXT PRIMARY KEY,
  configurationId TEXT NOT NULL REFERENCES configuration (id), analytics_level TEXT NOT NULL,
  metrics_enabled BOOLEAN NOT NULL, error_reporting_enabled BOOLEAN NOT NULL, performance_tracking_enabled BOOLEAN NOT NULL,
  created_at DATETIME NOT NULL);
CREATE TABLE storage_config (id TEXT PRIMARY KEY,
  configurationId TEXT NOT NULL REFERENCES configuration (id), max_cache_size_mb INTEGER NOT NULL,
  auto_cleanup_enabled BOOLEAN NOT NULL, cleanup_threshold_percentage INTEGER NOT NULL, model_retention_days INTEGER NOT NULL,
  created_at DATETIME NOT NULL);
CREATE TABLE model_metadata (id TEXT PRIMARY KEY, name TEXT NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('gguf', 'onnx', 'coreml', 'mlx', 'tflite')), framework TEXT NOT NULL,
  size_bytes INTEGER NOT NULL, quantization TEXT, version TEXT NOT NULL, sha256_hash TEXT, capabilities BLOB NOT NULL, requirements BLOB,
  download_url TEXT, local_path TEXT, is_downloaded BOOLEAN NOT NULL, download_date DATETIME, last_used_at DATETIME,
  use_count INTEGER NOT NULL, total_tokens_generated INTEGER NOT NULL, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL,
  sync_pending BOOLEAN NOT NULL);
CREATE TABLE model_usage_stats (id TEXT PRIMARY KEY,
  model_metadataId TEXT NOT NULL REFERENCES model_metadata (id), date DATE NOT NULL, generation_count INTEGER NOT NULL,
  total_tokens INTEGER NOT NULL, total_cost DOUBLE NOT NULL, average_latency_ms DOUBLE, error_count INTEGER NOT NULL,
  created_at DATETIME NOT NULL, UNIQUE (model_metadataId, date));
CREATE TABLE generation_sessions (id TEXT PRIMARY KEY,
  model_metadataId TEXT NOT NULL REFERENCES model_metadata (id), session_type TEXT NOT NULL,
  total_tokens INTEGER NOT NULL, total_cost DOUBLE NOT NULL, message_count INTEGER NOT NULL, context_data BLOB, started_at DATETIME NOT NULL,
  ended_at DATETIME, created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL, sync_pending BOOLEAN NOT NULL);
CREATE TABLE generations (id TEXT PRIMARY KEY,
  generation_sessionsId TEXT NOT NULL REFERENCES generation_sessions (id), sequence_number INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, total_tokens INTEGER NOT NULL, latency_ms DOUBLE NOT NULL,
  tokens_per_second DOUBLE, time_to_first_token_ms DOUBLE, cost DOUBLE NOT NULL, cost_saved DOUBLE NOT NULL,
  execution_target TEXT NOT NULL CHECK (execution_target IN ('onDevice', 'cloud')), routing_reason TEXT, framework_used TEXT,
  request_data BLOB, response_data BLOB, error_code TEXT, error_message TEXT,
  created_at DATETIME NOT NULL, sync_pending BOOLEAN NOT NULL);
CREATE TABLE telemetry (id TEXT PRIMARY KEY, event_type TEXT NOT NULL, event_name TEXT NOT NULL, properties BLOB, user_id TEXT,
  session_id TEXT, device_info BLOB, sdk_version TEXT NOT NULL, timestamp DATETIME NOT NULL, created_at DATETIME NOT NULL,
  sync_pending BOOLEAN NOT NULL);
CREATE TABLE user_preferences (id TEXT PRIMARY KEY, preference_key TEXT NOT NULL UNIQUE, preference_value BLOB NOT NULL,
  created_at DATETIME NOT NULL, updated_at DATETIME NOT NULL);
