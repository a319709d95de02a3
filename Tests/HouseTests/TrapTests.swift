import Foundation
import Testing

/// What data can reach must not end the process, and what one part of the kit guards is done nowhere else.
@Suite struct TrapTests {
  @Test("no source forces what data could refuse")
  func nothingTraps() throws {
    let found = try House.sources().flatMap { file in
      file.places(of: "fatalError(", "preconditionFailure(", "precondition(", "try!", "as! ") + file.places(where: Self.unwraps)
        // Such a sequence asks twice, and traps when the second answer differs.
        + (House.has(".lazy", in: file.text) ? file.places { $0.contains(".lazy") && $0.contains("try?") } : [])
    }
    #expect(found == [])
  }

  @Test("the search for traps sees them, and nothing else")
  func trapsAreSeen() {
    let lines = [
      "let a = list.first!", "let b = c[1]!.d", "f()!",
      "if a != b { }", "if !a.isEmpty { }", "g(!a)", #"x = "stop!""#, "// a!",
    ]
    let file = SourceFile(path: "A.swift", text: lines.joined(separator: "\n"))
    #expect(file.places(where: Self.unwraps) == ["A.swift: let a = list.first!", "A.swift: let b = c[1]!.d", "A.swift: f()!"])
  }

  /// An exclamation mark behind a value.
  private static func unwraps(_ line: String) -> Bool {
    guard House.has("!", in: line) else { return false }
    let characters = Array(line)
    return characters.indices.dropFirst().contains { place in
      let before = characters[place - 1]
      let isNotEqual = place + 1 < characters.count && characters[place + 1] == "="
      return characters[place] == "!" && !isNotEqual
        && (before.isLetter || before.isNumber || before == ")" || before == "]" || before == "_")
    }
  }

  @Test("a file that steps statements by hand says why: what writes goes through GRDB, which tells observers")
  func steppedByHand() throws {
    #expect(House.unexplained("Stepped by hand", ["sqlite3_step("], in: try House.sources()) == [])
  }

