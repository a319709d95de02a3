import CLimit
import Foundation

/// Where and when a report was made: figures of two machines are not comparable, ratios nearly are.
struct Machine {
  static var lines: [String] {
    let memory = Double(ProcessInfo.processInfo.physicalMemory) / 1_073_741_824
    return [
      "Date: \(ISO8601DateFormatter().string(from: Date()))",
      "Processor: \(processor), \(ProcessInfo.processInfo.activeProcessorCount) cores; memory \(String(format: "%.0f", memory)) GiB",
      "System: \(system); SQLite \(String(cString: climit_sqlite_version())); \(swift)",
      "Load average: \(loadAverage)",
    ]
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
  private static var swift: String {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["swift", "--version"]
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return "Swift unknown" }
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").first.map(String.init) ?? "Swift unknown"
  }
}
