internal import ArgumentParser
internal import Foundation
internal import Hummingbird

/// `sync-bench serve`: the server that `load` measures, in a process of its own. Prints its port.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Serves a store without a limit of requests, for `load`.", shouldDisplay: false)

  @Argument var store: String

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    try raiseFileLimit()
    let folder = URL(fileURLWithPath: store).deletingLastPathComponent()
    let application = try await BenchServer.application(of: BenchServer.open(store), in: folder) { port in
      print(port)
      fflush(nil)
    }
    try await application.runService()
  }
}

/// A process of this program.
struct OwnProcess {
  private let process = Process()
  private let output = Pipe()

  var id: Int32 { process.processIdentifier }

  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    process.executableURL = URL(fileURLWithPath: Bundle.main.executablePath ?? CommandLine.arguments[0])
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    try process.run()
  }

  /// Waits for the first line that it prints.
  func line() throws -> String {
    var bytes = Data()
    while !bytes.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { throw Failure("\(process.arguments?.first ?? ""): ended early") }
      bytes += more
    }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }

  func end() {
    process.terminate()
    process.waitUntilExit()
  }
}

/// What Linux tells of processes; zeros elsewhere.
enum ProcessFigures {
  /// Seconds of the processor, with those of its ended children.
  static func seconds(of id: Int32) -> Double {
    Double(fields(id).dropFirst(11).prefix(4).compactMap { Int($0) }.reduce(0, +)) / Double(sysconf(Int32(_SC_CLK_TCK)))
  }

  /// The same, with the children that run.
  static func secondsWithChildren(of id: Int32) -> Double {
    let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { Int32($0) }) ?? []
    return all.filter { $0 == id || fields($0).dropFirst().first == "\(id)" }.map(seconds).reduce(0, +)
  }

  /// In MB. `VmRSS` is the present one, `VmHWM` the highest.
  static func memory(of id: Int32, _ kind: String = "VmRSS") -> Double {
    let lines = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8))?.split(separator: "\n") ?? []
    let line = lines.first { $0.hasPrefix(kind + ":") }?.split(whereSeparator: \.isWhitespace)
    return (line?.dropFirst().first.flatMap { Double($0) } ?? 0) / 1_024
  }

  /// From the state on.
  private static func fields(_ id: Int32) -> [Substring] {
    guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8), let name = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: name)...].split(separator: " ")
  }
}

/// Raises the number of files that this process may open to the highest it can; returns it.
@discardableResult
func raiseFileLimit() throws -> Int {
  var limit = rlimit()
  #if canImport(Glibc)
    let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
  #else
    let kind = RLIMIT_NOFILE
  #endif
  guard getrlimit(kind, &limit) == 0 else { throw Failure("the limit of open files cannot be read") }
  limit.rlim_cur = limit.rlim_max
  _ = setrlimit(kind, &limit)
  return Int(clamping: limit.rlim_cur)
}
