import Foundation
import Testing

@testable import Holdfast
@testable import HoldfastTool
@testable import HoldfastTransfer

@Suite("Terminal")
struct TerminalTests {
  @Test("every code of the kit has its exit code")
  func exitCodes() {
    var table: [Int32: [String]] = [:]
    for code in StoreError.Code.allCases { table[ExitStatus(code).rawValue, default: []].append(code.rawValue) }
    #expect(
      table.mapValues { $0.sorted() } == [
        1: [
          "closed", "edited_migration", "encryption_unavailable", "migration_failed", "migration_lost_rows", "misuse",
          "out_of_memory", "rolled_back", "verification_failed",
        ],
        65: [
          "constraint", "damaged", "decoding", "invalid_source", "invalid_value", "newer_schema", "newer_source", "not_a_database",
          "wrong_kind",
        ],
        66: ["not_found"], 73: ["cannot_create", "permission_denied", "read_only"], 74: ["disk_full", "input_output"],
        75: ["busy", "device_locked"], 77: ["key_needed", "not_encrypted", "not_sealed", "wrong_key"], 130: ["cancelled"],
      ])
  }

  @Test(
    "characters take the columns that a terminal gives them",
    arguments: [
      ("", 0), ("Moby", 4), ("三体", 4), ("ﾊﾝｶｸ", 4), ("カタカナ", 8), ("한국어", 6), ("é", 1), ("e\u{301}", 1), ("🎧", 2), ("❤️", 2), ("❤", 1),
      ("👩‍👩‍👧", 2), ("🇯🇵", 2), ("\u{200B}", 0), ("ａ", 2), ("「」", 4), ("—", 1), ("א", 1), ("𠮷", 2),
    ])
  func columns(text: String, columns: Int) { #expect(DisplayText.columns(text) == columns) }

  @Test("a text is cut between characters, and never wider than asked")
  func cutting() {
    let cuts = (1...9).map { DisplayText.cut("三体 abc", to: $0) }
    #expect(cuts == ["…", "…", "三…", "三…", "三体…", "三体 …", "三体 a…", "三体 abc", "三体 abc"])
  }

  /// Without colours.
  private static func plain(_ table: TextTable, _ width: Int) -> String { Ink.painted(table.text(width: width), isColoured: false) }

  @Test("a narrow terminal cuts the columns that may be cut, and a wide one none")
  func narrow() {
    var table = TextTable([.text("ID"), .flexible("TITLE"), .number("N")])
    table.add(["1", "A title that is rather long", "12"])
    table.add(["22", "三体", "3"])
    #expect(
      table.text(width: nil) == """
        ID  TITLE                         N
        1   A title that is rather long  12
        22  三体                          3

        """)
    #expect(
      Self.plain(table, 24) == """
        ID  TITLE              N
        1   A title that is…  12
        22  三体               3

        """)
  }

  @Test("a column that there is no room for is left out from the right, and told; no id and no word is cut")
  func dropped() {
    var table = TextTable([.text("ID"), .flexible("TITLE"), .number("N"), .text("FILE")])
    table.add(["7c9e6679-7425", "Loomings and more", "12", "recorded"])
    #expect(Self.plain(table, 32) == "ID             TITLE           N\n7c9e6679-7425  Loomings and…  12\n")
    #expect(table.note(width: 32) == "No room for FILE: make the terminal wider, or use --json.")
    #expect(table.note(width: 28) == "No room for N, FILE: make the terminal wider, or use --json." && table.note(width: nil) == nil)
    #expect(Self.plain(table, 5) == "ID\n7c9e6679-7425\n")
  }

  @Test("a column is as wide as its longest first word, and the next one is left out; only a word that is too long for the line is cut")
  func firstWords() {
    var table = TextTable([.text("ID"), .flexible("TRACK"), .flexible("COLLECTION"), .number("N")])
    table.add(["1", "Chapter 1: Loomings", "Frankenstein, or the Modern Prometheus", "12"])
    table.add(["2", "Goldberg-Variationen, Aria", "三体黑暗森林死神永生", "3"])
    #expect(
      Self.plain(table, 46) == """
        ID  TRACK                   COLLECTION       N
        1   Chapter 1: Loomings     Frankenstein,…  12
        2   Goldberg-Variationen,…  三体黑暗森林…    3

        """)
    #expect(table.note(width: 46) == nil && table.note(width: 45) == "No room for N: make the terminal wider, or use --json.")
    #expect(table.note(width: 38) == "No room for COLLECTION, N: make the terminal wider, or use --json.")
    #expect(Self.plain(table, 38) == "ID  TRACK\n1   Chapter 1: Loomings\n2   Goldberg-Variationen, Aria\n")
    #expect(Self.plain(table, 20) == "ID  TRACK\n1   Chapter 1:…\n2   Goldberg-Variat…\n")
  }

  private static func plants() -> TextTable {
    var table = TextTable([.text("ID"), .text("BED"), .flexible("NAME"), .text("PLANTED")])
    for (id, name) in [("0a0a0a0a-0000-4000-8000-000000000001", "Basil"), ("0a0a0a0a-1111-4000-8000-000000000002", "Tomato, yellow")] {
      table.add([id, "7c9e6679-7425-40de-944b-e07fc1f90ae7", name, "2026-01-01T00:00:00Z"])
    }
    return table
  }

  @Test("a terminal shows the beginnings that tell the ids of a column apart, eight characters at least; a pipe gets whole ids")
  func ids() {
    #expect(
      Self.plain(Self.plants(), 80) == """
        ID             BED       NAME            PLANTED
        0a0a0a0a-0000  7c9e6679  Basil           2026-01-01T00:00:00Z
        0a0a0a0a-1111  7c9e6679  Tomato, yellow  2026-01-01T00:00:00Z

        """)
    let piped = Self.plants().text(width: nil)
    #expect(piped.contains("0a0a0a0a-1111-4000-8000-000000000002  7c9e6679-7425-40de-944b-e07fc1f90ae7  Tomato, yellow"))
    var names = TextTable([.text("ID"), .text("N")])
    for row in [["7c9e6679-7425-40de-944b-e07fc1f90ae7", "1"], ["no id", "2"]] { names.add(row) }
    #expect(Self.plain(names, 80).contains("e07fc1f90ae7"), "a column with other texts is none of ids")
  }

  @Test("in a column of keys the ids are shortened among the other letters; in a pipe they are whole")
  func keys() {
    var table = TextTable([.text("TIME"), .text("ROW"), .flexible("VALUES")], keys: "ROW")
    for row in ["plants:0a0a0a0a-0000-4000-8000-000000000001", #"{"bed_id":"1b0a0a0a-0000-4000-8000-000000000001","n":1}"#, "beds:rose"] {
      table.add(["now", row, "new"])
    }
    #expect(
      Self.plain(table, 80) == """
        TIME  ROW                          VALUES
        now   plants:0a0a0a0a              new
        now   {"bed_id":"1b0a0a0a","n":1}  new
        now   beds:rose                    new

        """)
    #expect(table.text(width: nil).contains("plants:0a0a0a0a-0000-4000-8000-000000000001  "))
  }

  @Test("a word of more than 30 letters is cut before a column is left out; the only column of a table is never cut")
  func longWords() {
    var table = TextTable([.text("ID"), .number("N"), .flexible("URL"), .flexible("NOTE")])
    table.add(["1", "5", "https://garden.example/plants/basil/2026", "water daily"])
    #expect(
      Self.plain(table, 53) == "ID  N  URL                                NOTE\n1   5  https://garden.example/plants/ba…  water daily\n")
    #expect(table.note(width: 53) == nil && table.note(width: 49)?.hasPrefix("No room for NOTE:") == true)
    #expect(Self.plain(table, 30) == "ID  N  URL\n1   5  https://garden.example…\n")
    var names = TextTable([.flexible("NAME"), .number("N")])
    names.add(["https://garden.example/plants/basil/2026", "5"])
    #expect(Self.plain(names, 20) == "NAME\nhttps://garden.exam…\n")
    var only = TextTable([.flexible("BODY")])
    only.add(["one two three"])
    #expect(Self.plain(only, 5) == "BODY\none two three\n")
  }

  @Test("where there is no room, columns of ids are left out before those that people read")
  func roomForIDs() {
    let table = Self.plants()
    #expect(
      Self.plain(table, 51).hasPrefix("ID             NAME            PLANTED\n")
        && table.note(width: 51)?.hasPrefix("No room for BED:") == true)
    #expect(
      Self.plain(table, 36).hasPrefix("NAME            PLANTED\n") && table.note(width: 36)?.hasPrefix("No room for ID, BED:") == true)
    #expect(Self.plain(table, 20) == "NAME\nBasil\nTomato, yellow\n")
  }

  @Test("heads are bold, ids dim and findings red, on a terminal with colours; a store's text never is")
  func colours() {
    var table = TextTable([.text("ID"), .flexible("FINDING")], tellsProblems: true)
    table.add(["7c9e6679-7425-40de-944b-e07fc1f90ae7", "\u{10FFF0}lost\u{1B}[5m"])
    let text = DisplayText.printableLines(table.text(width: 80))
    #expect(
      Ink.painted(text, isColoured: true)
        == "\u{1B}[1mID\u{1B}[0m        \u{1B}[1mFINDING\u{1B}[0m\n\u{1B}[2m7c9e6679\u{1B}[0m  \u{1B}[31m\u{FFFD}lost\u{FFFD}[5m\u{1B}[0m\n"
    )
    #expect(Ink.painted(text, isColoured: false) == "ID        FINDING\n7c9e6679  \u{FFFD}lost\u{FFFD}[5m\n")
    #expect(DisplayText.printableLines("a\u{10FFF2}\n", hasInk: false) == "a\u{FFFD}\n", "what is not of this program has no marks")
    #expect(Ink.painted(Ink.problem("Error: no"), isColoured: true) == "\u{1B}[31mError:\u{1B}[0m no")
    let wanted = [[:], ["NO_COLOR": ""], ["NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": "xterm"]].map(Ink.isWanted)
    #expect(wanted == [true, true, false, false, true])
  }

  @Test(
    "the pager is that of PAGER, or less where it is installed; none where PAGER is empty; long lines count as the terminal breaks them")
  func pager() throws {
    let bench = try Workbench()
    let less = try bench.write("", to: "less")
    #expect(Pager.command(["PATH": "/nowhere:\(bench.folder.path)"]) == nil, "it cannot be run")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: less)
    let path = ["PATH": "/nowhere:\(bench.folder.path)"]
    let commands = [path, [:], ["PAGER": "most -s"], path.merging(["PAGER": ""]) { $1 }, ["PAGER": " "]].map(Pager.command)
    #expect(commands == ["less", nil, "most -s", nil, nil])
    #expect(["", "a\n", "a\nb\n", "abcdef\n", "三体三\n\n"].map { Pager.lines(of: $0, width: 5) } == [1, 1, 2, 2, 3])
    #expect(Pager.lines(of: Ink.bold.on("abcde") + "\n", width: 5) == 1, "the marks of bold text take no room")
    #expect(!Pager.show("text", with: "no-such-program-1 2> /dev/null"))
    #expect(!Pager.show("text", with: "\(bench.folder.path) 2> /dev/null"), "a folder cannot be run")
    #expect(Pager.show(String(repeating: "text", count: 100_000), with: "true"), "it may end before all is read")
  }

  #if os(Linux)
    @Test(
      "on a terminal an answer longer than the screen goes through the pager, with colours; one that fits does not", arguments: [4, 40])
    func terminal(lines: Int) throws {
      let bench = try Workbench()
      let store = try bench.store()
      // `script` gives the command a terminal.
      let shown = try bench.shell(
        "export PAGER='sed s/^/paged:/' TERM=xterm; script -qec \"stty cols 80 rows \(lines); '$1' list '\(store)' tracks\" /dev/null < /dev/null"
      )
      #expect(shown.output.contains("\u{1B}[1mTRACK"), "\(shown.output)\(shown.errors)")
      #expect(shown.output.contains("paged:") == (lines == 4), "\(shown.output)")
    }

    @Test("a pager may read the person's keys from the terminal; the command ends when the person leaves it")
    func keyboard() throws {
      let bench = try Workbench()
      let store = try bench.store()
      try bench.write("cat\nread key < /dev/tty\necho left with $key\n", to: "pager")
      let shown = try bench.shell(
        "export PAGER='sh \(bench.path("pager"))'; printf 'q\\n' | timeout -s KILL 60 script -qec \"stty cols 80 rows 4; '$1' list '\(store)' tracks\" /dev/null"
      )
      #expect(shown.output.contains("left with q"), "\(shown.output)\(shown.errors)")
    }

    @Test("a machine without less shows a long answer, and no word about the missing program")
    func withoutLess() throws {
      let bench = try Workbench()
      let store = try bench.store()
      let shown = try bench.shell(
        "unset PAGER; script -qec \"stty cols 80 rows 4; PATH=/nowhere NO_COLOR=1 '$1' list '\(store)' tracks\" /dev/null < /dev/null")
      #expect(shown.output.contains("TRACK") && !shown.output.contains("not found"), "\(shown.output)\(shown.errors)")
    }
  #endif

  @Test("lengths, sizes and times are written for people")
  func words() {
    #expect(
      [0, 59.9, 125, 3753, 1e300, .nan, -3].map { DisplayText.length($0) } == [
        "0:00", "0:59", "2:05", "1:02:33", "277777777:46:40", "", "0:00",
      ])
    #expect([0, 999, 1000, 1_550_000, .max].map { DisplayText.size($0) } == ["0 bytes", "999 bytes", "1.0 kB", "1.5 MB", "9223372.0 TB"])
    #expect(DisplayText.time(Date(timeIntervalSince1970: 1_762_342_882.9)) == "2025-11-05T11:41:22Z")
  }

  @Test("the bar shows phase, percent, rate and time left in any width")
  func bar() {
    let progress = ImportProgress(phase: .verifying, done: 1, total: 2, records: 10, recordsPerSecond: 1234.5)
    let line = ProgressLine(progress: progress, elapsed: 30)
    #expect(line.bar(width: 70) == "verifying  75 % [##################......]  1234 records/s  0:10 left")
    for width in 1...200 { #expect(line.bar(width: width).count <= max(1, width - 1)) }
    #expect(line.plain == " 75 % verifying  1234 records/s\n")
    #expect(line.event == "progress verifying 1/2 records 10\n")
  }

  @Test("progress of nothing, or of more than all, is not an error", arguments: [(0, 0), (5, 0), (7, 5), (-1, 5), (Int.max, 1)])
  func strangeProgress(done: Int, total: Int) {
    for phase in ImportProgress.Phase.allCases {
      let progress = ImportProgress(phase: phase, done: done, total: total, records: .max, recordsPerSecond: .infinity)
      let line = ProgressLine(progress: progress, elapsed: 0)
      #expect((0...1).contains(line.fraction))
      #expect(!line.bar(width: 80).isEmpty)
    }
  }

  @Test("a document is sorted, indented, and JSON for any text")
  func document() throws {
    let document = Document(ok: true, ["b": .array([]), "a": .object(["\"": .string("\u{1B}/三"), "z": .null]), "schema": .integer(9)])
    #expect(
      document.text
        == "{\n  \"a\": {\n    \"\\\"\": \"\\u001b/三\",\n    \"z\": null\n  },\n  \"b\": [],\n  \"ok\": true,\n  \"schema\": 1\n}\n")
    #expect(try JSONSerialization.jsonObject(with: Data(document.text.utf8)) is [String: Any])
  }

  @Test("an error names its cause only where that adds something")
  func causes() {
    let same = StoreError(.busy, "x: database is locked", cause: StoreError(.busy, "database is locked"))
    #expect(Failure(same) { _ in "" }.text == "Error: x: database is locked\nTry: Another process is writing; try again in a moment.")
    let more = StoreError(.verificationFailed, "it differs", suggestion: "Look.", cause: StoreError(.inputOutput, "the disk is ill"))
    #expect(Failure(more) { _ in "" }.text == "Error: it differs\nCause: the disk is ill\nTry: Look.")
  }
}
