import Foundation
import Holdfast
import MusicLibrary

/// Music on the command line.
struct MusicCommands: LibraryCommands {
  static let schema = MusicLibrary.schema
  static let readableFormats = MusicLibrary.readableFormats.map(Format.init)
  static let writableFormats = [Format(name: "holdfast", what: "Holdfast's documented export: everything, checksummed, importable")]
  static let lists = ["albums", "artists", "playlists", "tracks"]
  static let counted = [(table: "tracks", what: "tracks"), (table: "collections", what: "playlists")]

  let library: MusicLibrary

  init(_ store: Store) { library = MusicLibrary(store) }

  static func likeness(of source: SourceLook) -> Likeness? {
    if let exported = source.exportedSchemas { return exported.contains(name) ? .certain : nil }
    if let tables = source.tables {
      // An audiobook player has collections and tracks, too.
      return tables.isSuperset(of: ["collections", "tracks", "collection_tracks"]) ? .certain : nil
    }
    if !source.members.isEmpty { return likeness(ofJSON: source) }
    let beginning = source.beginning.drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    if beginning.hasPrefix("#EXTM3U") { return .certain }
    guard beginning.hasPrefix("<") else { return nil }
    let isOfMusic = ["apple.com/DTDs/PropertyList", "<plist", "xspf.org/ns/0", "<playlist"].contains { beginning.contains($0) }
    return isOfMusic ? .certain : nil
  }

  private static func likeness(ofJSON source: SourceLook) -> Likeness? {
    if source.member("schemaVersion") != nil { return nil }
    if source.member("tracks") != nil { return .certain }
    guard let playlists = source.member("collections") else { return nil }
    if playlists.keys.isEmpty { return .possible }
    return playlists.keys.isSuperset(of: ["name", "trackIDs"]) ? .certain : nil
  }

  static func importLibrary(
    from source: URL, into store: URL, format: String?, options: ImportOptions, storeOptions: StoreOptions
  ) throws -> ImportReport {
    try MusicLibrary.importLibrary(from: source, into: store, format: format, options: options, storeOptions: storeOptions)
  }

  func export(to file: URL, format: String) throws -> ExportReport { try library.store.export(to: file) }

  func info(_ facts: inout FactList) throws -> JSONValue {
    let numbers = try library.statistics()
    let counts = numbers.counts
    facts.add("tracks", String(counts.tracks))
    facts.add("albums", "\(counts.albums) of \(counts.artists) artists")
    facts.add("playlists", counts.folders > 0 ? "\(counts.playlists) in \(counts.folders) folders" : String(counts.playlists))
    facts.add("length", DisplayText.length(numbers.totalSeconds))
    facts.add("files", DisplayText.size(numbers.totalBytes))
    facts.add("plays", "\(numbers.plays) of \(numbers.playedTracks) tracks")
    return .object(Self.json(numbers))
  }

  /// What `info` and `stats` say alike.
  static func json(_ numbers: MusicStatistics) -> [String: JSONValue] {
    let counts = numbers.counts
    return [
      "tracks": .number(counts.tracks), "albums": .number(counts.albums), "artists": .number(counts.artists),
      "playlists": .number(counts.playlists), "folders": .number(counts.folders), "total_seconds": .double(numbers.totalSeconds),
      "total_bytes": .integer(numbers.totalBytes), "plays": .number(numbers.plays), "played_tracks": .number(numbers.playedTracks),
    ]
  }
}
