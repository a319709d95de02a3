import Foundation

extension Store {
  /// What the store has done since it was opened. Reads nothing from the database, and waits for nothing; also answers after closing.
  ///
  /// Empty when `StoreOptions.metrics` is false.
  public func metrics() -> StoreMetrics {
    guard let recorder else { return StoreMetrics() }
    return Self.metrics(of: recorder, retries, files)
  }

  private static func metrics(of recorder: MetricsRecorder, _ retries: Retries, _ files: StoreFiles?) -> StoreMetrics {
    var metrics = recorder.metrics
    metrics.logBytes = files.map { DurableFile.size($0.log.path) } ?? 0
    metrics.retries = retries.count
    return metrics
  }

  /// The metrics now, and again after each `interval`. A slow consumer gets the newest.
  ///
  /// Does not keep the store open. Ends when the store is closed, and at the latest one `interval` after it was released; a last value
  /// comes then, which may lack calls that were running. Empty when `StoreOptions.metrics` is false.
  ///
  /// - Parameter interval: default 5 seconds; shorter than 10 milliseconds counts as 10 milliseconds.
  public func metricsUpdates(every interval: Duration = .seconds(5)) -> AsyncStream<StoreMetrics> {
    guard let recorder else { return AsyncStream { $0.finish() } }
    let isClosed = connections.isClosed
    return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { [weak self, retries, files] continuation in
      let task = Task { [weak self] in
        while !Task.isCancelled, self != nil {
          continuation.yield(Self.metrics(of: recorder, retries, files))
          try? await Task.sleep(for: max(.milliseconds(10), interval))
        }
        continuation.yield(Self.metrics(of: recorder, retries, files))
        continuation.finish()
      }
      // Only cancels the task: finishing the stream here would call `forget` while the flag is locked.
      let closing = isClosed.whenRaised { task.cancel() }
      continuation.onTermination = { _ in
        isClosed.forget(closing)
        task.cancel()
      }
    }
  }
}
