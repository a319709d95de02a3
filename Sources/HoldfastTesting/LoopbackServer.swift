package import Foundation
internal import Holdfast

// Platform: sockets are the system's.
#if canImport(Glibc)
  import Glibc

  private let streaming = Int32(SOCK_STREAM.rawValue)
  private let withoutSignal = Int32(MSG_NOSIGNAL)
#else
  import Darwin

  private let streaming = SOCK_STREAM
  // On this system it is a socket option instead.
  private let withoutSignal: Int32 = 0
#endif

/// A real HTTP/1.1 server on 127.0.0.1 that answers as the test decides: well, badly, late, or not at all.
///
/// One connection for each request, except with `keepsConnections`.
package final class LoopbackServer: @unchecked Sendable {
  package struct Request: Sendable {
    package var method: String
    package var path: String
    /// Names in lower case.
    package var headers: [String: String]
    /// Unzipped.
    package var body: Data
  }

  package enum Answer: Sendable {
    case respond(Int, headers: [String: String] = [:], body: String = "{}")
    /// The body goes as gzip.
    case zipped(Int, body: Data)
    /// Sends these bytes and ends the connection.
    case bytes(Data)
    /// Ends the connection without an answer.
    case cut
    /// Ends the connection in the middle of the answer.
    case cutAnswer
    /// Begins the answer, then sends single bytes with pauses until the server stops.
    case drip
    /// Sends nothing until the server stops.
    case hang
  }

  private enum End { case closed, held, kept }

  package let address: URL
  private let listener: Int32
  private let keepsConnections: Bool
  private let answer: @Sendable (Request) -> Answer
  // Guarded by `lock`.
  private var held: [Int32] = []
  private var received: [Request] = []
  private var opened = 0
  private var open = 0
  private var isStopped = false
  private let lock = NSLock()

  /// The requests that have arrived completely, in order.
  package var requests: [Request] { lock.withLock { received } }

  /// How many connections there were, and how many are open.
  package var connections: (all: Int, open: Int) { lock.withLock { (opened, open) } }

  /// - Parameter keepsConnections: whether a connection stays open for the client's next request after a `respond`.
  package init(keepsConnections: Bool = false, _ answer: @escaping @Sendable (Request) -> Answer) throws {
    self.keepsConnections = keepsConnections
    self.answer = answer
    let listener = socket(AF_INET, streaming, 0)
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &place) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        bind(listener, general, size) == 0 && listen(listener, 64) == 0 && getsockname(listener, general, &size) == 0
      }
    }
    guard isBound, let address = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: place.sin_port))") else {
      close(listener)
      throw POSIXError(.EADDRNOTAVAIL)
    }
    self.address = address
    self.listener = listener
    Thread.detachNewThread { [self] in accepting() }
  }

  /// Stops answering. The accepting thread closes the listening socket itself. If this method closed it, another server could get its
  /// number before the thread looks again.
  package func stop() {
    let waiting = lock.withLock {
      isStopped = true
      defer { held = [] }
      return held
    }
    shutdown(listener, Int32(SHUT_RDWR))
    for connection in waiting { close(connection) }
  }

  private func accepting() {
    while true {
      let connection = accept(listener, nil, nil)
      guard connection >= 0, !lock.withLock({ isStopped }) else {
        if connection >= 0 { close(connection) }
        close(listener)
        return
      }
      #if !canImport(Glibc)
        var isOn: Int32 = 1
        setsockopt(connection, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
      #endif
      Thread.detachNewThread { [self] in serve(connection) }
    }
  }

  private func serve(_ connection: Int32) {
    lock.withLock {
      opened += 1
      open += 1
    }
    var end = End.kept
    while end == .kept, let request = Self.read(connection) {
      lock.withLock { received.append(request) }
      end = answer(request, on: connection)
    }
    lock.withLock { open -= 1 }
    if end != .held { close(connection) }
  }

  private func answer(_ request: Request, on connection: Int32) -> End {
    switch answer(request) {
    case .respond(let status, let headers, let body):
      let keeps = keepsConnections && !lock.withLock { isStopped }
      Self.write(connection, Self.text(status, headers, body, keeps: keeps))
      if keeps { return .kept }
    case .bytes(let bytes): Self.write(connection, bytes)
    case .zipped(let status, let body):
      let bytes = Gzip.compressed(body) ?? Data()
      let head = Self.text(status, ["Content-Encoding": "gzip"], "", count: bytes.count)
      Self.write(connection, Data(head.utf8) + bytes)
    case .cutAnswer:
      Self.write(connection, String(Self.text(200, [:], String(repeating: " ", count: 1_000)).dropLast(500)))
    case .cut: break
    case .drip:
      Self.write(connection, String(Self.text(200, [:], String(repeating: " ", count: 1_000_000)).dropLast(999_999)))
      while !lock.withLock({ isStopped }), Self.write(connection, " ") { usleep(20_000) }
    case .hang:
      let holds = lock.withLock {
        if !isStopped { held.append(connection) }
        return !isStopped
      }
      if holds { return .held }
    }
    return .closed
  }

  private static func text(_ status: Int, _ headers: [String: String], _ body: String, count: Int? = nil, keeps: Bool = false) -> String {
    let length = count ?? body.utf8.count
    var lines = ["HTTP/1.1 \(status) X", "Content-Type: application/json", "Content-Length: \(length)"]
    if !keeps { lines.append("Connection: close") }
    for (name, value) in headers.sorted(by: { $0.key < $1.key }) { lines.append("\(name): \(value)") }
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
  }

  @discardableResult
  private static func write(_ connection: Int32, _ text: String) -> Bool { write(connection, Data(text.utf8)) }

  @discardableResult
  private static func write(_ connection: Int32, _ data: Data) -> Bool {
    let bytes = [UInt8](data)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes { send(connection, $0.baseAddress, $0.count, withoutSignal) }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Nil when the connection ends before the request is complete.
  private static func read(_ connection: Int32) -> Request? {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    let end = Data("\r\n\r\n".utf8)
    while true {
      if let head = data.range(of: end) {
        let lines = String(decoding: data[..<head.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        let first = lines[0].split(separator: " ")
        guard first.count == 3 else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
          let parts = line.split(separator: ":", maxSplits: 1)
          if parts.count == 2 { headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces) }
        }
        let body = data[head.upperBound...]
        if body.count >= Int(headers["content-length"] ?? "0") ?? 0 {
          let isZipped = headers["content-encoding"] == "gzip"
          guard let unzipped = isZipped ? Gzip.expanded(Data(body), limit: 1 << 24) : Data(body) else { return nil }
          return Request(method: String(first[0]), path: String(first[1]), headers: headers, body: unzipped)
        }
      }
      let count = recv(connection, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      data.append(contentsOf: buffer[..<count])
    }
  }
}
