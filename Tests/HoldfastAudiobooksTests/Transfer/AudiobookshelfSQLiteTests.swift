import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("A server of Audiobookshelf, by its database") struct AudiobookshelfSQLiteTests {
  private static let red = ["Red, Ann, Bob [\"Old\", \"Fantasy\"]", "  1 01 at 100.0", "> 2 02 at 50.0", "  3 03"]

  @Test("a book comes in with its authors in order; the report names tables that were not read, and no copy is kept beside the passwords")
  func whole() throws {
    let world = try Shelf.world(
      Shelf.rows, Shelf.user("u1", "ann", type: "root", made: 2023, bookmarks: #"[{"title":"a","time":1}]"#), Shelf.heard(150, by: "u1"),
      "INSERT INTO bookSeries VALUES ('s', '1', 'm1', 'x')")
    let report = try world.report()
    #expect(report.format == "audiobookshelf-sqlite" && report.problems.isEmpty && report.backup == nil)
    #expect(try world.shelfOfServer() == Self.red)
    #expect(
      Shelf.notes(report) == [
        "no copy of the source is kept: it contains the passwords and keys of the server's users",
        "the library has no place for a file's codec, bit rate and format", "the library has no place for bookmarks",
        "the library has no place for chapters", "the library has no place for narrators", "the positions are those of the user ann",
        "the table bookSeries was not read; rows: 1",
      ])
    let stored = try Data(contentsOf: world.store)
    #expect(stored.range(of: Data("secret-".utf8)) == nil)
  }

  @Test("the API's answer for the same book adds nothing")
  func asJSON() throws {
    let world = try Shelf.world(Shelf.rows)
    _ = try world.report()
    world.source = world.folder.file("items.json")
    let report = try world.report(Shelf.list(Shelf.item()))
    #expect(report.counts.values.allSatisfy { $0.imported == 0 && $0.merged == 0 && $0.quarantined == 0 }, "\(report.text)")
  }

  @Test(
    "of several users the root user's positions count, else those of the user who was made first and has any",
    arguments: [("root", "> 1 01 at 20.0", "root"), ("user", "> 1 01 at 10.0", "old")])
  func users(type: String, line: String, name: String) throws {
    let world = try Shelf.world(
      Shelf.rows, Shelf.user("u0", "none", type: "user", made: 2020), Shelf.user("u1", "old", type: "user", made: 2021),
      Shelf.user("u2", "root", type: type, made: 2022), Shelf.heard(10, by: "u1"), Shelf.heard(20, by: "u2"),
      Shelf.heard(30, by: "u2", of: "e1", "podcastEpisode"))
    let report = try world.report()
    #expect(try world.shelfOfServer().contains(line))
    #expect(Shelf.notes(report).contains("the positions are those of the user \(name)"))
    #expect(report.skipped == ["the position of another user of the server": 1, "not an audiobook": 1])
  }

  @Test("a later backup under another name moves the position and the last played track")
  func later() throws {
    let world = try Shelf.world(Shelf.rows, Shelf.user("u1", "ann", type: "root", made: 2023), Shelf.heard(150, by: "u1"))
    _ = try world.report()
    let later = world.folder.file("later.sqlite")
    try FileManager.default.moveItem(at: world.source, to: later)
    world.source = later
    try RawDatabase.with(later) {
      try $0.execute("UPDATE mediaProgresses SET currentTime = 260, updatedAt = '2024-01-01 00:00:00.000 +00:00'")
    }
    _ = try world.report()
    #expect(try world.shelfOfServer() == [Self.red[0], "  1 01 at 100.0", "  2 02 at 100.0", "> 3 03 at 60.0"])
  }

  @Test("an item without a book, and a book whose time or list cannot be read, are kept aside alone")
  func damaged() throws {
    let world = try Shelf.world(
      Shelf.rows,
      """
      INSERT INTO libraryItems SELECT 'i2', ino, path, relPath, 'm2', mediaType, 0, 0, 0, '[]', '{}', createdAt, updatedAt, 'l'
        FROM libraryItems;
      INSERT INTO libraryItems SELECT 'i3', ino, path, relPath, 'm3', mediaType, 0, 0, 0, '[]', '{}', 'x', updatedAt, 'l'
        FROM libraryItems WHERE id <> 'i2';
      CREATE TEMP TABLE copies AS SELECT * FROM books;
      UPDATE copies SET id = 'm3';
      INSERT INTO books SELECT * FROM copies;
      """)
    let report = try world.report()
    #expect(report.problems.map(\.reason) == ["it should be an item with an id and a book", "addedAt should be a time, found \"x\""])
    #expect(report.counts["collections"]?.imported == 1 && report.counts["collections"]?.quarantined == 2)
  }

  @Test("another program's database is not read as one of a server")
  func foreign() throws {
    let world = try ImportWorld("absdatabase.sqlite")
    try RawDatabase.with(world.source, creating: true) { try $0.execute("CREATE TABLE books (id TEXT)") }
    let error = try world.failure(format: "audiobookshelf-sqlite")
    #expect(
      error.code == .invalidSource && error.message.hasSuffix("is not the database of an Audiobookshelf server: it has the tables books"))
  }
}
