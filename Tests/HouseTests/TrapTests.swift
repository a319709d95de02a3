import Testing

/// What data can reach must not end the process, and what one part of the kit guards is done nowhere else.
@Suite struct TrapTests {
  @Test("no source forces what data could refuse")
  func nothingTraps() throws {
    let found = try House.sources().flatMap { file in
      file.places(of: #/\bfatalError\(|\bpreconditionFailure\(|\bprecondition\(|\btry!|\bas! |\.first!|\.last!|[\])]!(?!=)|\w!(?:\.|$)/#)
    }
    #expect(found == [])
  }

  @Test("statements are stepped only in the kit's own doors, where observers are told")
  func steppedOnlyInDoors() throws {
    let doors: Set<String> = [
      "Sources/Holdfast/Records/Reader.swift",
      "Sources/Holdfast/Records/Transaction.swift",
      // BEGIN, COMMIT and ROLLBACK: no table changes by them.
      "Sources/Holdfast/Store/Store+Doors.swift",
      // A connection of its own, read-only, before anything is opened.
      "Sources/Holdfast/Store/FileLook.swift",
    ]
    let files = try House.sources().filter { !$0.places(of: #/sqlite3_step/#).isEmpty }.map(\.path)
    #expect(Set(files) == doors)
  }

  @Test("dates and ids pass only through the two codecs")
  func oneCodecEach() throws {
    // Verification reads an unusual date a second time with a parser that shares nothing with the codec.
    let exceptions: Set<String> = ["Sources/AudiobookLibrary/Transfer/JSONFields.swift"]
    let found = try House.sources().filter { !$0.places(of: #/DateFormatter\(|UUID\(uuidString:|ISO8601FormatStyle/#).isEmpty }
    #expect(Set(found.map(\.path)) == exceptions)
  }

  @Test("only the files listed here ask for a platform or a version")
  func platformFiles() throws {
    let listed: Set<String> = [
      "Sources/Holdfast/Observation/LiveValue.swift",
      "Sources/Holdfast/Store/Store+Open.swift",
      "Sources/Holdfast/Store/StoreError+SQLite.swift",
    ]
    let found = try House.sources().filter { !$0.places(of: #/#if (?:canImport|os)\(|@available|#available/#).isEmpty }.map(\.path)
    #expect(Set(found) == listed)
  }

  @Test("no source file has more than 400 lines")
  func filesAreShort() throws {
    let files = try House.sources() + House.sources("Tests") + House.sources("Examples")
    #expect(files.filter { $0.lines.count > 401 }.map(\.path) == [])
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
