internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging

/// Logs and counts each request: route, status and time; the logger has its id. Never a path, a header or a body, in which names, keys and tokens are.
struct RequestLog<Context: RequestContext>: RouterMiddleware {
  let metrics: ServerMetrics

  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
    let begun = ContinuousClock.now
    let response: Response
    do { response = try await next(request, context) } catch let error as any HTTPResponseError {
      response = try error.response(from: request, context: context)
    } catch {
      // The client went away within its body, or the like.
      context.logger.debug("a request failed")
      response = Response(status: .badRequest)
    }
    // The last word of the route's pattern. Without a route it is no path.
    let route = context.endpointPath.flatMap { $0.hasPrefix("/") ? $0.split(separator: "/").last : nil } ?? "other"
    let took = (ContinuousClock.now - begun) / .milliseconds(1)
    metrics.count(String(route), response.status.code, sent: response.body.contentLength ?? 0)
    context.logger.info(
      "request",
      metadata: ["route": "\(route)", "status": "\(response.status.code)", "ms": "\((took * 10).rounded() / 10)"])
    return response
  }
}

/// Refuses requests that name another host than the server's.
struct HostCheck<Context: RequestContext>: RouterMiddleware {
  let hosts: Set<String>

  func handle(_ request: Request, context: Context, next: (Request, Context) async throws -> Response) async throws -> Response {
    guard let authority = request.head.authority, hosts.contains(Self.host(of: authority)) else {
      return Response(status: .misdirectedRequest)
    }
    return try await next(request, context)
  }

  /// Without the port and the brackets.
  static func host(of authority: String) -> String {
    if authority.hasPrefix("[") { return String(authority.dropFirst().prefix { $0 != "]" }) }
    return String(authority.prefix { $0 != ":" }).lowercased()
  }
}
