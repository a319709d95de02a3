import CLimit
import Foundation

/// Where and when a report was made: figures of two machines are not comparable, ratios nearly are.
struct Machine {
  static var lines: [String] {
    let memory = Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824
    let lines = [
      "Date: \(ISO8601DateFormatter().string(from: Date()))",
      "Processor: \(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores; memory \(String(format: "%.0f", memory)) GiB",
      "System: \(system); SQLite \(String(cString: climit_sqlite_version())); \(swift)",
      "Load average: \(loadAverage)",
    ]
    guard let commit = firstLine("git", "rev-parse", "--short", "HEAD") else { return lines }
    return lines + ["Commit: \(commit)"]
  }

  static var loadAverage: String {
    var values = [0.0, 0.0, 0.0]
    let count = getloadavg(&values, 3)
    return values.prefix(Int(max(0, count))).map { String(format: "%.2f", $0) }.joined(separator: " ")
  }

  private static var processor: String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":", maxSplits: 1).last.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
  }

  private static var system: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown" }
    func text<Characters>(_ characters: Characters) -> String {
      withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
  }

  /// The compiler on the path; the one that built this, unless somebody switched in between.
  private static var swift: String { firstLine("swift", "--version") ?? "Swift unknown" }

  /// The first line that a program writes; nil where there is no such program, or it fails.
  private static func firstLine(_ command: String...) -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return nil }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return process.terminationStatus == 0 ? text.split(separator: "\n").first.map(String.init) : nil
  }
}
