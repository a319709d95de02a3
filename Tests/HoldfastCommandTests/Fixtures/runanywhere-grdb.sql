-- The SDK's second database as its app makes it, with a row that cannot be read.
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

-- The app's checks knew no device; its first version wrote one all the same.
PRAGMA ignore_check_constraints = 1;
INSERT INTO configuration VALUES ('default', 'sk-live-0123456789-abcdefghij', 'https://models.example', 3, 2048, 'strict', 'anonymous',
  '2025-08-05 13:20:00.125', '2025-08-05 13:21:00.250', 0);
INSERT INTO routing_policies VALUES ('r', 'default', 'deviceOnly', 0.75, 0.01, 1, '2025-08-05 13:20:00.125');
INSERT INTO analytics_config VALUES ('a', 'default', 'basic', 1, 1, 1, '2025-08-05 13:20:00.125');
INSERT INTO storage_config VALUES ('s', 'default', 512, 0, 80, 30, '2025-08-05 13:20:00.125');
INSERT INTO model_metadata VALUES ('llama', 'Llama', 'gguf', 'LlamaCpp', 807694464, NULL, '3.2', NULL, CAST('{"max_tokens":512}' AS BLOB),
  NULL, NULL, '/models/llama.gguf', 1, '2025-08-05 13:20:00.125', NULL, 4, 90, '2025-08-05 13:20:00.125', '2025-08-05 13:21:00.250', 1);
INSERT INTO model_usage_stats VALUES ('u', 'llama', '2025-08-05', 1, 90, 0.5, 612.5, 0, '2025-08-05 13:20:00.125');
INSERT INTO generation_sessions VALUES ('E621E1F8-C36C-495A-93FC-000000000001', 'llama', 'chat', 90, 0, 2, NULL, '2025-08-05 13:20:00.125',
  NULL, '2025-08-05 13:20:00.125', '2025-08-05 13:21:00.250', 0);
INSERT INTO generations VALUES ('E621E1F8-C36C-495A-93FC-000000000002', 'E621E1F8-C36C-495A-93FC-000000000001', 1, 60, 30, 90, 612.5, 49,
  90.25, 0, 0, 'device', 'privacy', 'LlamaCpp', NULL, NULL, NULL, NULL, '2025-08-05 13:20:00.125', 0);
INSERT INTO telemetry VALUES ('e', 'error', 'load', CAST('{"ms":"12"}' AS BLOB), NULL, NULL, NULL, '0.15', '2025-08-05 13:20:00.125',
  '2025-08-05 13:20:00.125', 1);
INSERT INTO telemetry VALUES ('f', 'error', 'load', NULL, NULL, NULL, NULL, '0.15', 'yesterday', '2025-08-05 13:20:00.125', 1);
INSERT INTO user_preferences VALUES ('p', 'theme', CAST('{"dark":true}' AS BLOB), '2025-08-05 13:20:00.125', '2025-08-05 13:21:00.250');
