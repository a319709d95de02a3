import Foundation
import Holdfast
import HoldfastDoctor
import HoldfastServing
import HoldfastSyncServer
import Testing

/// What `holdfast-server doctor --url` finds.
@Suite struct DoctorWayTests {
  private static func findings(
    _ port: Int, _ world: ServerWorld, isHere: Bool? = nil, now: Int64 = ServerWorld.now
  ) async throws -> [Finding.Kind] {
    let address = try #require(URL(string: "http://127.0.0.1:\(port)"))
    let found = try await Diagnosis.way(to: address, world.server, isHere: isHere) { now }.findings.map(\.kind)
    #expect(try world.server.spaces().map(\.name) == ["anna"], "the doctor's own space is removed")
    #expect(try world.server.tokens().map(\.space) == ["anna"])
    return found
  }

  @Test("a proxy that holds something back is found, whichever it is", arguments: FaultyProxy.Fault.allCases)
  func proxies(_ fault: FaultyProxy.Fault) async throws {
    let expected: [Finding.Kind] =
      switch fault {
      case .none: []
      case .otherServer: [.unreachable]
      case .health: [.health]
      case .gzip: [.gzip]
      case .bodyLimit: [.bodyLimit]
      case .retryAfter: [.retryAfter]
      case .poll: [.poll]
      }
    try await ServerWorld.run {
      ($0.patience, $0.burst, $0.requestsPerSecond) = (.milliseconds(50), 20, 0.01)
    } _: { world in
      try await FaultyProxy.run(to: Client(port: world.client.port), fault) { port in
        let found = try await Self.findings(port, world)
        #expect(found == expected)
      }
    }
  }

  @Test("figures that everyone can read are found, and the rest of the way is gone nevertheless; on this machine they may be read")
  func metrics() async throws {
    for (isHere, expected) in [(false, [.metrics, .clock]), (true, [.clock])] as [(Bool, [Finding.Kind])] {
      try await ServerWorld.run {
        ($0.patience, $0.burst, $0.requestsPerSecond) = (.milliseconds(50), 20, 0.01)
      } _: { world in
        let found = try await Self.findings(world.client.port, world, isHere: isHere, now: ServerWorld.now + 5_001)
        #expect(found == expected)
      }
    }
  }

  @Test("a clock that is wrong, a name that the server does not know, another server's store, and no server are found")
  func servers() async throws {
    try await ServerWorld.run {
      ($0.patience, $0.burst, $0.requestsPerSecond) = (.milliseconds(50), 20, 0.01)
    } _: { world in
      #expect(try await Self.findings(world.client.port, world, now: ServerWorld.now + 5_001) == [.clock])
      #expect(try await Self.findings(1, world) == [.unreachable])
      let other = SyncServer(try Store.temporary(schemas: [SyncServer.schema], options: .testing))
      let address = try #require(URL(string: "http://127.0.0.1:\(world.client.port)"))
      #expect(try await Diagnosis.way(to: address, other) { ServerWorld.now }.findings.map(\.kind) == [.store])
    }
    try await ServerWorld.run {
      $0.hosts = ["sync.example.org"]
    } _: { world in
      #expect(try await Self.findings(world.client.port, world) == [.host])
      let open = try #require(URL(string: "http://sync.example.org"))
      #expect(try await Diagnosis.way(to: open, world.server) { 0 }.findings.map(\.kind) == [.tls])
    }
  }

  @Test("the command prints what it saw, each finding and what to do, and exits with 2; what is accepted is no finding")
  func command() async throws {
    try await Program.run { program in
      #expect(try await program.run("doctor").status == 66)
      _ = try await program.run("space", "create", "anna")
      let found = try await program.run("doctor")
      #expect(found.status == 2 && found.out.hasPrefix("file\ta file of "))
      #expect(found.out.hasSuffix("\nno-token: no token opens the space anna\nTry: \(Finding.Kind.noToken.remedy)\n"))
      let accepted = ["--accept", "no-token", "--accept", "archive", "--accept", "readable"]
      let sound = try await program.run(["doctor"] + accepted)
      #expect(sound.status == 0 && sound.out.hasSuffix("\nspaces\tspaces 1, rows 0, tokens 0\nno findings\n"))
      let unreachable = try await program.run(["doctor", "--url", "http://127.0.0.1:1"] + accepted)
      #expect(unreachable.status == 2 && unreachable.out.contains("\nunreachable: no answer: "))
      for wrong in [["--accept", "nothing"], ["--nodes", "0"], ["--url", "nonsense"]] {
        #expect(try await program.run(["doctor"] + wrong).status == 64)
      }
    }
  }

  private static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test("each figure that Running a server names is one of /metrics")
  func figures() throws {
    let file = Self.package.deletingLastPathComponent().appendingPathComponent("Documentation/RunningAServer.md")
    let named = try String(contentsOf: file, encoding: .utf8).matches(of: #/holdfast_[a-z_]+/#).map { String($0.output) }
    let figures = ServerMetrics().text(waiting: 0, epochsBegun: 0)
    #expect(named.count > 5 && named.filter { !figures.contains("# TYPE \($0) ") } == [])
  }

  @Test("the doctor, both pages and the settings of nginx let the proxy wait for the same time")
  func waiting() throws {
    let page = try String(
      contentsOf: Self.package.deletingLastPathComponent().appendingPathComponent("Documentation/RunningAServer.md"), encoding: .utf8)
    let readme = try String(contentsOf: Self.package.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(Finding.Kind.poll.remedy.contains("wait 30 seconds for /wait, and 10 for the rest"))
    for text in [page, readme] { #expect(text.contains("wait 30 seconds for `/wait`, and 10 for the rest")) }
    #expect(page.contains("\n    proxy_read_timeout 10s;\n"))
    #expect(page.matches(of: #/location ~ /wait\$ \{[^}]*proxy_read_timeout 30s;/#).count == 1)
  }

  @Test("the table of findings has each, with what the command says to do")
  func table() throws {
    let readme = try String(contentsOf: Self.package.appendingPathComponent("README.md"), encoding: .utf8)
    let rows = readme.split(separator: "\n")
    for kind in Finding.Kind.allCases {
      let row = rows.filter { $0.hasPrefix("| `\(kind.rawValue)` | ") }
      #expect(row.count == 1 && row[0].hasSuffix(" | \(kind.remedy) |"), "\(kind)")
    }
  }
}
