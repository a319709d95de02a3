import Foundation

/// The most memory one operation needed, measured in a process of its own.
struct PeakMemory {
  var operation: String
  var contestant: String
  var mebibytes: Double

  /// What the process was started with when it is such a child.
  static let childFlag = "--peak-memory-of"

  static func measure(_ operation: String, _ contestant: String, input: String, folder: String) throws -> PeakMemory {
    let process = Process()
    let output = Pipe()
    process.executableURL = Bundle.main.executableURL
    process.arguments = [childFlag, operation, contestant, input, folder]
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0, let kilobytes = Double(text.trimmingCharacters(in: .whitespacesAndNewlines)) else {
      throw Failure("no memory figure for \(operation) by \(contestant): \(text)")
    }
    return PeakMemory(operation: operation, contestant: contestant, mebibytes: kilobytes / 1024)
  }

  /// The child's side: does the operation once and prints its peak in kilobytes.
  static func runChild(_ arguments: [String]) throws {
    guard arguments.count == 4, let type = roster.first(where: { $0.name == arguments[1] }) else { throw Failure("bad child arguments") }
    let kept: any Loaded
    if arguments[0] == "import" {
      kept = try type.importLibrary(json: arguments[2], into: arguments[3])
    } else {
      let contestant = try type.init(folder: arguments[2], durability: .fast)
      kept = try contestant.loadLibrary()
      try contestant.close()
    }
    let peak = try ownPeak()
    withExtendedLifetime(kept) { print(peak) }
  }

  /// Not from `getrusage` on Linux, where its figure is inherited from the parent.
  private static func ownPeak() throws -> Int {
    #if !os(Linux)
      var usage = rusage()
      getrusage(RUSAGE_SELF, &usage)
      return usage.ru_maxrss / 1024
    #else
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
      guard let kilobytes = line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap({ Int($0) }) else {
        throw Failure("no VmHWM in /proc/self/status")
      }
      return kilobytes
    #endif
  }
}
