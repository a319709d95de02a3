internal import Foundation
internal import SyncHistory
internal import Synchronization

/// One device: its store, its way to the server, its process of now, and what all its processes told.
final class Station: Sendable {
  private struct State {
    var child: Child?
    /// Whether its process has opened the store.
    var isOpen = false
    var history: DeviceHistory
    /// How soon the process is killed when it begins to write what arrived; nil: it is not.
    var diesAfterMicroseconds: UInt32?
    /// The calls that told an acknowledgement: the last transaction, when they were called, and when that was told.
    var calls: [(number: Int, from: UInt64, to: UInt64)] = []
  }

  let number: Int
  let store: URL
  let proxy: Proxy
  private let errors: URL
  private let log: FileHandle
  private let token: String
  private let devices: Int
  private let state: Mutex<State>

  init(_ number: Int, of devices: Int, in folder: URL, token: String, _ proxy: Proxy) throws {
    (self.number, self.devices, self.token, self.proxy) = (number, devices, token, proxy)
    store = folder.appendingPathComponent("device-\(number).sqlite")
    errors = folder.appendingPathComponent("device-\(number).errors")
    let file = folder.appendingPathComponent("device-\(number).log")
    try Data().write(to: file)
    log = try FileHandle(forWritingTo: file)
    state = Mutex(State(history: DeviceHistory(of: number)))
  }

  var history: DeviceHistory { state.withLock { $0.history } }
  var child: Child? { state.withLock { $0.child } }

  /// The seconds until a new transaction was acknowledged to a call that began after this nanosecond; nil: none was.
  func recovery(since nanosecond: UInt64) -> Double? {
    state.withLock { state in
      let before = state.calls.last { $0.from <= nanosecond }?.number ?? 0
      return state.calls.first { $0.from > nanosecond && $0.number > before }.map { Double($0.to - nanosecond) / 1e9 }
    }
  }

  func start(seed: UInt64) throws {
    let arguments = [
      "device", "--number", "\(number)", "--devices", "\(devices)", "--store", store.path, "--port", "\(proxy.port)", "--seed", "\(seed)",
    ]
    state.withLock { $0.isOpen = false }
    let child = try Child(ownProgram, arguments, environment: ["HOLDFAST_SYNC_TOKEN": token], errors: errors) { [self] in note($0) }
    state.withLock { $0.child = child }
  }

  /// Whether its process, which was started last, has opened the store.
  var isOpen: Bool { state.withLock { $0.isOpen } }

  private func note(_ line: String) {
    try? log.write(contentsOf: Data((line + "\n").utf8))
    guard let event = DeviceEvent(line) else { return }
    let pause = state.withLock { state in
      state.history.add(event)
      if case .started = event { state.isOpen = true }
      if case .acknowledged(let number, let from) = event { state.calls.append((number, from, Clock.nanoseconds)) }
      return event == .applying ? state.diesAfterMicroseconds : nil
    }
    guard let pause else { return }
    usleep(pause)
    child?.signal(SIGKILL)
  }

  /// Lets the process die so soon after it has begun to write what arrives.
  func dieApplying(afterMicroseconds pause: UInt32) { state.withLock { $0.diesAfterMicroseconds = pause } }

  /// Returns how it ended, and whether this was within a transaction that writes what arrived.
  @discardableResult
  func kill() -> (end: String?, wasApplying: Bool) {
    child?.signal(SIGKILL)
    let end = child?.waitForEnd()
    return state.withLock { state in
      (state.diesAfterMicroseconds, state.child) = (nil, nil)
      return (end, state.history.isApplying)
    }
  }
}
