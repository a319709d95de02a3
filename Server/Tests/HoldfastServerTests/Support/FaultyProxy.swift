import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// A proxy that holds one thing back.
struct FaultyProxy: Sendable {
  enum Fault: Sendable, CaseIterable {
    case none, otherServer, health, gzip, bodyLimit, retryAfter, poll
  }

  let server: Client
  let fault: Fault

  /// Forwards requests to a server as long as `body` runs, which gets the port.
  static func run(to server: Client, _ fault: Fault, _ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    let proxy = FaultyProxy(server: server, fault: fault)
    let router = Router()
    router.get("/**") { request, _ in try await proxy.answer(request) }
    router.post("/**") { request, _ in try await proxy.answer(request) }
    let (ports, port) = AsyncStream<Int>.makeStream()
    let application = Application(
      router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
      onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await application.run() }
      group.addTask { if let port = await ports.first(where: { _ in true }) { try await body(port) } }
      try await group.next()
      group.cancelAll()
    }
  }

  private func answer(_ request: Request) async throws -> Response {
    let body = Data(try await request.body.collect(upTo: 2 << 20).readableBytesView)
    if fault == .otherServer { return Response(status: .notFound) }
    if fault == .health, request.uri.path == "/healthz" { return Response(status: .serviceUnavailable) }
    if fault == .bodyLimit, body.count > 500_000 { return Response(status: .contentTooLarge) }
    let isPoll = request.uri.path.hasSuffix("/wait") && request.uri.query != "after=\(Int64.max)"
    var headers: [String: String] = [:]
    for name in [HTTPField.Name.authorization, .contentEncoding] where fault != .gzip || name != .contentEncoding {
      if let value = request.headers[name] { headers[name.canonicalName] = value }
    }
    let reply = try await server.send(request.method.rawValue, request.uri.string, headers: headers, body: body)
    if fault == .poll, isPoll, reply.status == 200 { return Response(status: .gatewayTimeout) }
    var response = Response(status: .init(code: reply.status), body: .init(byteBuffer: ByteBuffer(bytes: reply.body)))
    if fault != .retryAfter, let seconds = reply.headers["retry-after"] { response.headers[.retryAfter] = seconds }
    return response
  }
}
