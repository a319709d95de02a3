import Foundation

/// A process of this program, started and awaited without Foundation's `Process`: hundreds are needed in a minute.
struct Subprocess {
  let id: pid_t

  enum End: Equatable {
    case exited(Int32)
    case signalled(Int32)
    case tookTooLong
  }

  init(
    _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil, output: Int32? = nil, program: String = Paths.program
  ) throws {
    var all = ProcessInfo.processInfo.environment
    // A backtrace takes seconds, and a trap is told by the signal.
    all["SWIFT_BACKTRACE"] = "enable=no"
    for (name, value) in environment { all[name] = value }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    if let input { posix_spawn_file_actions_adddup2(&actions, input, 0) }
    if let output { posix_spawn_file_actions_adddup2(&actions, output, 1) }
    posix_spawn_file_actions_addopen(&actions, 2, Paths.errors, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let words = ([program] + arguments).map { strdup($0) } + [nil]
    let variables = all.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for text in words + variables { free(text) } }
    var id: pid_t = 0
    let code = posix_spawn(&id, program, &actions, nil, words, variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    self.id = id
  }

  func signal(_ number: Int32) { kill(id, number) }

  /// Nil while it runs.
  func poll() -> End? {
    var status: Int32 = 0
    guard waitpid(id, &status, WNOHANG) == id else { return nil }
    return Self.end(status)
  }

  /// Killed when it takes longer.
  func wait(seconds: Double = 60) -> End {
    let deadline = Date().addingTimeInterval(seconds)
    var pause: UInt32 = 200
    while true {
      if let end = poll() { return end }
      if Date() > deadline {
        signal(SIGKILL)
        var status: Int32 = 0
        waitpid(id, &status, 0)
        return .tookTooLong
      }
      usleep(pause)
      pause = min(pause * 2, 2_000)
    }
  }

  private static func end(_ status: Int32) -> End {
    let signal = status & 0x7F
    return signal == 0 ? .exited((status >> 8) & 0xFF) : .signalled(signal)
  }
}

/// Where things are.
enum Paths {
  static let program: String = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  static let tool: String = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("holdfast").path
  static let shim: String = URL(fileURLWithPath: program).deletingLastPathComponent().appendingPathComponent("libTortureShim.so").path
  /// In memory: a flush costs nothing there, and the disk is spared. One run has one, removed at the end.
  static let scratch: String = {
    let base = ProcessInfo.processInfo.environment["TORTURE_SCRATCH"] ?? "/dev/shm"
    return "\(base)/holdfast-torture-\(getpid())"
  }()
  static let errors: String = ProcessInfo.processInfo.environment["TORTURE_ERRORS"] ?? "\(scratch)/errors"

  static func fresh(_ name: String) throws -> URL {
    let url = URL(fileURLWithPath: "\(scratch)/\(name)")
    try? FileManager.default.removeItem(at: url)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    return url
  }
}
