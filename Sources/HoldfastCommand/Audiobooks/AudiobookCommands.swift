import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer

/// Audiobooks on the command line.
struct AudiobookCommands: LibraryCommands {
  static let schema = AudiobookLibrary.schema
  static let readableFormats = AudiobookLibrary.readableFormats.map(Format.init)
  static let writableFormats = AudiobookLibrary.writableFormats.map(Format.init)
  static let lists = ["collections"]
  static let counted = [(table: "collections", what: "collections"), (table: "tracks", what: "tracks")]

  let library: AudiobookLibrary

  init(_ store: Store) { library = AudiobookLibrary(store) }

  static func likeness(of source: SourceLook) -> Likeness? {
    if let exported = source.exportedSchemas { return exported.contains(name) ? .certain : nil }
    if let tables = source.tables {
      // A music player has collections and tracks, too.
      return tables.isSuperset(of: ["collections", "tracks"]) && !tables.contains("collection_tracks") ? .certain : nil
    }
    if source.member("schemaVersion") != nil { return .certain }
    guard let collections = source.member("collections") else { return nil }
    if collections.keys.isEmpty { return source.member("tracks") == nil ? .possible : nil }
    return collections.keys.isDisjoint(with: ["title", "coverAsset", "tracks", "playbackStates"]) ? nil : .certain
  }

  static func importLibrary(
    from source: URL, into store: URL, format: String?, hints: SourceHints, options: ImportOptions, storeOptions: StoreOptions
  ) throws -> ImportReport {
    guard hints == SourceHints() else {
      throw StoreError(
        .wrongKind, "what is imported into a library of \(Self.name) says its times and its encoding itself, and has no weights",
        suggestion: "the same without --time-zone, --encoding and --unit")
    }
    return try AudiobookLibrary.importLibrary(from: source, into: store, format: format, options: options, storeOptions: storeOptions)
  }

  func export(to file: URL, format: String, _ wishes: ExportWishes) throws -> ExportReport {
    try wishes.refusePlaylist(of: Self.name)
    try wishes.refuseUnit(of: "a library of \(Self.name)")
    return format == "library-json" ? try library.exportLibraryJSON(to: file) : try library.export(to: file)
  }

  func info(_ facts: inout FactList) throws -> JSONValue {
    let numbers = try library.statistics()
    facts.add(
      "collections",
      "\(numbers.collections), \(numbers.finishedCollections) finished, \(numbers.collectionsInProgress) in progress")
    facts.add("tracks", "\(numbers.tracks), \(numbers.finishedTracks) finished, \(numbers.tracksInProgress) in progress")
    facts.add("length", DisplayText.length(numbers.totalSeconds))
    facts.add("heard", DisplayText.length(numbers.listenedSeconds))
    facts.add("favorites", String(numbers.favorites))
    return .object([
      "collections": .number(numbers.collections), "tracks": .number(numbers.tracks), "favorites": .number(numbers.favorites),
      "total_seconds": .double(numbers.totalSeconds), "listened_seconds": .double(numbers.listenedSeconds),
      "finished_tracks": .number(numbers.finishedTracks), "tracks_in_progress": .number(numbers.tracksInProgress),
      "finished_collections": .number(numbers.finishedCollections),
      "collections_in_progress": .number(numbers.collectionsInProgress),
    ])
  }
}
