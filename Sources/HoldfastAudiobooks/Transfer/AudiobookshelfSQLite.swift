import Foundation
import Holdfast
import HoldfastTransfer

/// The database of an Audiobookshelf server, `absdatabase.sqlite`, since its version 2.3.
///
/// Tables `libraryItems`, `books`, `authors`, `bookAuthors`, `mediaProgresses` and `users`. The positions of one user are imported: of the
/// root user, or where that one has none, of the user who was made first.
struct AudiobookshelfSQLite: ImportFormat {
  let name = "audiobookshelf-sqlite"
  let version = 1
  let kinds = LibraryRecord.kinds
  let origin: String? = Audiobookshelf.origin
  let total: Int
  var noCopy: String? { "it contains the passwords and keys of the server's users" }
  private let source: SQLiteSource
  /// The names of the authors, by book.
  private let authors: [String: [String]]
  private let user: User?
  /// The user's positions, by book.
  private let progress: [String: ShelfProgress]

  private struct User {
    let id: String
    let name: String
    let isRoot: Bool
    let bookmarks: Int
  }

  private static let read: Set<String> = ["libraryitems", "books", "authors", "bookauthors", "mediaprogresses", "users"]
  private static let json: Set<String> = ["narrators", "audioFiles", "ebookFile", "chapters", "tags", "genres"]
  /// The columns of `books` that the API has beside the metadata.
  private static let ofMedia: Set<String> = ["audioFiles", "ebookFile", "chapters", "tags", "coverPath"]

  /// Whether a database with these tables, in lower case, is such a server's.
  static func isLike(_ tables: Set<String>) -> Bool { tables.isSuperset(of: ["libraryitems", "books", "mediaprogresses"]) }

  static func recognises(_ source: SQLiteSource) -> Bool { isLike(Set(source.tables.map(SQLiteSource.lowercased))) }

  /// - Throws: `.wrongKind` for a store of ours; `.invalidSource` for another program's database.
  init(_ source: SQLiteSource, named path: String) throws {
    try source.refuseStore()
    guard Self.recognises(source) else {
      throw StoreError(.invalidSource, "\(path) is not the database of an Audiobookshelf server: it \(source.found)")
    }
    self.source = source
    authors = try Self.authors(source)
    var listeners: Set<String> = []
    try source.rows(of: "mediaProgresses", only: ["userid", "mediaitemtype"]) { row in
      if let user = row.text("userId"), row.text("mediaItemType") == "book" { listeners.insert(user) }
    }
    let users = try Self.users(source).filter { listeners.contains($0.id) }
    user = users.first { $0.isRoot } ?? users.first
    progress = try user.map { try Self.progress(of: $0, source) } ?? [:]
    total = try source.count(of: "libraryItems") + source.count(of: "mediaProgresses")
  }

  private static func authors(_ source: SQLiteSource) throws -> [String: [String]] {
    var (names, authors) = ([String: String](), [String: [String]]())
    try source.rows(of: "authors", only: ["id", "name"]) { row in
      if let id = row.text("id"), let name = row.text("name") { names[id] = name }
    }
    try source.rows(of: "bookAuthors", only: ["bookid", "authorid"], orderedBy: [.column("createdat")]) { row in
      if let book = row.text("bookId"), let name = row.text("authorId").flatMap({ names[$0] }) {
        authors[book, default: []].append(name)
      }
    }
    return authors
  }

  /// Those who were made first come first. Neither passwords nor keys are read.
  private static func users(_ source: SQLiteSource) throws -> [User] {
    var users: [User] = []
    try source.rows(of: "users", only: ["id", "username", "type", "bookmarks"], orderedBy: [.column("createdat")]) { row in
      guard let id = row.text("id") else { return }
      var bookmarks = 0
      if let text = row.text("bookmarks"), case .array(let list)? = JSONValue(json: text) { bookmarks = list.count }
      users.append(User(id: id, name: row.text("username") ?? id, isRoot: row.text("type") == "root", bookmarks: bookmarks))
    }
    return users
  }

  private static func progress(of user: User, _ source: SQLiteSource) throws -> [String: ShelfProgress] {
    var progress: [String: ShelfProgress] = [:]
    try source.rows(of: "mediaProgresses", where: ("userid", .text(user.id)), orderedBy: [.column("updatedat")]) { row in
      guard let book = row.text("mediaItemId"), row.text("mediaItemType") == "book" else { return }
      let members = ["currentTime": "currentTime", "isFinished": "isFinished", "lastUpdate": "updatedAt"]
      progress[book] = ShelfProgress(
        members: members.mapValues { SourceMembers.value(row, $0) }, place: row.path, original: row.original)
    }
    return progress
  }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    try tell(visit)
    var (position, seen) = (0, Set<String>())
    try source.rows(of: "libraryItems") { row in
      position += 1
      let media = row.text("mediaId") ?? ""
      guard row.text("mediaType") != "book" || seen.insert(media).inserted else {
        let reason = "an earlier item has the same book"
        return try visit(.damaged(kind: "collections", path: row.path, reason: reason, original: row.original), position)
      }
      let members = try item(row, media)
      let original = SourceBytes.made { JSONValue.object(members).canonicalText() }
      try AudiobookshelfItem(members, progress[media], at: row.path, original, position).scan(reader, visit)
    }
    try source.rows(of: "mediaProgresses", only: ["userid", "mediaitemid", "mediaitemtype"]) { row in
      position += 1
      func skip(_ reason: String) throws { try visit(.skipped(kind: "playback_states", path: row.path, reason: reason), position) }
      if row.text("mediaItemType") != "book" {
        try skip("not an audiobook")
      } else if row.text("userId") != user?.id {
        try skip("the position of another user of the server")
      } else if row.text("mediaItemId").map(seen.contains) != true {
        try skip("its book is not in the database")
      }
    }
  }

  /// What is read of whom, and what is not read.
  private func tell(_ visit: LibraryRecord.Visit) throws {
    if let user {
      let place = SourcePath.text("users")
      try visit(.note("the positions are those of the user \(user.name)", path: place), 0)
      for _ in 0..<user.bookmarks { try visit(.note("the library has no place for bookmarks", path: place), 0) }
    }
    for table in source.tables where !Self.read.contains(SQLiteSource.lowercased(table)) {
      let rows = try source.count(of: table)
      if rows > 0 { try visit(.note("the table \(table) was not read; rows: \(rows)", path: .text(table)), 0) }
    }
  }

  /// An item as the API writes it.
  private func item(_ row: SQLiteRow, _ media: String) throws -> [String: JSONValue] {
    var item: [String: JSONValue] = ["addedAt": SourceMembers.value(row, "createdAt")]
    for column in ["id", "path", "mediaType", "updatedAt", "isMissing", "isInvalid"] { item[column] = SourceMembers.value(row, column) }
    try source.rows(of: "books", where: ("id", .text(media))) { book in
      var (own, metadata) = ([String: JSONValue](), [String: JSONValue]())
      for column in book.columns {
        var value = SourceMembers.value(book, column)
        if Self.json.contains(column), case .string(let text) = value { value = JSONValue(json: text) ?? value }
        if Self.ofMedia.contains(column) { own[column] = value } else { metadata[column] = value }
      }
      metadata["authors"] = .array((authors[media] ?? []).map { .object(["name": .string($0)]) })
      own["metadata"] = .object(metadata)
      item["media"] = .object(own)
    }
    return item
  }
}
