-- The SDK's second database as its app filled it, with a row that cannot be read.
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
