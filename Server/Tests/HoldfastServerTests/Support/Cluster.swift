import Foundation

@testable import HoldfastPostgres

/// A PostgreSQL of its own in a temporary folder, reached through a socket there. It ends, and its folder goes, soon after this process.
struct Cluster: Sendable {
  /// Socket, data and log.
  let folder: String
  private let programs: String

  static let password = "not-secret"

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private static let shared = Task { try await start() }

  /// The one of this process. Each test makes a database of its own in it.
  static func ofThisProcess() async throws -> Cluster { try await shared.value }

  /// Starts another one, which a test may stop and change.
  static func start() async throws -> Cluster {
    // initdb refuses root; and a socket's path has at most 107 bytes.
    let script = """
      set -e
      programs=$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
      programs=${programs:-$(dirname "$(command -v initdb)")}
      folder=/tmp/holdfast-pg-$$
      mkdir -m 700 "$folder"
      echo \(password) > "$folder/password"
      "$programs/initdb" -D "$folder/data" -U postgres -A scram-sha-256 --pwfile="$folder/password" -E UTF8 --locale=C -N > "$folder/log" 2>&1 < /dev/null
      "$programs/pg_ctl" -D "$folder/data" -w -l "$folder/log" -o "-c fsync=off -c listen_addresses= -k $folder" start > /dev/null 2>&1 < /dev/null
      ( trap '' TERM INT HUP # A signal to this process goes to its whole group.
        while ps -p \(ProcessInfo.processInfo.processIdentifier) > /dev/null; do sleep 1; done
        "$programs/pg_ctl" -D "$folder/data" -m immediate stop; rm -rf "$folder" ) > /dev/null 2>&1 < /dev/null &
      echo "$folder $programs"
      """
    let parts = try await run(script).split(whereSeparator: \.isWhitespace).map(String.init)
    guard parts.count == 2 else { throw Failure(description: "PostgreSQL did not start") }
    return Cluster(folder: parts[0], programs: parts[1])
  }

  /// Runs `pg_ctl`.
  func control(_ arguments: String) async throws {
    _ = try await Self.run("\(programs)/pg_ctl -D \(folder)/data -w -l \(folder)/log \(arguments) > /dev/null 2>&1 < /dev/null")
  }

  /// Makes the file that lets the server start as a replica.
  func makeReplica() async throws { _ = try await Self.run("touch \(folder)/data/standby.signal") }

  /// Runs a script of bash as the user that PostgreSQL runs as, and returns what it prints.
  ///
  /// By `popen`: a `Process` does not end as long as what it has left in the background. For the same reason that has no descriptor of ours.
  private static func run(_ script: String) async throws -> String {
    let user = getuid() == 0 ? "runuser -u postgres -- " : ""
    let closing = #"for fd in /dev/fd/*; do fd=${fd##*/}; [ "$fd" -gt 2 ] && eval "exec $fd>&-"; done"#
    let command = "cd /tmp && \(user)/bin/bash -s <<'END_OF_SCRIPT'\n\(closing)\n\(script)\nEND_OF_SCRIPT\n"
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "cluster").async {
        continuation.resume(
          with: Result {
            guard let stream = popen(command, "r") else { throw Failure(description: "no shell: \(errno)") }
            var text = ""
            var line = [CChar](repeating: 0, count: 1_000)
            while fgets(&line, Int32(line.count), stream) != nil {
              text += String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            }
            let status = pclose(stream)
            guard status == 0 else { throw Failure(description: "PostgreSQL: status \(status). Is it installed? Run make system-server.") }
            return text
          })
      }
    }
  }

  // MARK: Databases

  /// The address of a database.
  func address(_ database: String = "postgres", password: String = Self.password) -> String {
    "postgres://postgres:\(password)@\(folder.replacingOccurrences(of: "/", with: "%2F"))/\(database)"
  }

  /// Makes an empty database; returns its name.
  func makeDatabase(_ options: String = "") async throws -> String {
    let name = "t" + UUID().uuidString.filter { $0 != "-" }.lowercased()
    _ = try await run("CREATE DATABASE \(name) \(options)", in: "postgres")
    return name
  }

  /// Runs a statement, and returns the first column of its rows, which must be text.
  @discardableResult
  func run(_ sql: String, in database: String) async throws -> [String] {
    let connection = PostgresConnection()
    try await connection.connect(address(database))
    let result: Result<[String], any Error>
    do { result = .success(try await connection.run(PostgresStatement(sql)).rows.map { try $0.text(0) }) } catch {
      result = .failure(error)
    }
    await connection.close()
    return try result.get()
  }

  /// Opens a new database as a store.
  func makeSpaces() async throws -> (spaces: PostgresSpaces, database: String) {
    let database = try await makeDatabase()
    return (try await PostgresSpaces.open(address(database), makes: true), database)
  }
}
