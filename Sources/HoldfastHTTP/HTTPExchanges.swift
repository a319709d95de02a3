import Foundation
import Holdfast

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The `URLSession` of one client, which ends with it: a session that is not invalidated keeps its delegate forever.
final class HTTPSession: Sendable {
  let exchanges: HTTPExchanges
  private let session: URLSession

  init(_ configuration: URLSessionConfiguration, of server: String) {
    exchanges = HTTPExchanges(of: server)
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: exchanges.queue)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// - Throws: as `HTTPExchanges`.
  func answer(to request: URLRequest, within seconds: Double) async throws -> (Data, URLResponse) {
    try await exchanges.answer(to: request, by: session, within: seconds)
  }
}

/// Requests by `URLSession` whose answers are limited: in time, however slowly a server sends, and in size, also after
/// decompression. Redirects are not followed.
final class HTTPExchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// Far more than a page of a catalogue has.
  static let greatestAnswerBytes = 16 << 20

  private struct Exchange {
    var body = Data()
    let continuation: CheckedContinuation<(Data, URLResponse), any Error>
  }

  /// Receives the session's events one after the other; tasks are cancelled here, too.
  let queue = OperationQueue()
  /// Its name in errors.
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
      return exchanges[dataTask.taskIdentifier].map { $0.body.count > Self.greatestAnswerBytes } ?? false
    }
    guard isTooLarge else { return }
    end(dataTask, .failure(StoreError.noAnswer("the server's answer is larger than \(Self.greatestAnswerBytes >> 20) MiB", of: server)))
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
  /// the request; so the server's 401 is the answer. On Linux the task would otherwise wait until its time-out.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if !canImport(FoundationNetworking)
      if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
        return completionHandler(.performDefaultHandling, nil)
      }
    #endif
    // On Linux, a task with a refused challenge ends as a cancelled one.
    if let response = challenge.failureResponse { end(task, .success(response)) }
    completionHandler(.rejectProtectionSpace, nil)
  }

  /// Runs on the queue, and waits until the cancellation is done. On Linux, a task that is cancelled while its answer ends
  /// would trap. The end, which removes the task from the session's list, must wait behind this call; reading the priority
  /// waits for the cancellation.
  private static func cancel(_ task: URLSessionTask) {
    task.cancel()
    #if canImport(FoundationNetworking)
      _ = task.priority
    #endif
  }

  /// Ends each task once; later events are ignored.
  private func end(_ task: URLSessionTask, _ result: Result<URLResponse, any Error>) {
    guard let exchange = lock.withLock({ exchanges.removeValue(forKey: task.taskIdentifier) }) else { return }
    exchange.continuation.resume(with: result.map { (exchange.body, $0) })
    if case .failure = result { queue.addOperation { Self.cancel(task) } }
  }
}
