internal import Foundation
internal import SyncHistory

// Invariants:
// - A commit is acknowledged when a replica has it, too, unless `isSynchronous` is false. So the replica that is farthest ahead has all that was
//   acknowledged, and takes over.
// - A replica takes over only when the primary is dead. Two primaries never live at one time.

/// A database in three PostgreSQL servers, a primary and two replicas that stream from it, and what their operator does.
final class Database {
  final class Member {
    let name: String
    /// Its data. Its settings are beside it: `pg_rewind` replaces all that is in there.
    let folder: URL
    let port: Int
    /// The way of the nodes to it.
    let proxy: Proxy
    fileprivate(set) var child: Child?

    init(_ name: String, in folder: URL, _ proxy: Proxy) throws {
      (self.name, self.folder, self.proxy) = (name, folder.appendingPathComponent(name), proxy)
      port = try freePort()
    }

    var settings: URL { folder.appendingPathExtension("conf") }
    var log: URL { folder.appendingPathExtension("log") }
  }

  let isSynchronous: Bool
  let members: [Member]
  private(set) var primary: Member
  private let folder: URL
  private let (programs, setpriv): (String, String)

  var replicas: [Member] { members.filter { $0 !== primary } }

  /// - Parameter proxies: three.
  init(isSynchronous: Bool, in folder: URL, _ proxies: [Proxy]) throws {
    (self.isSynchronous, self.folder) = (isSynchronous, folder.appendingPathComponent("postgresql"))
    members = try zip(["a", "b", "c"], proxies).map { try Member($0, in: folder.appendingPathComponent("postgresql"), $1) }
    guard let first = members.first else { throw ServerProgram.Failure("a database needs three proxies") }
    (primary, programs, setpriv) = (first, try Programs.postgres(), try Programs.path(of: "setpriv"))
    // For all that is started from here.
    setenv("PGPASSWORD", "not-secret", 1)
  }

  var version: String { (try? query("SHOW server_version").first) ?? "?" }

  // MARK: Making

