internal import Synchronization

/// What the server has done since its start, as Prometheus reads it.
package final class ServerMetrics: Sendable {
  private struct Request: Hashable {
    let route: String
    let status: Int
  }

  private struct State {
    var requests: [Request: Int] = [:]
    var rowsPushed = 0
    var rowsPulled = 0
    var received = 0
    var sent = 0
  }

  private let state = Mutex(State())

  package init() {}

  func count(_ route: String, _ status: Int, sent: Int) {
    state.withLock { state in
      state.requests[Request(route: route, status: status), default: 0] += 1
      state.sent += sent
    }
  }

  func received(_ bytes: Int) { state.withLock { $0.received += bytes } }

  func rows(pushed: Int) { state.withLock { $0.rowsPushed += pushed } }
  func rows(pulled: Int) { state.withLock { $0.rowsPulled += pulled } }

  /// The figures in Prometheus' text format.
  package func text(waiting: Int, epochsBegun: Int) -> String {
    let now = state.withLock { $0 }
    let requests = now.requests.sorted { ($0.key.route, $0.key.status) < ($1.key.route, $1.key.status) }.map {
      ("{route=\"\($0.key.route)\",status=\"\($0.key.status)\"}", $0.value)
    }
    return metric("requests_total", "counter", "Requests by route and status.", requests)
      + metric("rows_pushed_total", "counter", "Rows in pushes that were applied.", [("", now.rowsPushed)])
      + metric("rows_pulled_total", "counter", "Rows in pages.", [("", now.rowsPulled)])
      + metric("received_bytes_total", "counter", "Bytes of request bodies, as they came.", [("", now.received)])
      + metric("sent_bytes_total", "counter", "Bytes of response bodies, as they went.", [("", now.sent)])
      + metric("epochs_begun_total", "counter", "Epochs that began because another database had taken over.", [("", epochsBegun)])
      + metric("waiting_polls", "gauge", "Polls that wait for a push.", [("", waiting)])
  }

  private func metric(_ name: String, _ type: String, _ help: String, _ samples: [(labels: String, value: Int)]) -> String {
    let lines = ["# HELP holdfast_\(name) \(help)", "# TYPE holdfast_\(name) \(type)"]
    return (lines + samples.map { "holdfast_\(name)\($0.labels) \($0.value)" }).map { $0 + "\n" }.joined()
  }
}
