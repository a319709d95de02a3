internal import Foundation
internal import Synchronization

/// Long polls of devices that have nothing to do. They ask again when the server has answered, each 25 seconds.
struct IdlePolls: Sendable {
  /// As many as wait at one time.
  var waiting = 0
  /// Of the server.
  var megabytes = 0.0
  /// Of one processor, on average over two such times. 1: all of it.
  var share = 0.0
  var answers = 0
  /// Of open files, of this process.
  var limit = 0

  static func run(_ server: BenchServer, process: Int32, polls: Int) async throws -> IdlePolls {
    let limit = try raiseFileLimit()
    let polls = min(polls, limit - 200)
    var requests: [[UInt8]] = []
    for number in 0..<min(100, polls) {
      let space = try await server.makeSpace("idle\(number)")
      let head = ["GET /v1/spaces/\(space.name)/wait?after=0 HTTP/1.1", "Host: 127.0.0.1", "Authorization: Bearer \(space.token)", "", ""]
      requests.append(Array(head.joined(separator: "\r\n").utf8))
    }
    let client = server.client(of: try await server.makeSpace("idle"))
    let pollers = Pollers(port: server.address.port ?? 0, requests, count: polls)
    defer { pollers.end() }
    var result = IdlePolls()
    result.limit = limit
    let deadline = ContinuousClock.now + .seconds(180)
    while result.waiting < polls, .now < deadline {
      try await Task.sleep(for: .milliseconds(500))
      result.waiting = try await server.metrics(by: client)["holdfast_waiting_polls"] ?? 0
    }
    let (before, answersBefore) = (ProcessFigures.seconds(of: process), pollers.answers)
    let took = try await timed { try await Task.sleep(for: .seconds(50)) }
    result.share = (ProcessFigures.seconds(of: process) - before) / took
    result.answers = pollers.answers - answersBefore
    result.megabytes = ProcessFigures.memory(of: process)
    return result
  }
}

/// Connections of one thread: `URLSession` is made for few.
private final class Pollers: Sendable {
  private let state = Mutex((answers: 0, ends: false))

  var answers: Int { state.withLock { $0.answers } }

  init(port: Int, _ requests: [[UInt8]], count: Int) {
    Thread { [self] in poll(port, requests, count) }.start()
  }

  func end() { state.withLock { $0.ends = true } }

  private func poll(_ port: Int, _ requests: [[UInt8]], _ count: Int) {
    var sockets: [pollfd] = []
    for number in 0..<count {
      guard let socket = connected(to: port) else { break }
      sockets.append(pollfd(fd: socket, events: Int16(POLLIN), revents: 0))
      ask(socket, requests[number % requests.count])
    }
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while !state.withLock({ $0.ends }) {
      usleep(50_000)
      guard Foundation.poll(&sockets, nfds_t(sockets.count), 0) > 0 else { continue }
      for (number, socket) in sockets.enumerated() where socket.revents != 0 {
        let count = recv(socket.fd, &buffer, buffer.count, 0)
        // The head may come alone.
        guard count > 0, buffer.prefix(count).suffix(2).elementsEqual("}\n".utf8) else { continue }
        state.withLock { $0.answers += 1 }
        ask(socket.fd, requests[number % requests.count])
      }
    }
    for socket in sockets { close(socket.fd) }
  }

  private func ask(_ socket: Int32, _ request: [UInt8]) { _ = send(socket, request, request.count, 0) }

  private func connected(to port: Int) -> Int32? {
    #if canImport(Glibc)
      let stream = Int32(SOCK_STREAM.rawValue)
    #else
      let stream = SOCK_STREAM
    #endif
    let made = socket(AF_INET, stream, 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(made, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
    }
    if !isConnected, made >= 0 { close(made) }
    return isConnected ? made : nil
  }
}
