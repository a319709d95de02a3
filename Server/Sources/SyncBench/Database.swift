internal import Foundation

/// A PostgreSQL that is measured: one that is there, or a throw-away one with its own settings, which ends soon after this process.
struct Database: Sendable {
  let address: String
  /// The process that began all others.
  let id: Int32

  init(_ address: String) throws {
    self.address = address
    // Allowed to a superuser only, and of use on this machine only.
    let file = try Self.query("SELECT pg_read_file('postmaster.pid')", at: address)
    id = file.split(separator: "\n").first.flatMap { Int32($0) } ?? 0
  }

  static func start() throws -> Database {
    // initdb refuses root; and a socket's path has at most 107 bytes.
    let script = """
      set -e
      programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
      programs=${programs:-$(dirname "$(command -v initdb)")}
      folder=$(mktemp -d -p /tmp)
      "$programs/initdb" -D "$folder/data" -U postgres -A trust -E UTF8 --locale=C > "$folder/log" 2>&1 < /dev/null
      "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/log" -o "-c listen_addresses= -k $folder" start > /dev/null 2>&1 < /dev/null
      ( trap '' TERM INT HUP # A signal to this process goes to its whole group.
        while ps -p \(ProcessInfo.processInfo.processIdentifier) > /dev/null; do sleep 1; done
        "$programs/pg_ctl" -D "$folder/data" -m immediate stop; rm -rf "$folder" ) > /dev/null 2>&1 < /dev/null &
      echo "$folder"
      """
    let folder = try shell(script, asPostgres: true).trimmingCharacters(in: .whitespacesAndNewlines)
    return try Database("postgres://postgres@\(folder.replacingOccurrences(of: "/", with: "%2F"))/postgres")
  }

  private static func query(_ sql: String, at address: String) throws -> String {
    try shell("psql '\(address)' -qAt -v ON_ERROR_STOP=1 -c \"\(sql)\"")
  }

  func query(_ sql: String) throws -> String { try Self.query(sql, at: address) }

  /// Copies what a query returns into a file.
  func copy(_ sql: String, into file: URL) throws {
    _ = try shell("psql '\(address)' -q -v ON_ERROR_STOP=1 -c \"COPY (\(sql)) TO STDOUT\" > '\(file.path)'")
  }

  /// The settings that a figure depends on.
  func settings() throws -> String {
    let names = [
      "server_version", "fsync", "synchronous_commit", "synchronous_standby_names", "full_page_writes", "wal_level", "shared_buffers",
      "max_wal_size", "work_mem", "max_connections",
    ]
    let list = names.map { "'\($0)'" }.joined(separator: ", ")
    let text = try query("SELECT name || '=' || current_setting(name) FROM pg_settings WHERE name IN (\(list)) ORDER BY name")
    return text.split(separator: "\n").joined(separator: ", ")
  }

  // MARK: pgbench

  /// Makes a table as `sync_row` with its indexes.
  func makeBenchTable() throws {
    _ = try query(
      "DROP TABLE IF EXISTS bench_row; CREATE TABLE bench_row (LIKE sync_row INCLUDING ALL)")
  }

  /// Lets clients upsert these lines under new keys, so many times each; returns transactions in a second. One transaction is one commit, and
  /// each client has rows of its own space, as the devices that are compared.
  ///
  /// - Parameter first: the number of transactions of each client so far.
  func upserts(_ lines: [String], clients: Int, each: Int, after first: Int, in folder: URL) throws -> Double {
    let file = folder.appendingPathComponent("pgbench.sql")
    let escaped = lines.map { "\"" + $0.replacingOccurrences(of: "\"", with: "\\\"") + "\"" }.joined(separator: ",")
    let script = """
      \\set n :n + 1
      INSERT INTO bench_row (space, tbl, key, sequence, body) SELECT 'pushes' || :client_id, 'songs', \
      convert_to(lpad((:n::bigint * 1000 + row)::text, 36, '0'), 'UTF8'), :n, body FROM unnest(:bodies::text[]) WITH ORDINALITY AS new (body, row) \
      ON CONFLICT (space, tbl, key) DO UPDATE SET sequence = excluded.sequence, body = excluded.body;

      """
    try Data(script.utf8).write(to: file)
    // The lines go to PostgreSQL as one parameter of each statement, as the server sends them.
    let output = try shell(
      """
      pgbench -n -M extended -c \(clients) -j 1 -t \(each) -D n=\(first) -D 'bodies={\(escaped)}' -f '\(file.path)' '\(address)' 2>&1
      """)
    guard let tps = output.firstMatch(of: #/tps = ([0-9.]+)/#).flatMap({ Double($0.output.1) }) else { throw Failure("pgbench: \(output)") }
    return tps
  }
}

/// Runs a script of bash, and returns what it prints.
///
/// By `popen`: a `Process` does not end as long as what it has left in the background. For the same reason that has no descriptor of ours.
func shell(_ script: String, asPostgres: Bool = false) throws -> String {
  let user = asPostgres && getuid() == 0 ? "runuser -u postgres -- " : ""
  let closing = #"for fd in /dev/fd/*; do fd=${fd##*/}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done"#
  guard let stream = popen("cd /tmp && \(user)/bin/bash -s <<'END_OF_SCRIPT'\n\(closing)\n\(script)\nEND_OF_SCRIPT\n", "r") else {
    throw Failure("no shell: \(errno)")
  }
  var text = ""
  var line = [CChar](repeating: 0, count: 10_000)
  while fgets(&line, Int32(line.count), stream) != nil {
    text += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
  let status = pclose(stream)
  guard status == 0 else { throw Failure("status \(status) of: \(script.prefix(300))\n\(text)") }
  return text
}
