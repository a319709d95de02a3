import Foundation
import Holdfast
import HoldfastTransfer

/// One item of an Audiobookshelf server, as its API writes it: a book with its files, and one user's progress in it.
struct AudiobookshelfItem {
  let members: [String: JSONValue]
  let progress: ShelfProgress?
  let place: SourcePath
  let original: SourceBytes
  let position: Int
  private let shape = LibraryShape.shelf

  init(_ members: [String: JSONValue], _ progress: ShelfProgress?, at place: SourcePath, _ original: SourceBytes, _ position: Int) {
    (self.members, self.progress, self.place, self.original, self.position) = (members, progress, place, original, position)
  }

  /// One of the book's files.
  private struct File {
    let id: UUID
    let place: SourcePath
    let json: JSONValue
    var members = SourceMembers([:])
    var said: SaidRow<TrackRow>
    var isExcluded: Bool { member("exclude") == .bool(true) }

    init(_ json: JSONValue, at index: Int, in book: UUID, _ item: SourcePath) {
      (self.json, place) = (json, .text("\(item).media.audioFiles[\(index)]"))
      var (file, about) = ([String: JSONValue](), [String: JSONValue]())
      if case .object(let members) = json { file = members }
      if case .object(let members)? = file["metadata"] { about = members }
      id = Audiobookshelf.id(ofFile: about.string("relPath") ?? about.string("path") ?? "", in: book)
      for name in ["path", "filename", "size"] { members.set(name, about[name] ?? .null) }
      members.set("name", about.string("filename").map { .string(($0 as NSString).deletingPathExtension) } ?? .null)
      members.set("duration", file["duration"] ?? .null)
      members.set("index", file["index"] ?? .integer(Int64(clamping: index) &+ 1))
      if case .object(let tags)? = file["metaTags"] { members.set("metaTags", .object(tags.filter { $0.value != .null })) }
      said = members.read(LibraryShape.shelf.tracks.fields, into: .blank(nil))
      said.row.place(id, of: id, in: book, at: index)
    }

    func member(_ name: String) -> JSONValue { if case .object(let members) = json { members[name] ?? .null } else { .null } }
  }

  func scan(_ reader: Reader, _ visit: LibraryRecord.Visit) throws {
    guard try !book(reader, visit), let progress else { return }
    try progress.scan(.skipped("its book is not imported"), of: .zero, at: position, reader, visit)
  }

  /// Returns whether the book can be imported.
  private func book(_ reader: Reader, _ visit: LibraryRecord.Visit) throws -> Bool {
    func refuse(_ reason: String) throws -> Bool {
      try visit(.damaged(kind: "collections", path: place, reason: reason, original: original), position)
      return false
    }
    func skip(_ kind: String, _ reason: String) throws -> Bool {
      try visit(.skipped(kind: kind, path: place, reason: reason), position)
      return false
    }
    if members.string("mediaType") == "podcast" { return try skip("podcasts", "not an audiobook") }
    guard let key = members.string("id"), !key.isEmpty, case .object(let media)? = members["media"],
      case .object(let metadata)? = media["metadata"]
    else { return try refuse("it should be an item with an id and a book") }
    switch media["audioFiles"] {
    case .array(let files)? where !files.isEmpty: return try scan(media, metadata, files, Audiobookshelf.id(key), reader, visit)
    case .array?, .null?: return try skip("collections", "a book without audio")
    case nil:
      return try refuse(
        "the short form of an item does not list its files: save the answer to POST /api/items/batch/get instead, "
          + "or to GET /api/items/ID?expanded=1&include=progress")
    default: return try refuse("audioFiles should be a list")
    }
  }

