import CLimit
import Foundation

/// A second process that copies a store's log in the way of Litestream; see `clogcopy.h`. It ends with this value.
final class LogCopier {
  struct Copied {
    var bytes: Int
    /// Copied commits, those of the copier included.
    var commits: Int
    /// Commits that the copier made itself.
    var own: Int
  }

  /// What the process was started with when it is such a child.
  static let childFlag = "--copy-log-of"
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()

  /// Returns when the copier holds its read transaction.
  init(of database: String, into copy: String, everyMilliseconds: Int) throws {
    process.executableURL = Bundle.main.executableURL
    process.arguments = [Self.childFlag, database, copy, "\(everyMilliseconds)"]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    guard output.fileHandleForReading.readData(ofLength: 6) == Data("ready\n".utf8) else { throw Failure("the copier did not begin") }
  }

  /// Lets it copy what is left, and waits for its end.
  func stop() throws -> Copied {
    try input.fileHandleForWriting.close()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
    guard process.terminationStatus == 0, numbers.count == 3 else { throw Failure("the copier failed: \(text)") }
    return Copied(bytes: numbers[0], commits: numbers[1], own: numbers[2])
  }

  /// The child's side.
  static func runChild(_ arguments: [String]) throws {
    guard arguments.count == 3, let milliseconds = Int32(arguments[2]) else { throw Failure("bad child arguments") }
    var result = clogcopy_result()
    let code = clogcopy_run(arguments[0], arguments[1], milliseconds, STDOUT_FILENO, STDIN_FILENO, &result)
    guard code == 0 else { throw Failure("copying the log failed with code \(code)") }
    print(result.bytes, result.commits, result.own)
  }
}
