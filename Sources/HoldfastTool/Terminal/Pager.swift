import Foundation

/// The program that shows texts longer than the screen.
enum Pager {
  /// As the person chose it in PAGER, which may be empty for none. Default: `less`, on a machine that has it.
  static func command(_ environment: [String: String]) -> String? {
    if let chosen = environment["PAGER"] { return chosen.allSatisfy(\.isWhitespace) ? nil : chosen }
    let folders = (environment["PATH"] ?? "").split(separator: ":")
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/less") } ? "less" : nil
  }

  /// The lines that a terminal of this width makes of a text. The marks of `Ink` take no room.
  static func lines(of text: String, width: Int) -> Int {
    let lines = Ink.painted(text, isColoured: false).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.dropLast(text.hasSuffix("\n") ? 1 : 0).reduce(0) { count, line in
      count + max(1, (DisplayText.columns(String(line)) + width - 1) / max(1, width))
    }
  }

  /// Shows a text, and waits until the person has left the program. Returns false where it cannot be started.
  static func show(_ text: String, with command: String) -> Bool {
    // Not Foundation's Process: it starts a program in a process group of its own. Such a program is stopped as soon as it reads the terminal.
    // Without a LESS of the person, colours are shown as such, and the text stays on the screen.
    guard let pipe = popen("export LESS=\"${LESS-FRX}\"; \(command)", "w") else { return false }
    // A person may leave the program before all is read.
    signal(SIGPIPE, SIG_IGN)
    // Ctrl-C in the program is meant for the program. Only now: it would ignore Ctrl-C, too, if it were ignored when the program starts.
    let former = signal(SIGINT, SIG_IGN)
    defer { signal(SIGINT, former) }
    let bytes = Array(text.utf8)
    _ = fwrite(bytes, 1, bytes.count, pipe)
    // The shell's numbers for a program that it may not run, and for one that it did not find.
    return ![126, 127].contains(pclose(pipe) >> 8)
  }
}
