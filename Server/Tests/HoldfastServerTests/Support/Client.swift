import Foundation

#if canImport(Glibc)
  import Glibc
#endif

/// What a server answered, byte for byte.
struct Reply: Sendable {
  var status = 0
  /// Names in lower case.
  var headers: [String: String] = [:]
  var body = Data()

  var text: String { String(decoding: body, as: UTF8.self) }
  var lines: [Substring] { text.split(separator: "\n") }

  /// A member of the body's first line, as text.
  func head(_ member: String) -> String? {
    let first = try? JSONSerialization.jsonObject(with: Data((lines.first ?? "").utf8)) as? [String: Any]
    return first?[member].map { "\($0)" }
  }
}

/// A client of one request over a plain socket: it hides nothing, and its blocking calls have threads of their own.
struct Client: Sendable {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let port: Int
  var token: String?

  func push(_ rows: [String], epoch: String, cursor: Int = 0, schema: Int = 1, space: String = "anna") async throws -> Reply {
    let head = #"{"cursor":\#(cursor),"epoch":"\#(epoch)","rows":\#(rows.count),"schema":\#(schema)}"#
    return try await send("POST", "/v1/spaces/\(space)/push", body: Data(([head] + rows).map { $0 + "\n" }.joined().utf8))
  }

  func pull(epoch: String? = nil, cursor: Int = 0, schema: Int = 1, space: String = "anna") async throws -> Reply {
    let epoch = epoch.map { #","epoch":"\#($0)""# } ?? ""
    return try await send("POST", "/v1/spaces/\(space)/pull", body: Data("{\"cursor\":\(cursor)\(epoch),\"schema\":\(schema)}\n".utf8))
  }

  func wait(after head: String) async throws -> Reply { try await send("GET", "/v1/spaces/anna/wait?after=\(head)") }

  func send(_ method: String, _ path: String, headers: [String: String] = [:], body: Data = Data()) async throws -> Reply {
    var fields = ["Host": "127.0.0.1:\(port)", "Content-Length": "\(body.count)"]
    if let token { fields["Authorization"] = "Bearer \(token)" }
    fields.merge(headers) { $1 }
    let text = "\(method) \(path) HTTP/1.1\r\n" + fields.map { "\($0): \($1)\r\n" }.joined() + "\r\n"
    let request = Data(text.utf8) + body
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue(label: "client").async { continuation.resume(with: Result { try exchange(request) }) }
    }
  }

  private func exchange(_ request: Data) throws -> Reply {
    #if canImport(Glibc)
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard connected == 0 else { throw Failure(description: "no connection: \(errno)") }
    var rest = request[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { sent($0, to: descriptor) }
      guard count > 0 else { break }
      rest = rest.dropFirst(count)
    }
    var received = Data()
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      if let reply = Self.reply(received) { return reply }
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw Failure(description: "the answer was cut off") }
      received.append(contentsOf: buffer.prefix(count))
    }
  }

  /// Nil until the answer is whole.
  private static func reply(_ bytes: Data) -> Reply? {
    guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    var reply = Reply()
    reply.status = Int(lines[0].split(separator: " ")[1]) ?? 0
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1)
      reply.headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
    }
    guard let length = reply.headers["content-length"].flatMap({ Int($0) }), bytes.count >= end.upperBound + length else { return nil }
    reply.body = Data(bytes[end.upperBound..<end.upperBound + length])
    return reply
  }
}

/// Without a signal where the server has closed the connection.
private func sent(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int {
  send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
}
