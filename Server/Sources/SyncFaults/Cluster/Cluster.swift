internal import Foundation
internal import SyncHistory

/// Two nodes behind nginx, and the database that they share.
final class Cluster: ServerSide {
  let faults: [Fault]
  let database: Database
  let nodes: [ServerProgram]
  /// What the last fault did, for people.
  var story = ""
  /// Whether what a lagging replica lacks counts as lost.
  let isSabotaged: Bool
  private let folder: URL
  private let port: Int
  private var balancer: Child?

  /// - Parameter isSynchronous: each commit waits for a replica.
  init(in folder: URL, isSynchronous: Bool, isSabotaged: Bool = false, seed: UInt64, _ tally: Tally) throws {
    let proxies = try (0..<3).map { number in
      // A request of a device is several exchanges here.
      try Proxy(Chance(seed &+ UInt64(number) &+ 200), tally, oneIn: 6) { Data($0).range(of: Data("COMMIT\0".utf8)) != nil }
    }
    database = try Database(isSynchronous: isSynchronous, in: folder, proxies)
    let store = "postgres://postgres@" + proxies.map { "127.0.0.1:\($0.port)" }.joined(separator: ",") + "/postgres"
    nodes = (1...2).map { ServerProgram("node-\($0)", store: store, in: folder) }
    (self.isSabotaged, self.folder, port) = (isSabotaged, folder, try freePort())
    let both: [Fault] = [.nodeKilled, .nodeStopped, .balancerKilled, .databaseFull]
    faults =
      Fault.ofDevices + both
      + (isSynchronous ? [.replicaKilled, .replicasKilled, .primaryKilled, .waitCancelled] : [.laggingPromoted])
  }

  var proxies: [Proxy] { database.members.map(\.proxy) }

  func prepare() throws {
    try database.make()
    letNodesIn()
  }

  /// Lets the nodes to the database, or cuts them off.
  func letNodesIn(_ isLet: Bool = true) { for member in database.members { member.proxy.lead(to: isLet ? member.port : nil) } }

  func run(_ arguments: String...) throws -> String { try nodes[0].run(arguments) }

  /// What `doctor` finds, but for what these clusters are: without `fsync`, and with a superuser.
  func findings() throws -> [String] {
    let lines = try nodes[0].run(["doctor", "--accept", "fsync", "--accept", "superuser"], exits: [0, 2]).split(separator: "\n")
    guard lines.first?.hasPrefix("database\tPostgreSQL ") == true else { throw ServerProgram.Failure("doctor says \(lines)") }
    return zip(lines, lines.dropFirst()).filter { $1.hasPrefix("Try: ") }.map { String($0.0.prefix { $0 != ":" }) }
  }

  func start() throws -> Int {
    for node in nodes { try start(node) }
    try startBalancer()
    return port
  }

  /// Like a service that is started again until it runs: one whose connection is cut while it starts ends.
  func start(_ node: ServerProgram) throws {
    for _ in 1...20 {
      if (try? node.start()) != nil { return }
      usleep(500_000)
    }
    try node.start()
  }

  func rest() {}

  func stop() -> [String] {
    balancer?.signal(SIGQUIT)
    let ends = nodes.map { $0.stop() } + [balancer?.waitForEnd(seconds: 40)]
    return zip(["node 1", "node 2", "nginx"], ends).filter { $1 != "exited with 0" }.map { "\($0), at its order: \($1 ?? "no end")" }
  }

  func revive() throws -> [String] {
    var ends: [String] = []
    for (number, node) in nodes.enumerated() {
      guard let end = node.child?.end else { continue }
      ends.append("node \(number + 1) \(end)")
      try start(node)
    }
    for member in database.members { if let end = member.child?.end { throw ServerProgram.Failure("PostgreSQL \(member.name) \(end)") } }
    return ends
  }

  func kill() {
    for node in nodes { node.kill() }
    killBalancer()
    database.end()
  }

  func lines() throws -> (lines: [String], digest: Int64) {
    let lines = try database.query(
      """
      BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT digest FROM sync_space; SELECT body FROM sync_row ORDER BY tbl, key; COMMIT
      """)
    return (Array(lines.dropFirst()), lines.first.flatMap { Int64($0) } ?? 0)
  }

  // MARK: nginx

  func startBalancer() throws {
    let program = try Programs.path(of: "nginx")
    let settings = folder.appendingPathComponent("nginx.conf")
    try """
    daemon off; master_process off; pid nginx.pid; error_log stderr error;
    events { worker_connections 1024; }
    http {
      access_log off;
      client_body_temp_path nginx-1; proxy_temp_path nginx-2; fastcgi_temp_path nginx-3; uwsgi_temp_path nginx-4; scgi_temp_path nginx-5;
      \(DocumentedProxy.settings(at: port, nodes: nodes.map(\.port)))
    }
    """.write(to: settings, atomically: true, encoding: .utf8)
    let child = try Child(
      Programs.path(of: "setpriv"), ["--pdeathsig", "KILL", program, "-e", "stderr", "-p", folder.path, "-c", settings.path],
      errors: folder.appendingPathComponent("nginx.errors"))
    balancer = child
    wait(seconds: 20) { isListening(at: port) || child.end != nil }
    if let end = child.end { throw ServerProgram.Failure("nginx does not start: \(end)") }
  }

  @discardableResult
  func killBalancer() -> String? {
    balancer?.signal(SIGKILL)
    return balancer?.waitForEnd()
  }
}
