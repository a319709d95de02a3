import Testing

@testable import Holdfast

@Suite("Advice on query plans", .timeLimit(.minutes(10)))
struct PlanAdviceTests {
  private let store: Store

  init() throws { store = try Store.inMemory(schemas: [SlowStatementTests.schema]) }

  private static let columns = ["authors": ["id", "name"], "Books": ["id", "Author", "year"]]

  @Test(
    "an index is advised only where SQLite uses it; otherwise the table is named that is read row by row",
    arguments: [
      ("SELECT * FROM books WHERE author = ?", "CREATE INDEX books_by_author ON books (author)"),
      (
        "SELECT title FROM books AS b WHERE b.year == ?1 AND b.author = ?2 AND title > 'a' ORDER BY title",
        "CREATE INDEX books_by_year_and_author_and_title ON books (year, author, title)"
      ),
      ("SELECT * FROM books WHERE year = ? AND author = ?", "CREATE INDEX books_by_year_and_author ON books (year, author)"),
      ("SELECT * FROM books WHERE year >= ? AND year < 1900", "CREATE INDEX books_by_year ON books (year)"),
      ("SELECT * FROM books WHERE year BETWEEN ? AND ?", "CREATE INDEX books_by_year ON books (year)"),
      ("SELECT * FROM books WHERE year > ? AND author = ?", "CREATE INDEX books_by_author_and_year ON books (author, year)"),
      ("SELECT * FROM books ORDER BY year LIMIT 10", "CREATE INDEX books_by_year ON books (year)"),
      (
        "SELECT * FROM books b ORDER BY b.year DESC, author DESC LIMIT 10",
        "CREATE INDEX books_by_year_and_author ON books (year, author)"
      ),
      ("SELECT * FROM books WHERE author = ? ORDER BY year", "CREATE INDEX books_by_author_and_year ON books (author, year)"),
      ("SELECT * FROM books WHERE author = ? ORDER BY id", "CREATE INDEX books_by_author ON books (author)"),
      ("SELECT * FROM books WHERE year > ? ORDER BY year, title", "CREATE INDEX books_by_year_and_title ON books (year, title)"),
      ("SELECT * FROM books WHERE year > ? ORDER BY title", "CREATE INDEX books_by_year ON books (year)"),
      ("UPDATE books SET year = 1 WHERE author = ?", "CREATE INDEX books_by_author ON books (author)"),
      ("DELETE FROM books WHERE year = -1", "CREATE INDEX books_by_year ON books (year)"),
      ("SELECT x.title FROM books x JOIN books y ON y.year = x.author", "CREATE INDEX books_by_year ON books (year)"),
      ("SELECT a.name FROM books c JOIN authors a ON a.name = c.title", "CREATE INDEX authors_by_name ON authors (name)"),
    ])
  func advised(sql: String, index: String) throws {
    let plan = try store.read { try $0.statementPlan(sql) }
    #expect(plan.indexes == [index] && plan.scanned == ["books"] && plan.advice == index)
  }

  @Test(
    "no index is advised where it would not be used",
    arguments: [
      "SELECT * FROM books", "SELECT * FROM books WHERE title LIKE ?", "SELECT * FROM books WHERE author = ? OR year = ?",
      "SELECT * FROM books WHERE author = ? AND (year = ? OR year IS NULL)", "SELECT * FROM books WHERE +shelf = ?",
      "SELECT * FROM books WHERE title = ? COLLATE BINARY", "SELECT * FROM books WHERE author = year",
      "SELECT * FROM books WHERE author BETWEEN 1 AND year = 2", "SELECT * FROM books WHERE lower(title) = ?",
      "SELECT b.title FROM authors a JOIN books b ON b.author = a.id",
      "SELECT * FROM (SELECT author FROM books LIMIT 5) s WHERE s.author = ?", "SELECT * FROM books ORDER BY year DESC, author",
      "SELECT * FROM books ORDER BY lower(title)", "SELECT * FROM books ORDER BY title COLLATE BINARY",
      "SELECT * FROM books WHERE year <> ?",
      "SELECT * FROM books WHERE year NOT BETWEEN ? AND ?", "SELECT * FROM books WHERE year > author",
    ])
  func onlyNamed(sql: String) throws {
    let plan = try store.read { try $0.statementPlan(sql) }
    #expect(plan.indexes == [] && plan.advice == "books: read row by row, without an index")
  }

  @Test(
    "what is no table of the app, or is found by an index, gets no advice",
    arguments: [
      "SELECT * FROM books WHERE shelf = ?", "INSERT INTO authors (name) VALUES (?)", "SELECT 1", "SELECT * FROM holdfast_migrations",
      "WITH books AS (SELECT 1 AS author) SELECT * FROM books WHERE author = ?",
      "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT count(*) FROM n",
    ])
  func none(sql: String) throws {
    #expect(try store.read { try $0.statementPlan(sql) }.advice == nil)
  }

  @Test("an index that SQLite makes for one run is a candidate, by the table's own names")
  func automatic() {
    let advice = PlanAdvice(
      plan: ["SCAN a", "SEARCH b USING AUTOMATIC PARTIAL COVERING INDEX (author=? AND year=?) LEFT-JOIN"],
      sql: "SELECT * FROM authors a LEFT JOIN books AS b ON b.author = a.id AND b.year = 1", columns: Self.columns)
    #expect(advice.scanned == ["authors"])
    #expect(advice.candidates.map(\.sql) == ["CREATE INDEX Books_by_Author_and_year ON Books (Author, year)"])
  }

  @Test("names are quoted where they need it")
  func quoting() {
    let candidate = PlanAdvice.Candidate(table: "my books", equal: ["the \"title\""])
    #expect(candidate.sql == #"CREATE INDEX "my books_by_the ""title""" ON "my books" ("the ""title""")"#)
  }
}
