import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("The tables of another program's database")
struct SourceTablesTests {
  private let folder: TemporaryFolder
  private let source: SQLiteSource

  init() throws {
    folder = try TemporaryFolder()
    try RawDatabase.with(folder.file("app.db"), creating: true) {
      try $0.execute(
        """
        CREATE TABLE Shelves (name); INSERT INTO Shelves VALUES ('a'), ('b');
        CREATE TABLE books (name, place); INSERT INTO books VALUES ('c', 2), ('d', 1);
        CREATE TABLE plays (at); INSERT INTO plays VALUES (1), (2);
        CREATE TABLE notes (text); INSERT INTO notes VALUES ('e');
        CREATE TABLE grdb_migrations (identifier); INSERT INTO grdb_migrations VALUES ('v1'), ('v2'), ('v3');
        """)
    }
    source = try SQLiteSource(ImportSource(folder.file("app.db")))
  }

  @Test("a row knows how many rows of the own tables were read with it, and each row of another table is skipped after them")
  func positions() throws {
    let tables = try SourceTables(source, own: ["shelves", "missing", "books"])
    var seen: [String] = []
    try tables.rows(of: "shelves") { seen.append("\($0.position) \($0.text("name") ?? "?")") }
    try tables.rows(of: "missing") { seen.append("\($0.position)") }
    try tables.rows(of: "books", orderedBy: [.column("place")]) { row in
      let changed = row.with(["place": .text("first")])
      seen.append("\(changed.position) \(changed.text("name") ?? "?") \(row.text("place") ?? "no text") \(changed.text("place") ?? "?")")
    }
    try tables.skipOthers("library") { (scanned: Scanned<Int>, position: Int) in
      guard case .skipped(let kind, let path, let reason) = scanned else { return }
      seen.append("\(position) \(kind) \(path): \(reason)")
    }
    #expect(
      seen == [
        "1 a", "2 b", "3 d no text first", "4 c no text first",
        "4 notes notes[0]: the table notes has no place in this library; it stays in the source and its copy",
        "5 plays plays[0]: the table plays has no place in this library; it stays in the source and its copy",
        "6 plays plays[1]: the table plays has no place in this library; it stays in the source and its copy",
      ])
    #expect(tables.total == 7 && tables.others.map(\.table) == ["notes", "plays"] && tables.others.map(\.rows) == [1, 2])
    let other = try SourceTables(source, own: ["Books"], bookkeeping: ["PLAYS", "notes", "shelves"])
    #expect(other.others.map(\.table) == ["grdb_migrations"])
  }

  @Test("the first migration that is not known is refused; the names of columns are asked for in lower case")
  func refusals() throws {
    try source.refuseMigrations(except: ["v1", "v2", "v3"]) { StoreError(.newerSource, $0) }
    let error = #expect(throws: StoreError.self) { try source.refuseMigrations(except: ["v1"]) { StoreError(.newerSource, $0) } }
    #expect(error?.message == "v2")
    #expect(try source.lowercasedColumns(of: "BOOKS") == ["name", "place"] && source.lowercasedColumns(of: "missing") == [])
  }

  @Test("a child of a quarantined or a missing record gets that as its problem, and places count the children of each record")
  func parents() {
    var shelves = Parents<Int, String>("shelf")
    shelves.add(1, nil)
    shelves.add(1, "first")
    shelves.add(1, "second")
    shelves.add(1, nil)
    shelves.add(2, nil)
    #expect(shelves[1] == "first" && shelves[2] == nil && shelves.contains(2) && !shelves.contains(3))
    #expect([1, 2, 3].map { shelves.problem(of: $0) } == [nil, "its shelf is quarantined", "there is no such shelf"])
    var problems: [String?] = []
    for id in [1, 2, 3, nil] {
      var child = SourceMembers(["title": .null])
      let found = shelves.find(id, for: &child)
      #expect(found == (id == 1 ? "first" : nil))
      problems.append(child.problem)
    }
    #expect(problems == [nil, "its shelf is quarantined", "there is no such shelf", nil])
    var places: [Int] = []
    for id in [1, 1, 2, nil, 1, nil] { places.append(shelves.nextPlace(in: id)) }
    shelves.restartPlaces()
    places.append(shelves.nextPlace(in: 1))
    #expect(places == [0, 1, 0, 0, 2, 0, 0])
  }
}
