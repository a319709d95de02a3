package import ArgumentParser
import Foundation
package import Holdfast
package import HoldfastTransfer

/// One command: does its work through a library's verbs, and returns the result.
package protocol Subcommand: ParsableCommand {
  var output: OutputOptions { get }

  /// Runs to its end on the calling thread.
  func perform(_ console: Console) throws -> Answer
}

package struct Answer {
  /// For programs: the members of the document beside `ok` and `schema`.
  var document: [String: JSONValue]
  /// For people: data, on standard output; the text, and then what a library shows.
  var text = ""
  var blocks: [ShownBlock] = []
  /// For people: remarks, on standard error.
  var notes: [String] = []
  /// The work is done, and problems were found: exit code 2.
  var foundProblems = false
  /// The command has written its output itself, row by row.
  var isWritten = false

  package init(
    document: [String: JSONValue], text: String = "", blocks: [ShownBlock] = [], notes: [String] = [], foundProblems: Bool = false
  ) {
    (self.document, self.text, self.blocks, self.notes) = (document, text, blocks, notes)
    self.foundProblems = foundProblems
  }

  init(_ shown: Shown) { self.init(document: shown.members, blocks: shown.blocks) }

  /// This answer with the store's path in its document.
  func about(_ store: FilePath) -> Answer {
    var answer = self
    answer.document["store"] = .string(store.path)
    return answer
  }
}

package struct OutputOptions: ParsableArguments {
  @Flag(help: "Print one JSON document instead of text, also for errors.")
  package var json = false

  package init() {}
}

/// A command on one library in a store.
protocol LibraryCommand: Subcommand {
  var options: LibraryOptions { get }
}

extension LibraryCommand {
  var library: LibraryOption { options.library }
  var lock: LockOptions { options.lock }
  var output: OutputOptions { options.output }
}

struct LibraryOptions: ParsableArguments {
  @OptionGroup var library: LibraryOption
  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions
}

struct LockOptions: ParsableArguments {
  @Option(help: ArgumentHelp("How long to wait for another process's lock; 0 fails at once.", valueName: "seconds"))
  var timeout: Double = 5

  func validate() throws {
    guard timeout >= 0, timeout <= 86_400 else { throw ValidationError("--timeout is a number of seconds from 0 to 86400.") }
    _ = try CommandKey.present.get()
  }

  /// Of a command without these options.
  static var defaults: StoreOptions {
    var options = StoreOptions.production
    options.key = try? CommandKey.present.get()
    return options
  }

  /// Every command that opens a store for writing uses these, so each tells at closing when the archive could not be written.
  var storeOptions: StoreOptions {
    var options = Self.defaults
    options.busyTimeout = .milliseconds(Int64(timeout * 1000))
    // A command does what it is told, and nothing else.
    options.retention.isAutomatic = false
    options.looksForDamageEvery = nil
    options.onArchiveProblem = { store, problem in Console().note(ArchiveCommand.warning(store, problem)) }
    return options
  }
}

/// A path as typed, made absolute. In a text for people, write the value itself: `description` is safe to print, on one line.
struct FilePath: ExpressibleByArgument, CustomStringConvertible {
  let url: URL
  /// Whether it is `-`: standard input, or standard output.
  let isStandard: Bool

  init?(argument: String) {
    isStandard = argument == "-"
    guard !argument.isEmpty else { return nil }
    // Only the shell expands a tilde.
    let given = argument.hasPrefix("~") ? "./" + argument : argument
    // After a symbolic link, ".." is the parent of the link's target: the system resolves it.
    if let slash = given.lastIndex(of: "/"), given[..<slash].contains(".."), let folder = realpath(String(given[..<slash]), nil) {
      defer { free(folder) }
      // Nil if the path is not UTF-8: no URL can hold it.
      guard let path = String(validatingCString: folder) else { return nil }
      url = URL(fileURLWithPath: path + given[slash...]).standardizedFileURL
    } else {
      url = URL(fileURLWithPath: given).standardizedFileURL
    }
  }

  var path: String { url.path }
  var description: String { DisplayText.printable(path) }

  var shellWord: String { path.shellWord }

  /// Whether the path is a folder, also through a link.
  var isFolder: Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
  }

  /// Whether both name the same file, also through links.
  func isSame(as other: FilePath) -> Bool {
    var mine = stat()
    var theirs = stat()
    if stat(path, &mine) == 0, stat(other.path, &theirs) == 0 { return mine.st_dev == theirs.st_dev && mine.st_ino == theirs.st_ino }
    return path == other.path
  }
}

extension String {
  /// The text as one word of a command that a person copies into a shell: in quotes where it needs them. What is not safe to print becomes an
  /// escape, as bash and zsh read it.
  var shellWord: String {
    if allSatisfy({ $0.isLetter || $0.isNumber || "_./-:@%+=,".contains($0) }) { return self }
    guard unicodeScalars.contains(where: DisplayText.isUnsafe) else {
      return "'\(replacingOccurrences(of: "'", with: #"'\''"#, options: .literal))'"
    }
    let escaped = unicodeScalars.map { scalar -> String in
      switch scalar {
      case "\n": #"\n"#
      case "'", "\\": "\\\(scalar)"
      default: DisplayText.isUnsafe(scalar) ? String(scalar).utf8.map { String(format: #"\x%02x"#, Int32($0)) }.joined() : String(scalar)
      }
    }
    return "$'\(escaped.joined())'"
  }
}
