/// A line of a device's log. `line` and `init(_:)` are each other's inverse.
package enum DeviceEvent: Sendable, Hashable {
  /// The device has opened its store, whose counter is at this number.
  case started(Int)
  case committed(Int)
  /// The server has all transactions up to this one: `finish()`, which was called at this nanosecond of the system's clock, has returned.
  case acknowledged(Int, at: UInt64)
  /// A snapshot has shown these counters.
  case seen([Int])
  /// A snapshot has shown what cannot be.
  case violated(Violation.Kind, String)
  /// A transaction has begun that writes what the server sent; and it has come to its commit.
  case applying, applied
  /// A call failed: which, and the error's code.
  case failed(String)
  /// Nothing waits, after the order to settle with this number.
  case settled(Int)

  package var line: String {
    switch self {
    case .started(let number): "started \(number)"
    case .committed(let number): "committed \(number)"
    case .acknowledged(let number, let at): "acknowledged \(number) \(at)"
    case .seen(let counters): "seen" + counters.map { " \($0)" }.joined()
    case .violated(let kind, let text): "violated \(kind.rawValue): \(text)"
    case .applying: "applying"
    case .applied: "applied"
    case .failed(let text): "failed \(text)"
    case .settled(let turn): "settled \(turn)"
    }
  }

  /// Nil for a line that is none.
  package init?(_ line: String) {
    let parts = line.split(separator: " ", maxSplits: 1)
    let rest = parts.count == 2 ? String(parts[1]) : ""
    let numbers = rest.split(separator: " ").compactMap { Int($0) }
    switch (parts.first, numbers.count) {
    case ("started", 1): self = .started(numbers[0])
    case ("committed", 1): self = .committed(numbers[0])
    case ("acknowledged", 2): self = .acknowledged(numbers[0], at: UInt64(clamping: numbers[1]))
    case ("seen", _): self = .seen(numbers)
    case ("applying", _): self = .applying
    case ("applied", _): self = .applied
    case ("failed", _): self = .failed(rest)
    case ("settled", 1): self = .settled(numbers[0])
    case ("violated", _):
      guard let kind = Violation.Kind.allCases.first(where: { rest.hasPrefix($0.rawValue + ": ") }) else { return nil }
      self = .violated(kind, String(rest.dropFirst(kind.rawValue.utf8.count + 2)))
    default: return nil
    }
  }
}
