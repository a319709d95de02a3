internal import Foundation
internal import HTTPTypes
package import Holdfast
package import HoldfastSyncServer
package import Hummingbird
internal import HummingbirdCore
package import Logging
internal import NIOCore
internal import ServiceLifecycle

/// The HTTP half of the server: routes, tokens in headers, gzip, limits. What a request means, `SyncSpaces` knows.
package struct Serving: Sendable {
  let server: any SyncSpaces
  let options: ServingOptions
  let note: PushNote?
  let limit: RateLimit
  let wakes: Wakes
  let metrics = ServerMetrics()

  /// - Parameter note: nil where the number of pushes is noted nowhere.
  package init(_ server: any SyncSpaces, _ options: ServingOptions = ServingOptions(), note: PushNote? = nil) {
    (self.server, self.options, self.note) = (server, options, note)
    limit = RateLimit(perSecond: options.requestsPerSecond, burst: options.burst)
    wakes = Wakes(patience: options.patience)
  }

  /// The program, which ends gracefully on SIGTERM and SIGINT when it is run with `runService`.
  ///
  /// - Parameter onRunning: receives the port when the server takes requests.
  package func application(
    at address: Address, _ logger: Logger, onRunning: @escaping @Sendable (_ port: Int) async -> Void = { _ in }
  ) -> some ApplicationProtocol {
    Application(
      router: router, server: .http1(configuration: .init(idleTimeout: .seconds(60))),
      configuration: ApplicationConfiguration(address: .hostname(address.host, port: address.port)),
      services: [Hearing(server: server, wakes: wakes)],
      onServerRunning: { channel in await onRunning(channel.localAddress?.port ?? address.port) }, logger: logger)
  }

  private var router: Router<BasicRequestContext> {
    let router = Router()
    router.add(middleware: RequestLog(metrics: metrics))
    router.get("/healthz") { _, _ in try await healthy() }
    router.get("/metrics") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4"],
        text: metrics.text(waiting: wakes.count, epochsBegun: server.epochsBegun))
    }
    let space = router.group("/v1/spaces/:space").add(middleware: HostCheck(hosts: options.hosts))
    space.post("push") { request, context in try await answer(.push, request, context) }
    space.post("pull") { request, context in try await answer(.pull, request, context) }
    space.get("wait") { request, context in try await poll(request, context) }
    return router
  }

  /// 503 when requests cannot be answered now.
  private func healthy() async throws -> Response {
    do {
      try await server.look()
      return Response(status: .ok, headers: [:], text: "ok\n")
    } catch {
      return Response(status: .serviceUnavailable, headers: [.retryAfter: "5"], text: "the store cannot be read\n")
    }
  }

  private func answer(_ verb: SyncServer.Verb, _ request: Request, _ context: BasicRequestContext) async throws -> Response {
    let (space, token, now) = (try context.parameters.require("space"), request.token, options.now())
    if let refused = refusal(of: token, now) { return response(refused, to: request, context) }
    let body: Data
    do { body = try await received(request) } catch let error as StoreError {
      return response(SyncAnswer(error, now: now), to: request, context)
    }
    let answer = await answer(verb, body, in: space, token: token, now: now)
    if answer.status == 200, verb == .pull { metrics.rows(pulled: answer.rows) }
    if answer.status == 200, verb == .push {
      metrics.rows(pushed: answer.rows)
      // Before the answer: a device forgets what was acknowledged.
      if let note { await note.write(context.logger) }
      wakes.wake(space)
    }
    return response(answer, to: request, context)
  }

  /// Answers when the space's head is no longer `after`, or after the longest time.
  private func poll(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    let (space, token) = (try context.parameters.require("space"), request.token)
    if let refused = refusal(of: token, options.now()) { return response(refused, to: request, context) }
    guard let after = request.uri.queryParameters["after"].flatMap({ Int64($0) }), after >= 0 else {
      let wrong = StoreError(.invalidSource, "\"after\" is not a number from 0 on")
      return response(SyncAnswer(wrong, now: options.now()), to: request, context)
    }
    let seen = await cancelWhenGracefulShutdown {
      // A poll that ends without news tells the head that it read last. The device polls again, and that poll reads the head first.
      await wakes.wait(for: space, until: { $0.head != after }) {
        await head(of: space, token: token, now: options.now())
      }
    }
    if let seen { return response(seen.told(now: options.now()), to: request, context) }
    // The server's end has cut a look short.
    return response(await head(of: space, token: token, now: options.now()), to: request, context)
  }

  private func refusal(of token: String?, _ now: Int64) -> SyncAnswer? {
    guard let token, !limit.allows(token, at: .now) else { return nil }
    return SyncAnswer(StoreError(.busy, "too many requests with this token"), status: 429, now: now)
  }

  // MARK: Bodies

  /// - Throws: `.invalidValue` for a body above 1 MB, zipped or unzipped; `.invalidSource` for one that is no gzip.
  private func received(_ request: Request) async throws -> Data {
    let most = SyncServer.greatestBytes
    let tooLarge = StoreError(.invalidValue, "the request has more than \(most) bytes", suggestion: "Send fewer rows at once.")
    if let length = request.headers[.contentLength].flatMap({ Int($0) }), length > most { throw tooLarge }
    var body = Data()
    for try await part in request.body {
      metrics.received(part.readableBytes)
      guard body.count + part.readableBytes <= most else { throw tooLarge }
      body.append(contentsOf: part.readableBytesView)
    }
    guard let encoding = request.headers[.contentEncoding], encoding != "identity" else { return body }
    guard encoding.lowercased() == "gzip" else { throw StoreError(.invalidSource, "the Content-Encoding is neither gzip nor identity") }
    do { return try Gzip.expanded(body, limit: most) } catch Gzip.Failure.tooLarge { throw tooLarge } catch {
      throw StoreError(.invalidSource, "the body is not gzip, or not whole")
    }
  }

  private func response(_ answer: SyncAnswer, to request: Request, _ context: BasicRequestContext) -> Response {
    if let problem = answer.problem {
      context.logger.error("the store failed", metadata: Self.metadata(of: problem))
    }
    var headers: HTTPFields = [.contentType: "application/x-ndjson"]
    switch answer.status {
    case 401: headers[.wwwAuthenticate] = "Bearer"
    case 429: headers[.retryAfter] = "1"
    case 503: headers[.retryAfter] = "5"
    default: break
    }
    var body = answer.body
    let takesGzip = request.headers[.acceptEncoding]?.split(separator: ",").contains { $0.trimmingCharacters(in: .whitespaces) == "gzip" }
    if takesGzip ?? false, body.count > 1_000, let zipped = Gzip.compressed(body) {
      headers[.contentEncoding] = "gzip"
      body = zipped
    }
    return Response(status: .init(code: answer.status), headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: body)))
  }
}

extension Serving {
  /// What the log has of the store's error. Most messages name a row, so only the code, unless the cause says that it may be logged.
  package static func metadata(of problem: StoreError) -> Logger.Metadata {
    var metadata: Logger.Metadata = ["code": "\(problem.code.rawValue)"]
    if let cause = problem.cause as? any LoggableError { metadata["cause"] = "\(cause)" }
    return metadata
  }
}

extension Request {
  /// What the device presents, if it is a token of the form that `Authorization` gives it.
  fileprivate var token: String? {
    guard let field = headers[.authorization], field.lowercased().hasPrefix("bearer ") else { return nil }
    return String(field.dropFirst("bearer ".count))
  }
}

extension Response {
  fileprivate init(status: HTTPResponse.Status, headers: HTTPFields, text: String) {
    self.init(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
  }
}