  /// Makes the three, and starts them.
  func make() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    if getuid() == 0 { try FileManager.default.setAttributes([.ownerAccountName: "postgres"], ofItemAtPath: folder.path) }
    let password = folder.appendingPathComponent("password")
    try Data("not-secret\n".utf8).write(to: password)
    try tool(
      "initdb", "-D", primary.folder.path, "-U", "postgres", "-A", "scram-sha-256", "--pwfile", password.path, "-E", "UTF8", "--locale=C",
      "-N", "-k", "--wal-segsize=1")
    for replica in replicas {
      try asOwner("/bin/cp", "-a", primary.folder.path, replica.folder.path)
      try makeStandby(replica)
    }
    for member in members { try start(member) }
    try waitForReplicas()
  }

  private func makeStandby(_ member: Member) throws {
    try asOwner("/usr/bin/touch", member.folder.appendingPathComponent("standby.signal").path)
  }

  /// The beginning of a command that PostgreSQL's own user runs, and that ends with this program. `initdb` refuses root.
  private var owner: [String] {
    ["--pdeathsig", "KILL"] + (getuid() == 0 ? ["--reuid=postgres", "--regid=postgres", "--clear-groups"] : [])
  }

  @discardableResult
  private func asOwner(_ command: String...) throws -> [String] {
    try Child.output(setpriv, owner + command, errors: folder.appendingPathComponent("tools.log"))
  }

  @discardableResult
  private func tool(_ name: String, _ arguments: String...) throws -> [String] {
    try Child.output(setpriv, owner + [programs + name] + arguments, errors: folder.appendingPathComponent("tools.log"))
  }

  private func address(of member: Member) -> String { "host=127.0.0.1 port=\(member.port) user=postgres dbname=postgres connect_timeout=2" }

  /// - Parameter follows: false: it gets nothing from the primary.
  private func configure(_ member: Member, follows: Bool = true) throws {
    try """
    listen_addresses = '127.0.0.1'
    port = \(member.port)
    unix_socket_directories = ''
    fsync = off                      # The power stays on.
    shared_buffers = 32MB
    dynamic_shared_memory_type = mmap
    wal_keep_size = 64MB
    wal_retrieve_retry_interval = 200ms
    synchronous_standby_names = '\(isSynchronous ? "ANY 1 (a, b, c)" : "")'
    primary_conninfo = '\(member === primary || !follows ? "" : address(of: primary) + " application_name=" + member.name)'
    """.write(to: member.settings, atomically: false, encoding: .utf8)
    member.child?.signal(SIGHUP)
  }

  /// Returns when it answers.
  func start(_ member: Member) throws {
    member.child = nil
    try configure(member)
    let program = [programs + "postgres", "-D", member.folder.path, "-c", "config_file=\(member.settings.path)"]
    let child = try Child(setpriv, owner + program, errors: member.log)
    member.child = child
    wait(seconds: 60) { child.end != nil || (try? query("SELECT 1", member)) != nil }
    if let end = child.end { throw ServerProgram.Failure("PostgreSQL \(member.name) does not start: \(end)") }
  }

  /// Returns when both replicas get what the primary writes.
  func waitForReplicas() throws {
    let count = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND application_name IN ('a', 'b', 'c')"
    guard wait(seconds: 60, for: { (try? query(count)) == ["2"] }) else { throw ServerProgram.Failure("the replicas do not follow") }
  }

  // MARK: Breaking

  /// As if its machine had gone. Returns how it ended.
  func kill(_ member: Member) -> String? {
    member.child?.killFamily()
    defer { member.child = nil }
    return member.child?.waitForEnd()
  }

  /// Cuts the replicas off the primary.
  func holdReplicas() throws {
    for replica in replicas { try configure(replica, follows: false) }
    guard wait(seconds: 20, for: { (try? query("SELECT count(*) FROM pg_stat_replication")) == ["0"] }) else {
      throw ServerProgram.Failure("the replicas go on")
    }
  }

  /// Promotes a replica of a dead primary.
  ///
  /// - Parameter isLast: the one that is behind the other. Otherwise the one that is farthest ahead.
  func promote(isLast: Bool = false) throws {
    for replica in replicas where replica.child == nil { try start(replica) }
    let positions = try replicas.map { replica in (replica, try position(of: replica)) }.sorted { $0.1 < $1.1 }
    guard let chosen = (isLast ? positions.first : positions.last)?.0, try query("SELECT pg_promote(true, 30)", chosen) == ["t"] else {
      throw ServerProgram.Failure("no replica becomes the primary within 30 seconds")
    }
    primary = chosen
    try configure(chosen)
  }

  /// How far its log goes, in bytes. One that has just started reads what it has first.
  private func position(of replica: Member) throws -> Int {
    let sql = "SELECT (greatest(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) - '0/0')::bigint"
    var (last, now) = (-1, -2)
    while last != now {
      (last, now) = (now, try query(sql, replica).first.flatMap { Int($0) } ?? 0)
      if last != now { usleep(100_000) }
    }
    return now
  }

  /// Lets the replicas follow the new primary.
  func follow() throws {
    for replica in replicas where replica.child != nil && isSynchronous { try configure(replica) }
  }

  /// Makes replicas of all that do not follow. One that is dead, or may be ahead of the primary, goes back to where their logs part.
  func mend() throws {
    try query("CHECKPOINT")
    for replica in replicas where replica.child == nil || !isSynchronous {
      if replica.child != nil {
        replica.child?.signal(SIGINT)
        _ = replica.child?.waitForEnd()
      }
      do {
        try tool("pg_rewind", "-D", replica.folder.path, "--source-server", address(of: primary), "--no-sync")
      } catch {
        try asOwner("/bin/rm", "-rf", replica.folder.path)
        try tool("pg_basebackup", "-D", replica.folder.path, "-d", address(of: primary), "-X", "stream", "-c", "fast", "--no-sync")
      }
      try makeStandby(replica)
      try start(replica)
    }
    try waitForReplicas()
  }

  /// Ends all three at once, but so that they leave nothing in shared memory.
  func end() {
    for member in members { member.child?.signal(SIGQUIT) }
    wait(seconds: 5) { members.allSatisfy { $0.child?.end != nil || $0.child == nil } }
    for member in members { _ = kill(member) }
  }

  // MARK: Looking

  /// Runs statements in the primary, or another one; returns the lines of their results.
  @discardableResult
  func query(_ sql: String, _ member: Member? = nil) throws -> [String] {
    try Child.output(
      programs + "psql", ["-XAtq", "-v", "ON_ERROR_STOP=1", "-d", address(of: member ?? primary), "-c", sql],
      errors: folder.appendingPathComponent("psql.log"))
  }
}
