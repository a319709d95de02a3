internal import Foundation
internal import Synchronization

/// A process whose output is read line by line. Started without Foundation's `Process`: a signal that is ignored here stays ignored there.
final class Child: Sendable {
  private struct State {
    var id: pid_t = 0
    /// As `waitpid` tells it; nil while the process runs.
    var status: Int32?
  }

  /// Those that run now. Nil when no more may be started.
  private static let running = Mutex<[pid_t: Child]?>([:])

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
    // The threads of the runtime block all signals.
    var (attributes, none) = (posix_spawnattr_t(), sigset_t())
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let all = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    input = orders.fileHandleForWriting
    // It is among those that run before anybody can end them all.
    let code = Self.running.withLock { running in
      guard running != nil else { return ECANCELED }
      var id: pid_t = 0
      let code = posix_spawn(&id, program, &actions, &attributes, words, variables)
      guard code == 0 else { return code }
      state.withLock { $0.id = id }
      running?[id] = self
      return code
    }
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    try orders.fileHandleForReading.close()
    try output.fileHandleForWriting.close()
    Thread { [self] in follow(output.fileHandleForReading, onLine) }.start()
  }

  /// Runs a program to its end; returns the lines that it prints.
  ///
  /// - Throws: `ServerProgram.Failure` where it does not exit with one of the codes within five minutes.
  static func output(_ program: String, _ arguments: [String], exits codes: Set<Int> = [0], errors: URL) throws -> [String] {
    let lines = Mutex<[String]>([])
    let child = try Child(program, arguments, errors: errors) { line in lines.withLock { $0.append(line) } }
    let end = child.waitForEnd(seconds: 300)
    if end == nil { child.signal(SIGKILL) }
    guard codes.contains(where: { end == "exited with \($0)" }) else {
      throw ServerProgram.Failure("\(program) \(arguments.joined(separator: " ")): \(end ?? "no end") \(lines.withLock { $0 })")
    }
    return lines.withLock { $0 }
  }

  private var id: pid_t { state.withLock { $0.id } }

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
    let id = id
    waitpid(id, &status, 0)
    state.withLock { $0.status = status }
    Self.running.withLock { $0?[id] = nil }
  }

  /// Ends all that run, at last by killing them, and lets none be started any more.
  static func killAll() {
    let all = running.withLock { running in
      defer { running = nil }
      return running ?? [:]
    }
    for child in all.values { child.signal(SIGINT) }
    wait(seconds: 2) { all.values.allSatisfy { $0.end != nil } }
    for child in all.values { child.killFamily() }
    wait(seconds: 5) { all.values.allSatisfy { $0.end != nil } }
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
      if state.status == nil { kill(state.id, number) }
    }
  }

  /// The process and its children: a PostgreSQL server has one for each connection.
  private var family: [pid_t] {
    let id = id
    let children = (try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)) ?? ""
    return state.withLock { $0.status == nil } ? [id] + children.split(separator: " ").compactMap { pid_t($0) } : []
  }

  /// Kills it and its children, as if their machine had gone: none does anything when another is gone.
  func killFamily() {
    signal(SIGSTOP)
    for process in family.reversed() { kill(process, SIGKILL) }
  }

  /// Lets its files, and those of its children, grow as `limitFiles(to:errors:)` says.
  func limitFamilysFiles(to bytes: Int?, errors: URL) throws {
    // The children last: one that begins meanwhile has the new limit.
    try limitFiles(to: bytes, errors: errors)
    let tools = try family.dropFirst().map { try Child.limit($0, to: bytes, errors: errors) }
    for tool in tools { _ = tool.waitForEnd() }
  }

  func order(_ line: String) {
    // A process that is gone is noticed by its end.
    try? input.write(contentsOf: Data((line + "\n").utf8))
  }

  /// Lets no file grow beyond this size, until it is nil: a write behind it fails with EFBIG, also of a process that runs already.
  func limitFiles(to bytes: Int?, errors: URL) throws {
    _ = try Self.limit(id, to: bytes, errors: errors).waitForEnd()
  }

  private static func limit(_ process: pid_t, to bytes: Int?, errors: URL) throws -> Child {
    try Child(Programs.path(of: "prlimit"), ["--pid", "\(process)", "--fsize=\(bytes.map(String.init) ?? "unlimited"):"], errors: errors)
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
