import Foundation
import Holdfast
import Testing

@Suite("Export of rows")
struct ExportTests {
  @Test(
    "a list, a table and a query are written as CSV, text with tabs or lines of JSON; the report counts the rows",
    arguments: [
      (["--format", "csv", "--list", "collections"], "collections", 2, "id,title,"),
      (["--format", "tsv", "--table", "tracks"], "tracks", 3, "rowid\tid\t"),
      (["--format", "jsonl", "--query", "SELECT title FROM collections ORDER BY title"], "rows", 2, "{\"title\":\"Moby Dick\"}\n"),
    ])
  func rows(options: [String], kind: String, count: Int, beginning: String) throws {
    let bench = try Workbench()
    let store = try bench.store()
    let arguments = ["export", store, "--to", bench.path("out")] + options
    let finished = try bench.run(arguments + ["--json"])
    #expect(finished.status == 0 && finished.document["counts"] as? [String: Int] == [kind: count], "\(finished.output)\(finished.errors)")
    let text = try String(contentsOf: bench.url("out"), encoding: .utf8)
    #expect(text.hasPrefix(beginning) && text.utf8.count == finished.document["bytes"] as? Int, "\(text)")
    #expect(try bench.run(arguments).status == 64, "the file is there")
    let standard = try bench.run(["export", store, "--to", "-"] + options)
    #expect(standard.status == 0 && standard.output == text && standard.errors.contains("standard output"), "\(standard.errors)")
  }

  @Test(
    "rows need a format for rows and one source of rows, and other formats take none",
    arguments: [
      ["--format", "csv"], ["--format", "csv", "--list", "tracks", "--table", "tracks"], ["--list", "tracks"],
      ["--format", "csv", "--list", "films"], ["--format", "csv", "--query", "SELECT lost FROM tracks"],
    ])
  func usage(options: [String]) throws {
    let bench = try Workbench()
    let finished = try bench.run(["export", bench.store(), "--to", bench.path("out")] + options)
    #expect(finished.status == (options.last?.hasPrefix("SELECT") == true ? 65 : 64), "\(finished.errors)")
    #expect(try !bench.names().contains("out"))
  }

  @Test("a table that is missing or never exported is not found; an option of another format is refused")
  func refused() async throws {
    let bench = try Workbench()
    let store = try await bench.inference()
    for table in ["lost", "secrets", "holdfast_store"] {
      let finished = try bench.run("export", store, "--to", bench.path("out"), "--format", "csv", "--table", table)
      #expect(finished.status == 66 && finished.errors.contains("has no table \(table) that can be shown"), "\(finished.errors)")
    }
    let option = try bench.run("export", store, "--to", bench.path("out"), "--format", "csv", "--list", "models", "--unit", "kg")
    #expect(option.status == 65 && option.errors.contains("the format csv has no use for --unit"), "\(option.errors)")
  }

  @Test("Ctrl-C ends an export of rows: 130, and the folder is as before")
  func interrupted() throws {
    let bench = try Workbench()
    _ = try bench.store()
    let before = try bench.names()
    let finished = try bench.shell(
      """
      rows='WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n'
      "$1" export library.sqlite --to out.csv --format csv --query "$rows" &
      until find . -name out.csv -size +64k | grep -q .; do :; done
      kill -INT $!
      wait $!
      """)
    #expect(finished.status == 130 && finished.errors.contains("interrupted; the store was only read"), "\(finished.errors)")
    #expect(try bench.names() == before)
  }
}
