internal import Foundation
internal import Synchronization

/// A process whose output is read line by line. Started without Foundation's `Process`: a signal that is ignored here stays ignored there.
final class Child: Sendable {
  private struct State {
    /// As `waitpid` tells it; nil while the process runs.
    var status: Int32?
  }

  private let id: pid_t
  private let input: FileHandle
  private let state = Mutex(State())

  /// - Parameters:
  ///   - errors: the file to whose end its standard error goes.
  ///   - onLine: called on a thread of its own, for each line of standard output, before the end of the process is told.
  init(
    _ program: String, _ arguments: [String], environment: [String: String] = [:], errors: URL,
    onLine: @escaping @Sendable (String) -> Void = { _ in }
  ) throws {
    let (orders, output) = (Pipe(), Pipe())
    for handle in [orders.fileHandleForReading, orders.fileHandleForWriting, output.fileHandleForReading, output.fileHandleForWriting] {
      _ = fcntl(handle.fileDescriptor, F_SETFD, FD_CLOEXEC)
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, orders.fileHandleForReading.fileDescriptor, 0)
    posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, 1)
    posix_spawn_file_actions_addopen(&actions, 2, errors.path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, program, &actions, nil, words, variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    (self.id, input) = (id, orders.fileHandleForWriting)
    try orders.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    Thread { [self] in follow(output.fileHandleForReading, onLine) }.start()
  }

  private func follow(_ output: FileHandle, _ onLine: (String) -> Void) {
    var rest = Data()
    while true {
      let more = output.availableData
      guard !more.isEmpty else { break }
      rest.append(more)
      while let end = rest.firstIndex(of: 0x0A) {
        onLine(String(decoding: rest[..<end], as: UTF8.self))
        rest = Data(rest[rest.index(after: end)...])
      }
    }
    var status: Int32 = 0
    waitpid(id, &status, 0)
    state.withLock { $0.status = status }
  }

  /// Nil while it runs; "exited with 0", "ended by signal 9".
  var end: String? {
    state.withLock { $0.status }.map { $0 & 0x7F == 0 ? "exited with \($0 >> 8 & 0xFF)" : "ended by signal \($0 & 0x7F)" }
  }

  /// How it ended; nil where it still runs after this time.
  func waitForEnd(seconds: Double = 30) -> String? {
    wait(seconds: seconds) { end != nil }
    return end
  }

  func signal(_ number: Int32) {
    state.withLock { state in
      if state.status == nil { kill(id, number) }
    }
  }

  func order(_ line: String) {
    // A process that is gone is noticed by its end.
    try? input.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Lets no file grow beyond this size, until it is nil: a write behind it fails with EFBIG, also of a process that runs already.
  func limitFiles(to bytes: Int?, errors: URL) throws {
    let limit = bytes.map(String.init) ?? "unlimited"
    let tool = try Child("/usr/bin/prlimit", ["--pid", "\(id)", "--fsize=\(limit):"], errors: errors)
    _ = tool.waitForEnd()
  }
}

/// Returns whether the condition held within the time.
@discardableResult
func wait(seconds: Double, for condition: () -> Bool) -> Bool {
  let deadline = Clock.nanoseconds + UInt64(seconds * 1e9)
  while !condition() {
    guard Clock.nanoseconds < deadline else { return false }
    usleep(2_000)
  }
  return true
}
