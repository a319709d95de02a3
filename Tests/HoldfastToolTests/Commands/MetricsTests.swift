import Foundation
import Holdfast
import HoldfastAudiobooks
import Testing

@Suite("Metrics and storage")
final class MetricsTests {
  let bench: Workbench
  let store: String

  init() throws {
    bench = try Workbench()
    store = try bench.store()
  }

  /// As a store keeps it: 19 calls within 1,023 nanoseconds and one of 5 milliseconds.
  private static let counts =
    #"{"errors":{"constraint":2},"latency":{"buckets":{"24":19,"122":1},"longest":5000000,"total":5019000},"#
    + #""lockWait":{"buckets":{},"longest":0,"total":0},"reads":0,"rowsWritten":18,"writes":20}"#

  /// One slow statement and one failed call, as a store keeps them.
  private static let slow =
    #"[{"advice":"CREATE INDEX books_by_title ON books (title)","count":3,"longestNanoseconds":41000000,"plan":["SCAN books"],"#
    + #""rowsStepped":7,"sql":"SELECT *\n FROM books WHERE title = ?","totalNanoseconds":63500000}]"#
  private static let errors = #"[{"code":"constraint","milliseconds":1762259696789,"verb":"save(_:)"}]"#

  private func keep(_ days: [String], in store: String, bytes: Int = 1_000_000) throws {
    let library = try AudiobookLibrary.open(at: URL(fileURLWithPath: store))
    try library.store.write { tx in
      for (number, day) in days.enumerated() {
        try tx.execute("INSERT INTO holdfast_insight VALUES ('bytes', \(day), 'database', \(String(bytes * (number + 1))))")
        try tx.execute("INSERT INTO holdfast_insight VALUES ('verb', \(day), 'save(_:)', \(Self.counts))")
        try tx.execute("INSERT INTO holdfast_insight VALUES ('slow', \(day), 'slowest', \(Self.slow))")
      }
      try tx.execute("INSERT INTO holdfast_insight VALUES ('errors', \(days[0]), 'last', \(Self.errors))")
      try tx.execute(
        """
        INSERT INTO holdfast_insight VALUES ('verb', \(days[0]), 'broken', 'no JSON'), ('later', 'x', 'x', 'x'),
          ('slow', '2025-01-01', 'slowest', '[{}]'), ('errors', '2025-01-01', 'last', '{')
        """)
    }
    try library.store.close()
  }

  @Test("metrics of a new store says what collects them, and is 0")
  func nothing() throws {
    let finished = try bench.run("metrics", store)
    #expect(finished.status == 0 && finished.output.isEmpty)
    #expect(finished.errors.hasPrefix("There are no metrics yet. The app collects them while it writes to the store"))
  }

  @Test("metrics shows growth, verbs, slow statements and errors, and leaves out what cannot be read")
  func shown() throws {
    try keep(["2025-11-03", "2025-11-05"], in: store)
    let before = try bench.content()
    let finished = try bench.run("metrics", store)
    #expect(
      finished.output == """

        Size by day
          2025-11-03  1.0 MB
          2025-11-05  2.0 MB

        Verbs
        VERB      CALLS  ERRORS  95 % WITHIN  LONGEST
        save(_:)     40       4     0.001 ms     5 ms

        Slow statements
        LONGEST  TOGETHER  RUNS  ROWS  STATEMENT
          41 ms    127 ms     6    14  SELECT * FROM books WHERE title = ?

        ADVICE
        CREATE INDEX books_by_title ON books (title)

        Errors
        DAY         ERROR       TIMES  VERB
        2025-11-05  constraint      2  save(_:)
        2025-11-03  constraint      2  save(_:)

        Last errors
        TIME                  ERROR       VERB
        2025-11-04T12:34:56Z  constraint  save(_:)

        """)
    #expect(finished.status == 0 && finished.errors.isEmpty)
    let document = try bench.run("metrics", store, "--json").document
    let days = try #require(document["days"] as? [[String: Any]])
    #expect(days.map { $0["day"] as? String } == ["2025-11-03", "2025-11-05"])
    #expect(days[1]["sizes"] as? [String: Int] == ["database": 2_000_000])
    let verb = try #require((document["verbs"] as? [[String: Any]])?.first)
    #expect(verb["writes"] as? Int == 40 && verb["rows_written"] as? Int == 36 && verb["errors"] as? [String: Int] == ["constraint": 4])
    #expect(verb["longest_seconds"] as? Double == 0.005)
    let slow = try #require((document["slowest"] as? [[String: Any]])?.first)
    #expect(slow["runs"] as? Int == 6 && slow["total_seconds"] as? Double == 0.127 && slow["plan"] as? [String] == ["SCAN books"])
    let errors = try #require(days[0]["last_errors"] as? [[String: String]])
    #expect(errors == [["time": "2025-11-04T12:34:56.789Z", "verb": "save(_:)", "code": "constraint"]])
    #expect((days[1]["slowest"] as? [[String: Any]])?.first?["runs"] as? Int == 3 && (days[1]["last_errors"] as? [Any])?.isEmpty == true)
    #expect(try bench.content() == before)
  }

  @Test("of more than a month, growth has a line for the last day of each week")
  func weeks() throws {
    // 2025-11-03 is a Monday.
    try keep((3...30).map { "2025-11-\($0 < 10 ? "0" : "")\($0)" } + (1...4).map { "2025-12-0\($0)" }, in: store)
    let lines = try bench.run("metrics", store).output.split(separator: "\n").prefix(6)
    let words = lines.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
    #expect(words == ["Size by", "2025-11-09 7.0", "2025-11-16 14.0", "2025-11-23 21.0", "2025-11-30 28.0", "2025-12-04 32.0"])
  }

  @Test("info shows the largest tables and indexes, the others as one line, and what is no table")
  func storage() throws {
    let output = try bench.run("info", store).output
    let chart = try #require(output.components(separatedBy: "\nStorage\n").last).split(separator: "\n")
    #expect(chart.count >= 14 && chart.contains { $0.contains("smaller tables and indexes") } && !output.contains("~"))
    #expect(chart.last?.contains("copies of sources") == true)
    let storage = try #require(try bench.run("info", store, "--json").document["storage"] as? [String: Any])
    let objects = try #require(storage["objects"] as? [[String: Any]])
    #expect(objects.contains { $0["name"] as? String == "collections_search" && $0["kind"] as? String == "search" })
    #expect(objects.compactMap { $0["bytes"] as? Int }.reduce(0, +) + (storage["free_bytes"] as? Int ?? 0) == storage["file_bytes"] as? Int)
  }
}
