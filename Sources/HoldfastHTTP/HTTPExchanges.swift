// Platform: Apple's systems have a URLSession that may be used.
#if canImport(Darwin)
  import Foundation
  import Holdfast

  /// The `URLSession` of one client, which ends with it: a session that is not invalidated keeps its delegate forever.
  final class HTTPSession: Sendable {
    private let exchanges: HTTPExchanges
    private let session: URLSession
    private let timeoutSeconds: Double

    init(to address: URL, of server: String, timeoutSeconds: Double) {
      self.timeoutSeconds = timeoutSeconds
      exchanges = HTTPExchanges(of: server)
      let configuration = URLSessionConfiguration.ephemeral
      configuration.timeoutIntervalForRequest = timeoutSeconds
      configuration.timeoutIntervalForResource = timeoutSeconds
      configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
      configuration.urlCache = nil
      configuration.httpShouldSetCookies = false
      // A proxy may be another computer.
      if address.scheme == "http" { configuration.connectionProxyDictionary = [:] }
      session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: exchanges.queue)
    }

    deinit { session.finishTasksAndInvalidate() }

    func answer(to message: HTTPMessage) async throws -> HTTPAnswer {
      var request = URLRequest(url: message.url)
      request.httpMethod = message.method
      request.allHTTPHeaderFields = message.headers
      if !message.body.isEmpty { request.httpBody = message.body }
      let (body, response) = try await exchanges.answer(to: request, by: session, within: timeoutSeconds)
      guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
      return HTTPAnswer(status: response.statusCode, retryAfter: response.value(forHTTPHeaderField: "Retry-After"), body: body)
    }
  }

  /// Requests by `URLSession` whose answers are limited: in time, however slowly a server sends, and in size, also after
  /// decompression. Redirects are not followed.
  final class HTTPExchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private struct Exchange {
      var body = Data()
      let continuation: CheckedContinuation<(Data, URLResponse), any Error>
    }

    /// Receives the session's events one after the other.
    let queue = OperationQueue()
    private let server: String
    // Guarded by `lock`. By the task's identifier.
    private var exchanges: [Int: Exchange] = [:]
    private let lock = NSLock()

    init(of server: String) {
      self.server = server
      queue.maxConcurrentOperationCount = 1
      super.init()
    }

    /// - Throws: `URLError`, `timedOut` when the answer was not complete in time; `.inputOutput` for an answer that is too large.
    func answer(to request: URLRequest, by session: URLSession, within seconds: Double) async throws -> (Data, URLResponse) {
      try Task.checkCancellation()
      let task = session.dataTask(with: request)
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          lock.withLock { exchanges[task.taskIdentifier] = Exchange(continuation: continuation) }
          DispatchQueue.global().asyncAfter(deadline: .now() + min(max(seconds, 0), 86_400)) { [weak self, weak task] in
            guard let self, let task else { return }
            end(task, .failure(URLError(.timedOut)))
          }
          task.resume()
          // The task may have been cancelled before its exchange was stored.
          if Task.isCancelled { end(task, .failure(URLError(.cancelled))) }
        }
      } onCancel: {
        end(task, .failure(URLError(.cancelled)))
      }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      let isTooLarge = lock.withLock {
        exchanges[dataTask.taskIdentifier]?.body.append(data)
        return exchanges[dataTask.taskIdentifier].map { $0.body.count > HTTPAnswer.greatestBytes } ?? false
      }
      if isTooLarge { end(dataTask, .failure(StoreError.tooLarge(of: server))) }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
      if let error { return end(task, .failure(error)) }
      end(task, task.response.map(Result.success) ?? .failure(URLError(.badServerResponse)))
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    /// The platform checks the server's certificate. Every other challenge is refused, because the only credential is the key in
    /// the request; so the server's 401 is the answer.
    func urlSession(
      _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
      completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
      if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
        return completionHandler(.performDefaultHandling, nil)
      }
      if let response = challenge.failureResponse { end(task, .success(response)) }
      completionHandler(.rejectProtectionSpace, nil)
    }

    /// Ends each task once; later events are ignored.
    private func end(_ task: URLSessionTask, _ result: Result<URLResponse, any Error>) {
      guard let exchange = lock.withLock({ exchanges.removeValue(forKey: task.taskIdentifier) }) else { return }
      exchange.continuation.resume(with: result.map { (exchange.body, $0) })
      if case .failure = result { task.cancel() }
    }
  }
#endif
