internal import Holdfast
internal import HoldfastHTTP

// When a round runs: at the beginning; after a commit that leaves something to send; when the server tells news; and every 30 seconds. After a
// failure only when the pause is over, or somebody asks. A push that the server refuses does not slow the pulls: but commits begin no round then.
extension SyncEngine {
  static let intervalSeconds = 30.0
  /// The shortest pause after a failure, and before the next question for news where the last brought none.
  private static let leastSeconds = 0.1
  private static let restSeconds = 1.0

  private enum Event {
    case time, news, noNews
    case ring(Bell.Ring?)
  }

  /// Runs rounds until its task is cancelled, the store is closed, or it is disconnected.
  func loop() async {
    var failures = 0
    var (cursor, waitsForNews) = (Int64(-1), false)
    while !Task.isCancelled {
      do {
        var isSending = true
        do {
          try await inTurn { [self] in try await round() }
        } catch let failure as Failure where failure.isOfPush {
          isSending = false
        }
        failures = 0
        let reached = try await self.cursor()
        // A server that tells news where there are none is not asked all the time.
        waitsForNews = waitsForNews && reached == cursor
        cursor = reached
        await listeners.tell()
        waitsForNews = await rest(Self.intervalSeconds, newsAfter: cursor, pausing: waitsForNews, heedsCommits: isSending)
      } catch {
        guard !Task.isCancelled, !(error is CancellationError) else { return }
        let failure = error as? Failure ?? Failure(error: StoreError(error))
        failures += 1
        await listeners.tell()
        if [.closed, .readOnly].contains(failure.error.code) { return listeners.end() }
        let pause = pauses.seconds(afterFailures: failures, least: Self.leastSeconds, retryAfterSeconds: failure.retryAfterSeconds)
        _ = await rest(pause, newsAfter: nil, heedsCommits: false)
      }
    }
  }

  /// Waits until the next round should run. Returns whether the server has told news.
  ///
  /// - Parameters:
  ///   - cursor: nil after a failure: news do not end the pause.
  ///   - pausing: whether to wait before the server is asked for news.
  ///   - heedsCommits: whether a commit that leaves something to send ends the pause.
  private func rest(_ seconds: Double, newsAfter cursor: Int64?, pausing: Bool = false, heedsCommits: Bool) async -> Bool {
    await withTaskGroup(of: Event.self) { [clock, bell, server] group in
      group.addTask {
        try? await clock.sleep(for: .seconds(seconds))
        return .time
      }
      group.addTask { .ring(await bell.heard()) }
      if let cursor {
        group.addTask {
          do {
            if pausing { try await clock.sleep(for: .seconds(Self.restSeconds)) }
            try await server.transport.wait(cursor)
            return .news
          } catch {
            // The next round tells whether the server is there.
            return .noNews
          }
        }
      }
      defer { group.cancelAll() }
      for await event in group {
        switch event {
        case .time, .ring(.now), .ring(nil): return false
        case .news: return true
        case .noNews: continue
        case .ring(.commit):
          if heedsCommits {
            // Where the store cannot be read, the round tells why.
            let hasUnsent = (try? await hasUnsent()) ?? true
            if hasUnsent {
              await listeners.tell()
              return false
            }
          } else {
            await listeners.tell()
          }
          group.addTask { .ring(await bell.heard()) }
        }
      }
      return false
    }
  }
}
