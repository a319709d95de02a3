import CLimit
import Foundation
import Holdfast
import HoldfastInference

/// Plain C on a file of the inference store.
final class CInference: CConnection {
  init(path: String) throws { try super.init(path, cinference_open) }

  func record(_ events: CEvents) throws -> Found {
    try check(cinference_record(pointer, events.values, events.values.count))
    return Found([Double(events.values.count)])
  }

  func statistics(byDay: Bool) throws -> Found { try find(byDay ? cinference_statistics_by_day : cinference_statistics) }
  func windows(byDay: Bool) throws -> Found { try find(byDay ? cinference_windows_by_day : cinference_windows) }

  private func find(_ work: (OpaquePointer, UnsafeMutablePointer<cinference_groups>) -> Int32) throws -> Found {
    var found = cinference_groups()
    try check(work(pointer, &found))
    defer { cinference_free(&found) }
    var numbers = [Double](repeating: 0, count: 12)
    for group in UnsafeBufferPointer(start: found.groups, count: found.count) {
      let of = [
        1, Double(group.count), Double(group.errors), Double(group.prompt_tokens), Double(group.completion_tokens), group.cost,
        group.mean_latency, group.p50, group.p95, group.p99, group.mean_first_token, group.mean_token_rate,
      ]
      numbers = zip(numbers, of).map { $0 + $1 }
    }
    return Found(numbers)
  }
}

/// Events as C values; owns the strings.
final class CEvents {
  private(set) var values: [cinference_event] = []
  private var owned: [UnsafeMutableRawPointer] = []

  init(_ events: [TelemetryEvent]) {
    values.reserveCapacity(events.count)
    for event in events {
      values.append(
        cinference_event(
          id: text(event.id), type: text(event.type.rawValue), name: text(event.name), properties: text(event.properties.text),
          session_id: text(event.sessionID), sdk_version: text(event.sdkVersion), occurred_at: event.occurredAt.milliseconds))
    }
  }

  deinit { for pointer in owned { free(pointer) } }

  private func text(_ string: String?) -> climit_text {
    guard let string, let copy = strdup(string) else { return climit_text(bytes: nil, count: 0) }
    owned.append(copy)
    return climit_text(bytes: copy, count: Int32(string.utf8.count))
  }
}
