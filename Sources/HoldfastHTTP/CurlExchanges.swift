// Platform: URLSession of Linux may end the process.
#if os(Linux)
  internal import CHoldfastCurl
  import Foundation
  import Holdfast

  /// The connections of one client, by libcurl: `URLSession` of Linux ends the process where an answer ends within its headers.
  ///
  /// Each request waits on a thread of its own, so that it takes none from tasks.
  final class HTTPSession: @unchecked Sendable {
    private let server: String
    private let timeoutSeconds: Double
    // Guarded by `lock`. Each keeps its connection open for the next request.
    private var idle: [CurlHandle] = []
    private let lock = NSLock()

    init(to address: URL, of server: String, timeoutSeconds: Double) {
      self.server = server
      self.timeoutSeconds = timeoutSeconds
    }

    /// - Throws: `URLError`, `timedOut` when the answer was not complete in time; `.inputOutput` for an answer that is too large.
    func answer(to message: HTTPMessage) async throws -> HTTPAnswer {
      try Task.checkCancellation()
      guard timeoutSeconds > 0 else { throw URLError(.timedOut) }
      guard let handle = lock.withLock({ idle.popLast() }) ?? CurlHandle() else {
        throw StoreError(.outOfMemory, "there is no memory for a request to \(server)")
      }
      let exchange = CurlExchange(by: handle)
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          exchange.begin(continuation)
          DispatchQueue.global().asyncAfter(deadline: .now() + min(timeoutSeconds, 86_400)) { [weak exchange] in
            exchange?.cancel(URLError(.timedOut))
          }
          Thread.detachNewThread { [self] in
            let result = Result { try handle.answer(to: message, from: server) }
            // One that was cancelled ends here.
            guard let continuation = exchange.end() else { return }
            // Before its task goes on, so that the next request finds the open connection.
            lock.withLock { idle.append(handle) }
            continuation.resume(with: result)
          }
          // The task may have been cancelled before its exchange had begun.
          if Task.isCancelled { exchange.cancel(URLError(.cancelled)) }
        }
      } onCancel: {
        exchange.cancel(URLError(.cancelled))
      }
    }
  }

  /// A request under way. It ends once: with its answer, or cancelled. Then its task goes on at once, and its thread when it can: a thread
  /// that looks up a name may need many seconds more.
  private final class CurlExchange: @unchecked Sendable {
    private let handle: CurlHandle
    // Guarded by `lock`.
    private var continuation: CheckedContinuation<HTTPAnswer, any Error>?
    private let lock = NSLock()

    init(by handle: CurlHandle) { self.handle = handle }

    func begin(_ continuation: CheckedContinuation<HTTPAnswer, any Error>) { lock.withLock { self.continuation = continuation } }

    /// Nil when it has ended already.
    func end() -> CheckedContinuation<HTTPAnswer, any Error>? {
      lock.withLock {
        defer { continuation = nil }
        return continuation
      }
    }

    func cancel(_ error: URLError) {
      guard let continuation = end() else { return }
      handle.cancel()
      continuation.resume(throwing: error)
    }
  }

  /// One connection. A single thread at a time asks it; any thread cancels it, which ends its use.
  private final class CurlHandle: @unchecked Sendable {
    private let http: OpaquePointer

    init?() {
      guard let http = holdfast_http_new() else { return nil }
      self.http = http
    }

    deinit { holdfast_http_free(http) }

    func cancel() { holdfast_http_cancel(http) }

    func answer(to message: HTTPMessage, from server: String) throws -> HTTPAnswer {
      for (name, value) in message.headers { holdfast_http_header(http, "\(name): \(value)") }
      let answer = message.body.withUnsafeBytes { body in
        holdfast_http_run(http, message.method, message.url.absoluteString, body.baseAddress, body.count, HTTPAnswer.greatestBytes)
      }
      let code: URLError.Code
      switch answer.result {
      case HOLDFAST_HTTP_ANSWERED:
        let body = answer.body.map { Data(bytesNoCopy: $0, count: answer.length, deallocator: .free) } ?? Data()
        return HTTPAnswer(status: Int(answer.status), retryAfter: answer.retry_after.map { String(cString: $0) }, body: body)
      case HOLDFAST_HTTP_TOO_LARGE: throw StoreError.tooLarge(of: server)
      case HOLDFAST_HTTP_CANCELLED: code = .cancelled
      case HOLDFAST_HTTP_NO_HOST: code = .cannotFindHost
      case HOLDFAST_HTTP_NO_CONNECTION: code = .cannotConnectToHost
      case HOLDFAST_HTTP_LOST: code = .networkConnectionLost
      case HOLDFAST_HTTP_NOT_SECURE: code = .secureConnectionFailed
      default: code = .badServerResponse
      }
      // Linux has no texts of its own for these codes.
      throw URLError(code, userInfo: answer.reason.map { [NSLocalizedDescriptionKey: String(cString: $0)] } ?? [:])
    }
  }
#endif
