import Foundation
import Testing

/// What data can reach must not end the process, and what one part of the kit guards is done nowhere else.
@Suite struct TrapTests {
  @Test("no source forces what data could refuse")
  func nothingTraps() throws {
    let found = try House.sources().flatMap { file in
      file.places(of: "fatalError(", "preconditionFailure(", "precondition(", "try!", "as! ") + file.places(where: Self.unwraps)
        // Such a sequence asks twice, and traps when the second answer differs.
        + file.places { $0.contains(".lazy") && $0.contains("try?") }
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
    guard line.contains("!") else { return false }
    let characters = Array(line)
    return characters.indices.dropFirst().contains { place in
      let before = characters[place - 1]
      let isNotEqual = place + 1 < characters.count && characters[place + 1] == "="
      return characters[place] == "!" && !isNotEqual
        && (before.isLetter || before.isNumber || before == ")" || before == "]" || before == "_")
    }
  }

  @Test("statements are stepped by hand only where they read; what writes goes through GRDB, which tells observers")
  func steppedOnlyInDoors() throws {
    let doors: Set<String> = [
      "Sources/Holdfast/Records/Reader.swift",
      // Query plans, for tests: nothing is read.
      "Sources/Holdfast/Records/Reader+Plan.swift", "Sources/Holdfast/Records/RecordProbe.swift",
      "Sources/Holdfast/Records/KindProbe.swift", "Sources/Holdfast/Records/RecordBench.swift",
      "Sources/Holdfast/Records/RowsInOrder.swift",
      // A private copy of another app's database, read-only.
      "Sources/HoldfastTransfer/Source/SQLiteSource.swift",
      // BEGIN, COMMIT and ROLLBACK: no table changes by them.
      "Sources/Holdfast/Connections/Connection.swift",
      // For tests: a file that no store has open.
      "Sources/HoldfastTesting/RawDatabase.swift",
      // Looks, copies and checks beside whoever has the file open; what it writes is a file that nobody watches.
      "Sources/Holdfast/Connections/RawConnection.swift",
      // Fills a new file that nobody has open.
      "Sources/Holdfast/Repair/SalvageInsert.swift",
    ]
    let files = try House.sources().filter { !$0.places(of: "sqlite3_step(").isEmpty }.map(\.path)
    #expect(Set(files) == doors)
  }

  @Test("files are changed only by their owner, and connections are made only by theirs")
  func owners() throws {
    let changing = [
      "removeItem", "moveItem", "copyItem", "createDirectory", "createFile", "setAttributes", " rename(", " unlink(", " mkdir(", " rmdir(",
      "fsync(",
    ]
    let connecting = ["DatabaseQueue(", "DatabasePool(", "sqlite3_open", "RawConnection("]
    // The testing library damages files on purpose, and the command and the fuzzer keep none of a store's.
    let tools: Set<String> = ["HoldfastTesting", "HoldfastCommand", "HoldfastFuzz", "ReadingListExample"]
    for file in try House.sources() where !tools.contains(file.target) {
      if !file.path.hasPrefix("Sources/Holdfast/Files/") { #expect(changing.flatMap { file.places(of: $0) } == [], "\(file.path)") }
      if !file.path.hasPrefix("Sources/Holdfast/Connections/") { #expect(connecting.flatMap { file.places(of: $0) } == [], "\(file.path)") }
    }
  }

  @Test("only the files listed here read or write a file without SQLite, or checkpoint: no connection has those files open")
  func withoutSQLite() throws {
    // Closing a descriptor of a database drops all locks that this process holds on it: `FileBytes` reads one through SQLite.
    let reading: Set<String> = [
      // New files, folders, and files to flush that no connection has open; of a store only its log.
      "Sources/Holdfast/Files/DurableFile.swift", "Sources/Holdfast/Files/DurableFile+Reading.swift",
      // Folders, to lock them.
      "Sources/Holdfast/Files/WorkingFolder.swift",
      // A store's log: SQLite puts its locks on the database and the index.
      "Sources/Holdfast/Pages/LogFile.swift",
      // The JSON of an intent, of snapshots and of their times.
      "Sources/Holdfast/GoingBack/Replacement.swift", "Sources/Holdfast/Copies/Snapshot.swift",
      "Sources/Holdfast/Copies/SnapshotStatus.swift",
      // The JSON of an archive's bases, and the time of its last drill.
      "Sources/Holdfast/Archive/ArchiveFolder.swift",
      // Segments of an archive, which are no databases, and requests for labels.
      "Sources/Holdfast/Archive/SegmentReader.swift", "Sources/Holdfast/Archive/Archiver+Labels.swift",
      // The JSON of an archive's clock.
      "Sources/Holdfast/Archive/TrustedTime.swift",
      // What is known about a store's soundness; in JSON.
      "Sources/Holdfast/Repair/StoreDamage.swift",
      // The reason in a quarantine folder.
      "Sources/Holdfast/Encryption/Store+Encrypt.swift", "Sources/Holdfast/Files/StoreFiles+Quarantine.swift",
      // A private copy of a damaged file.
      "Sources/Holdfast/Pages/DamagedFile.swift",
      // A temporary file, on its way to standard output.
      "Sources/HoldfastCommand/Terminal/Console.swift",
    ]
    let writing: Set<String> = [
      // New files, which it made itself.
      "Sources/Holdfast/Files/DurableFile.swift",
      // Segments of an archive.
      "Sources/Holdfast/Archive/SegmentWriter.swift",
      // A database that is being made page by page, under a working name.
      "Sources/Holdfast/Pages/PageFile.swift",
      // Pages of an open store that SQLite cannot write: `write` of a healing goes through its connection.
      "Sources/Holdfast/Repair/Store+Heal.swift",
      // The rows that a salvage sets aside, under a working name.
      "Sources/Holdfast/Repair/SetAsideRows.swift",
      // Pages to be decrypted, in a file without a name.
      "Sources/Holdfast/Encryption/PageCipher.swift",
      // An export, under a working name.
      "Sources/HoldfastTransfer/Export/ExportFile.swift",
      // The demo's damage.
      "Sources/HoldfastCommand/Demo/DemoDamage.swift",
      // Standard input, into a temporary file.
      "Sources/HoldfastCommand/Libraries/SourceFile.swift",
      // Rows: `write(to:)` of a `LogLine` and of totals runs SQL.
      "Sources/Holdfast/GoingBack/WayBack.swift", "Sources/Holdfast/Copies/Snapshot.swift", "Sources/Holdfast/Files/StoreIdentity.swift",
      "Sources/HoldfastInference/Verbs/Generations.swift",
    ]
    // The testing library and the fuzzer write sources and damage files on purpose.
    let files = try House.sources().filter { !["HoldfastTesting", "HoldfastFuzz", "ReadingListExample"].contains($0.target) }
    func paths(with words: String...) -> Set<String> {
      Set(files.filter { file in words.contains { !file.places(of: $0).isEmpty } }.map(\.path))
    }
    let openings = paths(with: "FileHandle(forReading", "Data(contentsOf:", "String(contentsOf", "= open(", "fopen(")
    #expect(openings.union(paths(with: "DurableFile.openToRead(", "DurableFile.handle(", "DurableFile.content(")) == reading)
    // All others use the openings of `DurableFile`, which do not wait at a pipe.
    #expect(
      openings == [
        "Sources/Holdfast/Files/DurableFile.swift", "Sources/Holdfast/Files/DurableFile+Reading.swift",
        "Sources/Holdfast/Files/WorkingFolder.swift", "Sources/Holdfast/Pages/DamagedFile.swift",
        "Sources/HoldfastCommand/Terminal/Console.swift",
      ])
    #expect(paths(with: "FileHandle(forWriting", "FileHandle(forUpdating", ".write(to:", ".synchronize()") == writing)
    // One door moves a store's log.
    #expect(paths(with: "sqlite3_wal_checkpoint") == ["Sources/Holdfast/Connections/CheckpointDoor.swift"])
  }

  @Test("dates and ids pass only through the two codecs")
  func oneCodecEach() throws {
    // Verification reads an unusual date a second time with a parser that shares nothing with the codec.
    let exceptions: Set<String> = [
      "Sources/HoldfastTransfer/Fields/SQLDateText.swift", "Sources/HoldfastTransfer/Fields/Written.swift",
    ]
    let found = try House.sources().filter { !$0.places(of: "DateFormatter(", "UUID(uuidString:", "ISO8601FormatStyle").isEmpty }
    #expect(Set(found.map(\.path)) == exceptions)
  }

  @Test("a command that people copy into a shell names a file by one word of the shell")
  func shellWords() throws {
    func places(_ lines: [String]) -> [String] {
      lines.filter { $0.contains("holdfast ") && $0.contains(#/holdfast [a-z \-]*\\\([A-Za-z.]*(path|url)\)/#) }
    }
    #expect(try House.sources().flatMap { places($0.lines) } == [])
    #expect(places([#""holdfast snapshot list \(store.path)""#, #""holdfast check \(store.shellWord)""#]).count == 1)
  }

  @Test("only the files listed here ask for a platform or a version")
  func platformFiles() throws {
    let listed: Set<String> = [
      "Sources/Holdfast/Observation/LiveValue.swift",
      "Sources/Holdfast/Store/StoreError+SQLite.swift",
      // Flushing, locks while the app is suspended and protection classes are the system's own.
      "Sources/Holdfast/Files/DurableFile.swift",
      "Sources/Holdfast/Files/FilePath.swift",
      "Sources/Holdfast/Files/FileProtection.swift",
      // Each system has its own cheap clock.
      "Sources/Holdfast/Insight/SteadyTime.swift",
      // Each system has its place for application data.
      "Sources/Holdfast/Files/Store+DefaultURL.swift",
      "Sources/Holdfast/Connections/ConnectionFactory.swift",
      "Sources/Holdfast/Store/StoreOptions.swift",
      // So is the limit of core dumps.
      "Sources/Holdfast/Encryption/StoreKey+Environment.swift",
      // Sockets are the system's.
      "Sources/HoldfastTesting/HeldLocks.swift", "Sources/HoldfastTesting/LoopbackServer.swift",
      // UTF8Span is newer than the oldest system that Holdfast runs on.
      "Sources/Holdfast/Records/RowColumns.swift",
      // CryptoKit is the system's, where there is one.
      "Sources/Holdfast/Records/SHA256Hex.swift", "Sources/Holdfast/Encryption/RecordSeal.swift",
      "Sources/HoldfastInference/Secrets/SecretKey.swift",
      "Sources/HoldfastInference/Secrets/Secrets.swift",
      "Sources/HoldfastInference/Transfer/APIKeyRecord.swift",
      "Sources/HoldfastInference/Transfer/InferenceDatabase.swift",
      // URLSession of Linux may end the process.
      "Sources/HoldfastHTTP/HTTPExchanges.swift",
      "Sources/HoldfastHTTP/CurlExchanges.swift",
    ]
    let found = try House.sources().filter { !$0.places(of: "#if canImport(", "#if os(", "@available", "#available").isEmpty }.map(\.path)
    #expect(Set(found) == listed)
  }

  @Test("no source file has more than 400 lines")
  func filesAreShort() throws {
    let paths = try ["Sources", "Tests", "Examples"].flatMap { try House.files(in: $0) }
    #expect(try paths.filter { try House.text($0).utf8.filter { $0 == UInt8(ascii: "\n") }.count > 400 } == [])
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
    let folders = ["Sources", "Tests", "Examples", "Documentation", "Benchmarks"]
    let paths =
      try folders.flatMap { folder in try ["swift", "md", "c", "h", "json"].flatMap { try House.files(in: folder, extension: $0) } }
      + ["README.md", "CHANGELOG.md", "Makefile", ".ci/run", ".ci/coverage", ".ci/system-packages", "Package.swift"]
    for path in paths {
      let text = try House.text(path)
      found += unwanted.filter { text.contains($0) }.map { "\(path) contains \($0)" }
    }
    #expect(found == [])
  }
}
