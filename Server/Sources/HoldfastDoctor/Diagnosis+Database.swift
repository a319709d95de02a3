package import HoldfastPostgres

extension Diagnosis {
  /// Judges what a database has said of itself.
  ///
  /// - Parameters:
  ///   - nodes: how many servers use the database.
  ///   - needed: the version of the tables that this program needs.
  package static func database(_ facts: PostgresFacts, nodes: Int, needed: Int64) -> Diagnosis {
    func setting(_ name: String) -> String { facts.settings[name] ?? "" }
    func number(_ name: String) -> Int { Int(setting(name)) ?? 0 }
    var findings: [Finding] = []
    func find(_ kind: Finding.Kind, _ message: String, if isSo: Bool) { if isSo { findings.append(Finding(kind, message)) } }

    find(.version, "PostgreSQL is \(setting("server_version"))", if: number("server_version_num") < 150_000)
    find(.encoding, "the database keeps its texts in \(setting("server_encoding"))", if: setting("server_encoding") != "UTF8")
    let tables = facts.tables.map { "has the tables of version \($0)" } ?? "has no tables that the role can read"
    find(.tables, "the database \(tables), and this program needs version \(needed)", if: facts.tables != needed)
    find(.recovery, "the database is a replica: it takes no pushes", if: facts.isReplica)
    find(.fsync, "fsync is off: power loss may destroy the database", if: setting("fsync") == "off")
    find(.fullPageWrites, "full_page_writes is off: power loss may destroy pages", if: setting("full_page_writes") == "off")
    find(.walLevel, "wal_level is minimal: no replica and no base backup is possible", if: setting("wal_level") == "minimal")

    let room = number("max_connections") - number("superuser_reserved_connections")
    find(
      .connections, "\(nodes) servers may need \(nodes * connectionsOfServer) connections, and the database gives \(room)",
      if: nodes * connectionsOfServer > room)
    let ahead = facts.clockAheadMilliseconds
    find(
      .clock, "the clock of the database is \(abs(ahead)) ms \(ahead > 0 ? "ahead of" : "behind") this machine's",
      if: abs(ahead) > mostClock)
    find(.rights, "the role \(facts.role) lacks \(facts.missingRights.joined(separator: ", "))", if: !facts.missingRights.isEmpty)
    find(.superuser, "the role \(facts.role) is a superuser: who takes over the server has the machine, too", if: facts.isSuperuser)
    find(.databaseTLS, "rows and tokens go to the database in plain text", if: !facts.isPrivate)
    if !facts.isReplica { findings += replication(of: facts) }

    let names = facts.replicas.map { "\($0.name) \($0.lagBytes) bytes behind" }
    let summary = [
      "PostgreSQL \(setting("server_version"))", facts.isReplica ? "in recovery" : "primary",
      "synchronous_standby_names '\(setting("synchronous_standby_names"))'", "synchronous_commit \(setting("synchronous_commit"))",
    ]
    return Diagnosis(facts: (summary + names).joined(separator: ", "), findings: findings)
  }

  /// Eight of the pool, and the one that listens.
  private static let connectionsOfServer = 9
  /// In milliseconds. The server refuses stamps two minutes ahead of its own time.
  static let mostClock: Int64 = 5_000
  /// In bytes: one segment of the log.
  private static let mostLag: Int64 = 16 << 20

  private static func replication(of facts: PostgresFacts) -> [Finding] {
    guard facts.seesReplicas else { return [Finding(.monitor, "the role \(facts.role) does not see what the replicas do")] }
    let awaited = replicasAwaited(by: facts.settings["synchronous_standby_names"] ?? "")
    let synchronous = facts.replicas.filter(\.isSynchronous).count
    var findings: [Finding] = []
    if facts.replicas.isEmpty {
      findings.append(Finding(.replicas, "no replica is connected: a lost disk loses what the last backup lacks"))
    }
    if awaited == 0, !facts.replicas.isEmpty {
      findings.append(Finding(.synchronous, "no push waits for a replica: a failover may lose what was acknowledged"))
    }
    if awaited > synchronous {
      findings.append(
        Finding(.waiting, "replicas that a push waits for: \(awaited); that are there: \(synchronous). No push is acknowledged"))
    } else if awaited > 0, awaited == synchronous {
      findings.append(
        Finding(.spare, "replicas that a push waits for: \(awaited), and no more are there. Without one of them no push is acknowledged"))
    }
    return findings
      + facts.replicas.filter { $0.lagBytes > mostLag }.map { Finding(.lag, "the replica \($0.name) is \($0.lagBytes) bytes behind") }
  }

  /// `ANY 1 (a, b)`, `FIRST 2 (a, b, c)`, `2 (a, b)`; a list without a number asks for one.
  static func replicasAwaited(by names: String) -> Int {
    if names.allSatisfy(\.isWhitespace) { return 0 }
    return names.firstMatch(of: #/^\s*(?:\w+\s+)?(\d+)\s*\(/#).flatMap { Int($0.1) } ?? 1
  }
}
