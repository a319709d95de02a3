internal import Foundation
internal import Synchronization

/// The network between one device and the server, or between two servers. It cuts connections at any byte, delays, and is away for a while.
final class Proxy: Sendable {
  private struct State {
    var chance: Chance
    var server: Int?
    var cuts = false
    /// Connections of an earlier number end.
    var era = 0
  }

  /// Where one exchange ends early: after this many bytes of the request, or of the answer.
  struct Cut {
    var fault: Fault
    var bytes: Int
  }

  /// Counts the answers of a server that cannot take a request, and of nginx where no node can.
  static let refusals = "answers of 502 to 504"

  let port: Int
  private let listener: Int32
  private let tally: Tally
  private let oneIn: Int
  private let isPush: @Sendable (ArraySlice<UInt8>) -> Bool
  private let state: Mutex<State>

  /// - Parameters:
  ///   - oneIn: only one in so many exchanges may be cut.
  ///   - isPush: whether what a connection sends, of which this is the beginning, is answered when it is committed.
  init(_ chance: Chance, _ tally: Tally, oneIn: Int = 1, isPush: @escaping @Sendable (ArraySlice<UInt8>) -> Bool = Proxy.isPush) throws {
    let (listener, port) = try listening()
    self.port = port
    (self.listener, self.tally, self.oneIn, self.isPush) = (listener, tally, oneIn, isPush)
    state = Mutex(State(chance: chance))
    Thread { [self] in serve() }.start()
  }

  /// Leads to the server at this port; nil: to nowhere. What is connected is cut.
  func lead(to server: Int?) {
    state.withLock { state in
      state.server = server
      state.era += 1
    }
  }

  /// Whether connections are cut and delayed at random.
  func cut(_ cuts: Bool) { state.withLock { $0.cuts = cuts } }

  /// Of HTTP.
  static func isPush(_ request: ArraySlice<UInt8>) -> Bool {
    let head = String(decoding: request.prefix(200), as: UTF8.self)
    return head.hasPrefix("POST ") && head.prefix { $0 != "\r" }.contains("/push ")
  }

  private func serve() {
    while true {
      let device = accept(listener, nil, nil)
      guard device >= 0 else { continue }
      _ = fcntl(device, F_SETFD, FD_CLOEXEC)
      let (port, era) = state.withLock { ($0.server, $0.era) }
      guard let port, let server = connected(to: port) else {
        end(device)
        continue
      }
      Thread { [self] in
        relay(device, server, era)
        end(device)
        end(server)
      }.start()
    }
  }

  /// Passes bytes on in both directions until one side ends, or the connection is to be cut.
  private func relay(_ device: Int32, _ server: Int32, _ era: Int) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    var (sent, answered) = (0, 0)
    var cut: Cut?
    while state.withLock({ $0.era == era }) {
      var polled = [
        pollfd(fd: device, events: Int16(POLLIN), revents: 0), pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      guard poll(&polled, 2, 50) > 0 else { continue }
      let isRequest = polled[0].revents != 0
      let count = recv(isRequest ? device : server, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      if isRequest, sent == 0 || answered > 0 {
        (sent, answered) = (0, 0)
        cut = chooseCut(isPush: isPush(buffer.prefix(count)))
      }
      if !isRequest, answered == 0, ["502", "503", "504"].contains(where: { buffer.starts(with: Array("HTTP/1.1 \($0)".utf8)) }) {
        tally.count(Self.refusals)
      }
      let passed = isRequest ? sent : answered
      var most = count
      if let cut, isRequest == (cut.fault == .requestCut), passed + count > cut.bytes { most = max(0, cut.bytes - passed) }
      guard pass(buffer.prefix(most), to: isRequest ? server : device) else { return }
      if most < count, let cut {
        tally.count(cut.fault.rawValue)
        return
      }
      if isRequest { sent += count } else { answered += count }
    }
  }

  /// Most exchanges are whole. Half of the cut ones are cut in the first bytes: an answer of which nothing arrives is one, too.
  private func chooseCut(isPush: Bool) -> Cut? {
    let (cut, delay) = state.withLock { state -> (Cut?, Int) in
      guard state.cuts, state.chance.below(oneIn) == 0 else { return (nil, 0) }
      let bytes = state.chance.below(state.chance.percent(50) ? 30 : 1_500)
      let delay = state.chance.percent(10) ? state.chance.below(40_000) : 0
      if state.chance.percent(4) { return (Cut(fault: .requestCut, bytes: bytes), delay) }
      if state.chance.percent(isPush ? 15 : 4) { return (Cut(fault: isPush ? .pushAnswerCut : .answerCut, bytes: bytes), delay) }
      return (nil, delay)
    }
    usleep(UInt32(delay))
    return cut
  }

  private func pass(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}

/// Ends the connection also where a process that was just started has the descriptor, too.
private func end(_ socket: Int32) {
  shutdown(socket, Int32(SHUT_RDWR))
  close(socket)
}

private func loopback(port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = in_port_t(UInt16(truncatingIfNeeded: port).bigEndian)
  address.sin_addr.s_addr = inet_addr("127.0.0.1")
  return address
}

/// A socket that takes connections, and its port.
private func listening() throws -> (socket: Int32, port: Int) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var address = loopback(port: 0)
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(listener, $0, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, $0, &size) == 0
    }
  }
  guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  return (listener, Int(UInt16(bigEndian: address.sin_port)))
}

/// A port that nobody listens at now.
func freePort() throws -> Int {
  let (socket, port) = try listening()
  close(socket)
  return port
}

func isListening(at port: Int) -> Bool {
  guard let socket = connected(to: port) else { return false }
  end(socket)
  return true
}

/// Nil where nobody listens.
private func connected(to port: Int) -> Int32? {
  let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  var address = loopback(port: port)
  let isConnected = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0 }
  }
  if !isConnected { close(server) }
  return isConnected ? server : nil
}
