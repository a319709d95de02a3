import Foundation
import Testing

@Suite("Explain")
final class ExplainTests {
  let bench: Workbench
  let store: String

  init() throws {
    bench = try Workbench()
    store = try bench.store()
  }

  @Test("explain prints the plan, what is read row by row, and the index that would serve")
  func plan() throws {
    let found = try bench.run("explain", store, "SELECT display_name FROM tracks WHERE filename = ?")
    #expect(
      found.output == """
        SCAN tracks
        row by row  tracks
        index       CREATE INDEX tracks_by_filename ON tracks (filename)

        """)
    let subquery = "SELECT title FROM collections WHERE id IN (SELECT collection_id FROM tracks WHERE filename = 'a')"
    #expect(try bench.run("explain", store, subquery).output.contains("\n  SCAN tracks\n"), "a subquery is indented")
  }

  @Test("explain runs nothing, and --run runs a SELECT and counts its rows")
  func running() throws {
    #expect(try bench.run("explain", store, "DELETE FROM tracks").status == 0)
    let counted = try bench.run("explain", store, "SELECT id FROM tracks", "--run", "--json").document
    #expect(counted["rows"] as? Int == 3 && counted["seconds"] as? Double != nil)
    let refused = try bench.run("explain", store, "DELETE FROM tracks", "--run", "--json")
    #expect(refused.status == 65 && refused.document["code"] as? String == "invalid_value")
  }

  @Test(
    "SQL that cannot be explained is 65, and the error tells why",
    arguments: [
      ("SELECT * FROM bookz", "no such table: bookz"), ("SELECT lost FROM tracks", "no such column: lost"),
      ("SELEKT 1", "syntax error"), ("SELECT 1; SELECT 2", "only one statement"), ("", "no statement"),
    ])
  func refused(sql: String, why: String) throws {
    let finished = try bench.run("explain", store, sql)
    #expect(finished.status == 65 && finished.errors.contains(why) && finished.errors.contains("Correct the SQL"), "\(finished.errors)")
  }
}
