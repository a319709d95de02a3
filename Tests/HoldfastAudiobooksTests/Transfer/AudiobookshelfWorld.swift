import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer

/// Two books of an Audiobookshelf server, as its published schema describes them.
enum Shelf {
  static let book = "11111111-1111-4111-8111-111111111111"
  static let other = "22222222-2222-4222-8222-222222222222"

  /// A file of 100 seconds.
  static func file(_ number: Int, more: String = "") -> String {
    #"""
    {\#(more)"index":\#(number),"ino":"\#(number)","metadata":{"filename":"0\#(number).mp3","ext":".mp3",
    "path":"/audiobooks/Red Book/0\#(number).mp3","relPath":"0\#(number).mp3","size":1000},"duration":100,"codec":"mp3",
    "metaTags":{"tagAlbum":"Red","tagGenre":null},"mimeType":"audio/mpeg"}
    """#
  }

  static let files = "[\(file(1)),\(file(2)),\(file(3))]"

  /// An item as the API answers. `more` are members that come on top, each with a comma behind it.
  static func item(
    _ id: String = book, title: String = "\"Red\"", updatedAt: Int = 1_700_000_100_000, files: String = Shelf.files, more: String = ""
  ) -> String {
    #"""
    {\#(more)"id":"\#(id)","ino":"5","libraryId":"l","path":"/audiobooks/Red Book","mediaType":"book","addedAt":1700000000123,
    "updatedAt":\#(updatedAt),"isMissing":false,"media":{"metadata":{"title":\#(title),"authors":[{"id":"a","name":"Ann"},
    {"id":"b","name":"Bob"}],"narrators":["Cy"],"series":[],"genres":["Fantasy","Old"],"publisher":null,"description":"Long",
    "explicit":false},"coverPath":null,"tags":["Old"],"audioFiles":\#(files),"chapters":[{"id":0,"start":0,"end":5,"title":"One"}],
    "ebookFile":null}}
    """#
  }

  static func list(_ items: String...) -> String { #"{"results":[\#(items.joined(separator: ","))],"total":1,"minified":false}"# }

  static func progress(_ seconds: Double, at time: Int = 1_700_000_200_000, isFinished: Bool = false) -> String {
    #""userMediaProgress":{"currentTime":\#(seconds),"isFinished":\#(isFinished),"lastUpdate":\#(time),"duration":300},"#
  }

  // MARK: The database

  static let tables = """
    CREATE TABLE libraryItems (id UUID PRIMARY KEY, ino VARCHAR(255), path VARCHAR(255), relPath VARCHAR(255), mediaId UUID,
      mediaType VARCHAR(255), isFile TINYINT(1), isMissing TINYINT(1), isInvalid TINYINT(1), libraryFiles JSON, extraData JSON,
      createdAt DATETIME NOT NULL, updatedAt DATETIME NOT NULL, libraryId UUID);
    CREATE TABLE books (id UUID PRIMARY KEY, title VARCHAR(255), titleIgnorePrefix VARCHAR(255), subtitle VARCHAR(255),
      publishedYear VARCHAR(255), publisher VARCHAR(255), description TEXT, language VARCHAR(255), explicit TINYINT(1),
      abridged TINYINT(1), coverPath VARCHAR(255), duration FLOAT, narrators JSON, audioFiles JSON, ebookFile JSON, chapters JSON,
      tags JSON, genres JSON, createdAt DATETIME NOT NULL, updatedAt DATETIME NOT NULL);
    CREATE TABLE authors (id UUID PRIMARY KEY, name VARCHAR(255));
    CREATE TABLE bookAuthors (id UUID PRIMARY KEY, createdAt DATETIME, bookId UUID, authorId UUID);
    CREATE TABLE users (id UUID PRIMARY KEY, username VARCHAR(255), pash VARCHAR(255), type VARCHAR(255), token VARCHAR(255),
      bookmarks JSON, createdAt DATETIME NOT NULL);
    CREATE TABLE mediaProgresses (id UUID PRIMARY KEY, mediaItemId UUID, mediaItemType VARCHAR(255), duration FLOAT, currentTime FLOAT,
      isFinished TINYINT(1), finishedAt DATETIME, extraData JSON, createdAt DATETIME NOT NULL, updatedAt DATETIME NOT NULL, userId UUID);
    CREATE TABLE bookSeries (id UUID PRIMARY KEY, sequence VARCHAR(255), bookId UUID, seriesId UUID);
    CREATE TABLE playlists (id UUID PRIMARY KEY, name VARCHAR(255));
    """

  /// The same book as `item()`.
  static let rows = """
    INSERT INTO libraryItems VALUES ('\(book)', '5', '/audiobooks/Red Book', 'Red Book', 'm1', 'book', 0, 0, 0, '[]', '{}',
      '2023-11-14 22:13:20.123 +00:00', '2023-11-14 22:15:00.000 +00:00', 'l');
    INSERT INTO books VALUES ('m1', 'Red', 'Red', NULL, NULL, NULL, 'Long', NULL, 0, 0, NULL, 300, '["Cy"]', '\(files)', NULL,
      '[{"id":0,"start":0,"end":5,"title":"One"}]', '["Old"]', '["Fantasy","Old"]', '2023-11-14 22:13:20.123 +00:00',
      '2023-11-14 22:15:00.000 +00:00');
    INSERT INTO authors VALUES ('b', 'Bob'), ('a', 'Ann');
    INSERT INTO bookAuthors VALUES ('2', '2023-01-02 00:00:00.000 +00:00', 'm1', 'b'), ('1', '2023-01-01 00:00:00.000 +00:00', 'm1', 'a');
    """

  static func user(_ id: String, _ name: String, type: String, made year: Int, bookmarks: String = "[]") -> String {
    """
    INSERT INTO users VALUES ('\(id)', '\(name)', 'secret-hash', '\(type)', 'secret-token', '\(bookmarks)',
      '\(year)-01-01 00:00:00.000 +00:00');
    """
  }

  static func heard(_ seconds: Double, by user: String, of media: String = "m1", _ type: String = "book") -> String {
    """
    INSERT INTO mediaProgresses VALUES ('\(user)\(media)', '\(media)', '\(type)', 300, \(seconds), 0, NULL, '{}',
      '2023-11-14 22:16:40.000 +00:00', '2023-11-14 22:16:40.000 +00:00', '\(user)');
    """
  }

  /// What the report notes, without where.
  static func notes(_ report: ImportReport) -> [String] {
    (report.notes ?? [:]).keys.sorted().map { $0.split(separator: " (first").first.map(String.init) ?? "" }
  }

  static func world(_ statements: String...) throws -> ImportWorld {
    let world = try ImportWorld("absdatabase.sqlite")
    try RawDatabase.with(world.source, creating: true) { database in
      for statement in [tables] + statements { try database.execute(statement) }
    }
    return world
  }
}

extension ImportWorld {
  /// Each book with its tags, and each of its tracks with its place, URL and position. The mark `>` is at the last played track.
  func shelfOfServer() throws -> [String] {
    try withLibrary { library in
      try library.store.read { try AudiobookLibrary.collections(in: $0) }.sorted { $0.id.uuidString < $1.id.uuidString }.flatMap { book in
        ["\(book.title), \(book.author ?? "nobody") \(book.tags)"]
          + book.tracks.map { track in
            let position = book.playbackStates[track.id].map { " at \($0.position)" } ?? ""
            return "\(book.lastPlayedTrackID == track.id ? ">" : " ") \(track.trackNumber) \(track.displayName)\(position)"
          }
      }
    }
  }
}
