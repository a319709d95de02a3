import Foundation

/// The program that shows texts longer than the screen.
enum Pager {
  /// As the person chose it in PAGER, which may be empty for none. Default: `less`, on a machine that has it.
  static func command(_ environment: [String: String]) -> String? {
    if let chosen = environment["PAGER"] { return chosen.allSatisfy(\.isWhitespace) ? nil : chosen }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/less") } ? "less" : nil
  }

  /// The lines that a terminal of this width makes of a text.
  static func lines(of text: String, width: Int) -> Int {
    text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(text.hasSuffix("\n") ? 1 : 0).reduce(0) { count, line in
      count + max(1, (DisplayText.columns(String(line)) + width - 1) / max(1, width))
    }
  }

  /// Shows a text, and waits until the person has left the program. Returns false where it cannot be started.
  static func show(_ text: String, with command: String, _ environment: [String: String]) -> Bool {
    let process = Process()
    let input = Pipe()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    // Colours are shown as such, and the text stays on the screen.
    process.environment = ["LESS": "FRX"].merging(environment) { _, given in given }
    process.standardInput = input
    // A person may leave the program before all is read.
    signal(SIGPIPE, SIG_IGN)
    // Ctrl-C in the program is meant for the program.
    let former = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, former) }
    do { try process.run() } catch { return false }
    try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try? input.fileHandleForWriting.close()
    process.waitUntilExit()
    // The shell's number for a program that it did not find.
    return process.terminationStatus != 127
  }
}
