import Foundation
import Holdfast

/// Standard output for data, standard error for everything else.
///
/// Writes are unbuffered. A reader that has gone away (`holdfast list … | head`) ends the output, not the command.
package struct Console: Sendable {
  let outputIsTerminal = isatty(STDOUT_FILENO) == 1
  let errorIsTerminal = isatty(STDERR_FILENO) == 1

  var canAsk: Bool { errorIsTerminal && isatty(STDIN_FILENO) == 1 }

  /// Columns of the terminal that shows the data; nil when it is no terminal.
  var outputWidth: Int? { outputIsTerminal ? Self.width(of: STDOUT_FILENO) : nil }
  var chartStyle: BarChart.Style {
    BarChart.Style(width: outputWidth, hasBlocks: Self.showsUnicode(ProcessInfo.processInfo.environment))
  }
  var errorWidth: Int { Self.width(of: STDERR_FILENO) ?? 80 }

  /// Data for people. Nothing in it reaches the terminal as a control sequence, whatever a store or a file's name holds.
  ///
  /// - Throws: `.diskFull` and `.inputOutput` when it cannot be written.
  package func write(_ text: String) throws { try writeLines(painted(text)) }

  /// The same for the answer of a command. On a terminal a text that is longer than the screen is shown by the person's pager.
  ///
  /// - Throws: as the other form.
  func show(_ text: String) throws {
    let environment = ProcessInfo.processInfo.environment
    let shown = painted(text)
    if let size = outputIsTerminal ? Self.size(of: STDOUT_FILENO) : nil, let pager = Pager.command(environment),
      Pager.lines(of: text, width: size.columns) >= size.lines, Pager.show(shown, with: pager)
    {
      return
    }
    try writeLines(shown)
  }

  private func painted(_ text: String) -> String {
    let environment = ProcessInfo.processInfo.environment
    return Ink.painted(DisplayText.printableLines(text), isColoured: outputIsTerminal && Ink.isWanted(environment))
  }

  /// Data for programs.
  ///
  /// - Throws: as the other form.
  func write(_ document: Document) throws { try writeLines(document.text) }

  /// Ends with a line break in any case.
  private func writeLines(_ text: String) throws {
    guard !text.isEmpty else { return }
    _ = try send(Array((text.hasSuffix("\n") ? text : text + "\n").utf8))
  }

  /// Data for programs that come in pieces of whole lines. Ends quietly when their reader has gone away. A terminal gets them printable.
  ///
  /// - Throws: as the other forms; the errors of `body`, as `Unfinished` behind the first piece.
  func stream(_ body: (_ send: ([UInt8]) throws -> Void) throws -> Void) throws {
    var hasBegun = false
    do {
      try body { piece in
        let shown =
          outputIsTerminal
          ? Array(DisplayText.printableLines(String(decoding: piece, as: UTF8.self), breaks: ["\n", "\r", "\t"]).utf8) : piece
        guard try send(shown) else { throw ReaderGone() }
        hasBegun = true
      }
    } catch is ReaderGone {
      return
    } catch {
      throw hasBegun ? Unfinished(error: error) : error
    }
  }

  func write(contentsOf file: FilePath) throws {
    // Opened without DurableFile: a temporary file, on its way to standard output.
    let handle = try FileHandle(forReadingFrom: file.url)
    defer { try? handle.close() }
    while let piece = try handle.read(upToCount: 1 << 20), !piece.isEmpty {
      guard try send(Array(piece)) else { return }
    }
  }

  /// False when the reader has gone away.
  private func send(_ bytes: [UInt8]) throws -> Bool {
    let code = Self.write(bytes, to: STDOUT_FILENO)
    guard code != 0, code != EPIPE else { return code == 0 }
    throw StoreError(
      code == ENOSPC ? .diskFull : .inputOutput, "the output could not be written: \(String(cString: strerror(code)))",
      suggestion: "Send the output to another place. The store keeps the changes that the command made.")
  }

  /// A remark, as a line. Printable as data for people are.
  ///
  /// - Parameter hasInk: see `DisplayText.printableLines`. Default false: names of files, and errors about records, come as they are.
  func note(_ text: String, hasInk: Bool = false) {
    let lines = DisplayText.printableLines(text.hasSuffix("\n") ? text : text + "\n", hasInk: hasInk)
    let isColoured = errorIsTerminal && Ink.isWanted(ProcessInfo.processInfo.environment)
    prompt(Ink.painted(Ink.problem(lines), isColoured: isColoured))
  }

  /// A text of the command itself, without a line break: it may move the cursor. A failed write is ignored: there is no other way to report it.
  func prompt(_ text: String) { _ = Self.write(Array(text.utf8), to: STDERR_FILENO) }

  /// Whether the locale is one of UTF-8. The first of the three that is set decides, as for every program.
  static func showsUnicode(_ environment: [String: String]) -> Bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
    return locale.lowercased().replacingOccurrences(of: "-", with: "").contains("utf8")
  }

  private static func write(_ all: [UInt8], to descriptor: Int32) -> Int32 {
    var bytes = all[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0 {
        if errno == EINTR || errno == EAGAIN { continue }
        return errno
      }
      bytes = bytes.dropFirst(count)
    }
    return 0
  }

  private static func width(of descriptor: Int32) -> Int? { size(of: descriptor)?.columns }

  /// Of a terminal that tells its size.
  private static func size(of descriptor: Int32) -> (columns: Int, lines: Int)? {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return (Int(size.ws_col), size.ws_row > 0 ? Int(size.ws_row) : .max)
  }
}

/// The output has begun, so a document that tells the error would only spoil it: the error goes to standard error.
struct Unfinished: Error {
  let error: any Error
}

private struct ReaderGone: Error {}