  private func scan(
    _ media: [String: JSONValue], _ metadata: [String: JSONValue], _ list: [JSONValue], _ id: UUID, _ reader: Reader,
    _ visit: LibraryRecord.Visit
  ) throws -> Bool {
    let files = list.enumerated().map { File($0.element, at: $0.offset, in: id, place) }
    let heard = progress?.heard(
      of: files.filter { !$0.isExcluded }.map { ($0.members.problem == nil ? $0.id : nil, $0.said.row.track.duration) })
    var given = ["path": members["path"] ?? .null, "addedAt": members["addedAt"] ?? .null, "updatedAt": members["updatedAt"] ?? .null]
    given["title"] = metadata["title"].flatMap { Audiobookshelf.says($0) ? $0 : nil } ?? folder
    given["author"] = Self.author(metadata)
    given["description"] = metadata["description"] ?? .null
    if case .states(let states)? = heard, let last = states.last, try !isHeardLater(id, than: last.state.updatedAt, reader),
      try !LibraryRecord.wasDeleted(track: last.track, reader)
    {
      given["lastPlayed"] = .id(last.track)
    }
    var book = SourceMembers(given)
    let said = book.read(shape.collections.fields, into: .blank(Written(value: id, text: .id(id))))
    guard try book.finish(kind: "collections", path: place, original: original, at: position, visit) else { return false }
    try visit(.record(shape.collections.record(said, ids: [.id(id)], path: place, original: original)), position)
    for part in [members, media, metadata] { try tell(part, visit) }
    try tags(media, metadata, of: id, visit)
    for var file in files { try scan(&file, of: id, visit) }
    if let progress, let heard { try progress.scan(heard, of: id, at: position, reader, visit) }
    return true
  }

  /// Whether the listener has heard the book in the library since the server's position, so that the last played track stays the library's.
  private func isHeardLater(_ id: UUID, than time: Date, _ reader: Reader) throws -> Bool {
    try reader.count("SELECT count(*) FROM playback_states WHERE collection_id = \(id) AND updated_at > \(time)") > 0
  }

  /// The name of the item's folder or file.
  private var folder: JSONValue { members.string("path").map { .string(($0 as NSString).lastPathComponent) } ?? .null }

  private static func author(_ metadata: [String: JSONValue]) -> JSONValue {
    guard case .array(let authors)? = metadata["authors"] else {
      return metadata["authorName"].flatMap { $0 == .string("") ? nil : $0 } ?? .null
    }
    let names = authors.compactMap { if case .object(let author) = $0 { author.string("name") } else { nil } }
    return names.isEmpty ? .null : .string(names.joined(separator: ", "))
  }

  /// Tells what says something and has no place in the library.
  private func tell(_ part: [String: JSONValue], _ visit: LibraryRecord.Visit) throws {
    for (name, value) in part.sorted(by: { $0.key < $1.key }) where Audiobookshelf.says(value) {
      guard !Audiobookshelf.imported.contains(name), !Audiobookshelf.bookkeeping.contains(name) else { continue }
      try visit(.note("the library has no place for \(name)", path: place), position)
    }
  }

  private func tags(_ media: [String: JSONValue], _ metadata: [String: JSONValue], of id: UUID, _ visit: LibraryRecord.Visit) throws {
    var tags: [String] = []
    for (name, value) in [("tags", media["tags"] ?? .null), ("genres", metadata["genres"] ?? .null)] where value != .null {
      if let texts = value.texts {
        tags += texts.filter { !tags.contains($0) }
      } else {
        let original = SourceBytes.made { value.canonicalText() }
        try visit(
          .damagedField(kind: "collections", field: name, path: place, reason: "\(name) should be a list of texts", original: original),
          position)
      }
    }
    for (index, tag) in tags.enumerated() {
      let row = TagRow(collectionID: id, tag: tag, position: ListPlace.position(at: index))
      try visit(
        .record(LibraryShape.tag(row, in: .id(id), path: place, original: .made { JSONValue.string(tag).canonicalText() })), position)
    }
  }

  private func scan(_ file: inout File, of id: UUID, _ visit: LibraryRecord.Visit) throws {
    guard !file.isExcluded else {
      return try visit(.skipped(kind: "tracks", path: file.place, reason: "the server leaves this file out of its book"), position)
    }
    let json = file.json
    let original = SourceBytes.made { json.canonicalText() }
    guard try file.members.finish(kind: "tracks", path: file.place, original: original, at: position, visit) else { return }
    try visit(.record(shape.tracks.record(file.said, ids: [.id(file.id), .id(id)], path: file.place, original: original)), position)
    if Audiobookshelf.says(file.member("codec")) {
      try visit(.note("the library has no place for a file's codec, bit rate and format", path: file.place), position)
    }
  }
}