  @Test("files are changed only by their owner, and connections are made only by theirs")
  func owners() throws {
    let changing = [
      "removeItem", "moveItem", "copyItem", "createDirectory", "createFile", "setAttributes", " rename(", " unlink(", " mkdir(", " rmdir(",
      "fsync(",
    ]
    let connecting = ["DatabaseQueue(", "DatabasePool(", "sqlite3_open", "RawConnection("]
    // The testing library damages files on purpose, and the command keeps none of a store's.
    let tools: Set<String> = ["HoldfastTesting", "HoldfastTool", "HoldfastCommand"]
    for file in try House.sources() where !tools.contains(file.target) {
      if !file.path.hasPrefix("Sources/Holdfast/Files/") { #expect(changing.flatMap { file.places(of: $0) } == [], "\(file.path)") }
      if !file.path.hasPrefix("Sources/Holdfast/Connections/") { #expect(connecting.flatMap { file.places(of: $0) } == [], "\(file.path)") }
    }
  }

  @Test("a file that reads or writes without SQLite says what it is that no connection has open; one file checkpoints")
  func withoutSQLite() throws {
    // Closing a descriptor of a database drops all locks that this process holds on it: `FileBytes` reads one through SQLite. The testing
    // library damages files on purpose, and `Files` has the openings of `DurableFile`, which do not wait at a pipe.
    let files = try House.sources().filter { $0.target != "HoldfastTesting" && !$0.path.hasPrefix("Sources/Holdfast/Files/") }
    let openings = ["FileHandle(forReading", "Data(contentsOf:", "String(contentsOf", "= open(", "fopen("]
    let lent = ["DurableFile.openToRead(", "DurableFile.handle(", "DurableFile.content("]
    let writing = ["FileHandle(forWriting", "FileHandle(forUpdating", ".write(to:", ".synchronize()"]
    #expect(House.unexplained("Opened without DurableFile", openings, in: files) == [])
    #expect(House.unexplained("Read without SQLite", lent, in: files) == [])
    #expect(House.unexplained("Written without SQLite", writing, in: files) == [])
    #expect(files.count { !$0.places(of: "sqlite3_wal_checkpoint").isEmpty } == 1)
  }

  @Test("dates and ids pass only through the two codecs, where no file says why it has another")
  func oneCodecEach() throws {
    let others = ["DateFormatter(", "UUID(uuidString:", "ISO8601FormatStyle"]
    #expect(House.unexplained("Another codec", others, in: try House.sources()) == [])
  }

  @Test("bytes are proved to be text by one initialiser: the standard library's is newer than the oldest systems of the package")
  func oneValidation() throws {
    let others = try House.sources().filter { !$0.path.hasSuffix("/String+ValidUTF8.swift") }
    #expect(others.flatMap { $0.places(of: "String(validating:", "init(validating:") } == [])
  }

  @Test("a command that people copy into a shell names a file by one word of the shell")
  func shellWords() throws {
    func places(_ lines: [String]) -> [String] {
      lines.filter { House.has("holdfast ", in: $0) && $0.contains(#/holdfast [a-z \-]*\\\([A-Za-z.]*(path|url)\)/#) }
    }
    #expect(try House.sources().flatMap { places($0.lines) } == [])
    #expect(places([#""holdfast snapshot list \(store.path)""#, #""holdfast check \(store.shellWord)""#]).count == 1)
  }

  @Test("a file that asks for a platform or a version says why; CryptoKit is the system's, where there is one")
  func platforms() throws {
    let questions = ["#if canImport(", "#if os(", "@available", "#available"]
    #expect(House.unexplained("Platform", questions, in: try House.sources(), besides: "#if canImport(CryptoKit)") == [])
  }

  @Test("the search for what is unexplained names code without a reason, and a reason without code")
  func unexplained() {
    let texts = ["// Why: it must.\nact()", "act()", "// Why: it must.\nrest()", "rest() // act()"]
    let files = texts.enumerated().map { SourceFile(path: "\($0.offset)", text: $0.element) }
    #expect(House.unexplained("Why", ["act("], in: files) == ["1", "2"])
  }

  @Test("no source file has more than 400 lines")
  func filesAreShort() throws {
    let paths = try House.texts().filter { $0.hasSuffix(".swift") }
    #expect(try paths.filter { try House.text($0).utf8.count { $0 == UInt8(ascii: "\n") } > 400 } == [])
  }

  @Test("the archive stays small: 2,550 lines that are neither blank nor only a comment; its reader in Python has 250 lines")
  func archiveIsSmall() throws {
    // With what it alone needs of the pages.
    let own = ["Archive/", "Pages/LogFollower.swift", "Pages/PageHashes.swift"].map { "Sources/Holdfast/\($0)" }
    let lines = try House.sources().filter { file in own.contains { file.path.hasPrefix($0) } }.flatMap(\.lines)
      .map { $0.trimmingCharacters(in: .whitespaces) }
    #expect((1...2_550).contains(lines.count { !$0.isEmpty && !$0.hasPrefix("//") }))
    #expect(try House.text("Examples/archive_reader.py").utf8.count { $0 == UInt8(ascii: "\n") } <= 250)
  }

  @Test("the client of a sync server in Python has at most 250 lines")
  func clientIsSmall() throws {
    #expect(try House.text("Examples/sync_client.py").utf8.count { $0 == UInt8(ascii: "\n") } <= 250)
  }

  @Test("no file names a folder of the machine that it was written on, or says that it is not finished")
  func nothingOfThisMachine() throws {
    // Built from parts, so that this file does not contain them.
    let unwanted =
      ["work", "farm", "root", "opt/swift"].map { "/" + $0 + "/" }
      + ["TO" + "DO", "FIX" + "ME", "X" + "XX", "not " + "implemented", "place" + "holder"]
    var found: [String] = []
    for path in try House.texts() {
      let text = try House.text(path)
      found += unwanted.filter { House.has($0, in: text) }.map { "\(path) contains \($0)" }
    }
    #expect(found == [])
  }
}
