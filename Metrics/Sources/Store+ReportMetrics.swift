public import CoreMetrics
public import Holdfast

extension Store {
  /// Gives what `metricsUpdates(every:)` tells to swift-metrics, until the store is closed or released, or the task is cancelled. Does not
  /// keep the store open. What happened before the call is given, too; so call this once for a store.
  ///
  /// Every metric has the dimensions `db.system.name` = `sqlite` and `db.namespace` = `name`. Those of verbs have `db.operation.name`, the
  /// verb's name. The names are those of OpenTelemetry's conventions for database clients, where these have one:
  ///
  /// | metric | kind | |
  /// |---|---|---|
  /// | `db.client.operation.duration` | timer | the calls of a verb |
  /// | `holdfast.verb.lock_wait` | timer | how long its writes waited for the write lock |
  /// | `holdfast.verb.calls` | counter | its calls, with the dimension `holdfast.access`: `read` or `write` |
  /// | `holdfast.verb.errors` | counter | its calls that threw, with the dimension `error.type`: the error's code |
  /// | `holdfast.verb.rows_written` | counter | the rows that its writes changed |
  /// | `holdfast.observer_reads` | timer | the reads of live queries |
  /// | `db.client.connection.wait_time` | timer | how long reads waited for a connection |
  /// | `holdfast.checkpoints` | timer | the checkpoints |
  /// | `holdfast.cache.hits`, `holdfast.cache.misses` | counter | the pages found in a connection's cache, and those that were not |
  /// | `holdfast.retries` | counter | what the store has tried again |
  /// | `holdfast.log.size` | meter | the size in bytes of the log beside the file |
  ///
  /// A timer gets each time as the upper bound of its bucket, at most an eighth too long; see `StoreMetrics.Latency.buckets`. Nothing is
  /// given when `StoreOptions.metrics` is false.
  ///
  /// - Parameters:
  ///   - name: tells this store's metrics from those of others. It goes wherever the app's metrics go: give no path that names a user.
  ///   - interval: the time between two reports; default 5 seconds.
  ///   - factory: default the one that the app gave to `MetricsSystem.bootstrap`; call this function after it.
  @discardableResult
  public func reportMetrics(
    as name: String, every interval: Duration = .seconds(5), to factory: any MetricsFactory = MetricsSystem.factory
  ) -> Task<Void, Never> {
    let updates = metricsUpdates(every: interval)
    return Task {
      var report = MetricsReport(name: name, factory: factory)
      for await metrics in updates { report.give(metrics) }
    }
  }
}
