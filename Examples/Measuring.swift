import Holdfast

/// What the store has done, and what it does while the app runs.
func measuring(_ store: Store) async {
  // snippet: metrics
  let metrics = store.metrics()
  let saving = metrics.verbs["save(_:)"]
  print(saving?.writes ?? 0, saving?.latency.p99 ?? .zero, saving?.errors["constraint"] ?? 0)
  for statement in metrics.slowest { print(statement.sql, statement.plan, statement.advice ?? "") }
  for await metrics in store.metricsUpdates(every: .seconds(60)) { print(metrics.cacheHits, metrics.logBytes) }
  // end
}
