import Foundation
import Holdfast

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A `URLSession` of one client, which ends with it: one that nobody ends keeps its delegate for ever.
final class HTTPSession: Sendable {
  let exchanges = HTTPExchanges()
  private let session: URLSession

  init(_ configuration: URLSessionConfiguration) {
    session = URLSession(configuration: configuration, delegate: exchanges, delegateQueue: exchanges.queue)
  }

  deinit { session.finishTasksAndInvalidate() }

  /// - Throws: as `HTTPExchanges`.
  func answer(to request: URLRequest, within seconds: Double) async throws -> (Data, URLResponse) {
    try await exchanges.answer(to: request, by: session, within: seconds)
  }
}

/// Requests by `URLSession` whose answers end: after a time, however slowly a server goes on, and before they are too large, however much
/// comes out of what was compressed. Redirects are not followed.
final class HTTPExchanges: NSObject, URLSessionDataDelegate, @unchecked Sendable {
  /// A page of a catalogue is far below.
  static let greatestAnswerBytes = 16 << 20

  private struct Exchange {
    var body = Data()
    let continuation: CheckedContinuation<(Data, URLResponse), any Error>
  }

  /// What the session tells comes here, one thing after the other; tasks are cancelled here, too.
  let queue = OperationQueue()
  // Guarded by `lock`. By the identifier of the task.
  private var exchanges: [Int: Exchange] = [:]
  private let lock = NSLock()

  override init() {
    queue.maxConcurrentOperationCount = 1
    super.init()
  }

  /// - Throws: `URLError`, `timedOut` when the answer was not there whole in time; `.inputOutput` for one that is too large.
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
        // It may have been cancelled before there was anything to end.
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
    end(dataTask, .failure(StoreError(.inputOutput, "the server's answer is larger than \(Self.greatestAnswerBytes >> 20) MiB")))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    if let error { return end(task, .failure(error)) }
    end(task, task.response.map(Result.success) ?? .failure(URLError(.badServerResponse)))
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
    completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }

  /// Who a server is the platform tells. Nobody here has another answer to any other challenge than the key that went with the request: it
  /// is refused, so that the server's 401 is the answer. On Linux the task would wait until its time is over.
  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if !canImport(FoundationNetworking)
      if challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust {
        return completionHandler(.performDefaultHandling, nil)
      }
    #endif
    // There a task whose challenge is refused ends as one that was cancelled.
    if let response = challenge.failureResponse { end(task, .success(response)) }
    completionHandler(.rejectProtectionSpace, nil)
  }

  /// On the queue, and not done before the task has ended. On Linux one that is cancelled while its answer ends would trap: the end, which
  /// takes it out of the session's list, has to wait behind this, and what cancelling still has to do comes before the priority is read.
  private static func cancel(_ task: URLSessionTask) {
    task.cancel()
    #if canImport(FoundationNetworking)
      _ = task.priority
    #endif
  }

  /// Once for each task: what comes later is not told to anybody.
  private func end(_ task: URLSessionTask, _ result: Result<URLResponse, any Error>) {
    guard let exchange = lock.withLock({ exchanges.removeValue(forKey: task.taskIdentifier) }) else { return }
    exchange.continuation.resume(with: result.map { (exchange.body, $0) })
    if case .failure = result { queue.addOperation { Self.cancel(task) } }
  }
}
