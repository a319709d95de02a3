import ArgumentParser
import AudiobookLibrary
import Foundation
import Holdfast

struct Info: Subcommand {
  static let configuration = CommandConfiguration(
    abstract: "Says what a store holds, and how large it is.",
    discussion: """
      Looks only: a store that needs migrations is not migrated.

      Example: holdfast info library.sqlite
      """)

  @Argument(help: "The store to look at.", completion: .file())
  var store: FilePath

  @OptionGroup var lock: LockOptions
  @OptionGroup var output: OutputOptions

  func perform(_ console: Console) throws -> Answer {
    let schemas = try Store.kinds(at: store.url, busyTimeout: lock.storeOptions.busyTimeout)
    return try withLibrary(store, lock) { library in
      let facts = Facts(
        schemas: schemas, file: try library.store.statistics(), library: try library.statistics(),
        snapshots: try Snapshot.all(of: store.url).count)
      return Answer(document: document(facts), text: text(facts))
    }
  }

  private struct Facts {
    var schemas: [String: Int]
    var file: StoreStatistics
    var library: LibraryStatistics
    var snapshots: Int

    /// Of the file's version, compared with the one that this program knows.
    var age: String {
      let known = AudiobookLibrary.schema
      let version = schemas[known.name] ?? 0
      return version == known.version ? "current" : version < known.version ? "older" : "newer"
    }
    var quarantined: Int { file.rows["holdfast_quarantine"] ?? 0 }
    var imports: Int { file.rows["holdfast_imports"] ?? 0 }
  }

  private func text(_ facts: Facts) -> String {
    var list = FactList()
    list.add("store", store.path)
    list.add("schemas", facts.schemas.sorted { $0.key < $1.key }.map { "\($0.key) version \($0.value)" }.joined(separator: ", "))
    switch facts.age {
    case "older": list.add("version", "older than this program: the next import migrates it, after a snapshot")
    case "newer": list.add("version", "newer than this program, which can only read it")
    default: list.add("version", "current")
    }
    list.add("file", "\(DisplayText.size(facts.file.fileBytes)), log \(DisplayText.size(facts.file.logBytes))")
    list.add("pages", "\(facts.file.pages) of \(facts.file.pageBytes) bytes, \(facts.file.freePages) free")
    list.add("snapshots", String(facts.snapshots))
    list.add("imports", String(facts.imports))
    list.add("quarantined", facts.quarantined > 0 ? "\(facts.quarantined) records and fields" : nil)
    let library = facts.library
    list.add(
      "collections",
      "\(library.collections), \(library.finishedCollections) finished, \(library.collectionsInProgress) in progress")
    list.add("tracks", "\(library.tracks), \(library.finishedTracks) finished, \(library.tracksInProgress) in progress")
    list.add("length", DisplayText.length(library.totalSeconds))
    list.add("heard", DisplayText.length(library.listenedSeconds))
    list.add("favorites", String(library.favorites))
    return list.text
  }

  private func document(_ facts: Facts) -> [String: JSONValue] {
    let library = facts.library
    return [
      "store": .string(store.path), "schemas": .numbers(facts.schemas),
      "version": .string(facts.age), "writable": .bool(FileManager.default.isWritableFile(atPath: store.path)),
      "file": .object([
        "bytes": .integer(facts.file.fileBytes), "log_bytes": .integer(facts.file.logBytes), "page_bytes": .number(facts.file.pageBytes),
        "pages": .number(facts.file.pages), "free_pages": .number(facts.file.freePages),
      ]),
      "rows": .numbers(facts.file.rows), "snapshots": .number(facts.snapshots), "imports": .number(facts.imports),
      "quarantined": .number(facts.quarantined),
      "library": .object([
        "collections": .number(library.collections), "tracks": .number(library.tracks), "favorites": .number(library.favorites),
        "total_seconds": .double(library.totalSeconds), "listened_seconds": .double(library.listenedSeconds),
        "finished_tracks": .number(library.finishedTracks), "tracks_in_progress": .number(library.tracksInProgress),
        "finished_collections": .number(library.finishedCollections),
        "collections_in_progress": .number(library.collectionsInProgress),
      ]),
    ]
  }
}
