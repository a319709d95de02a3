import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTransfer

/// Music on the command line.
struct MusicCommands: LibraryCommands {
  static let schema = MusicStore.schema
  static let readableFormats = MusicStore.readableFormats.map(Format.init)
  static let writableFormats = MusicStore.writableFormats.map(Format.init)
  static let lists = ["albums", "artists", "playlists", "tracks"]
  static let counted = [(table: "tracks", what: "tracks"), (table: "collections", what: "playlists")]

  let library: MusicStore

  init(_ store: Store) { library = MusicStore(store) }

  static func likeness(of source: SourceLook) -> Likeness? {
    if let exported = source.exportedSchemas { return exported.contains(name) ? .certain : nil }
    if let tables = source.tables {
      // An audiobook player has collections and tracks, too.
      return tables.isSuperset(of: ["collections", "tracks", "collection_tracks"]) ? .certain : nil
    }
    if !source.members.isEmpty { return likeness(ofJSON: source) }
    if source.isEmpty { return nil }
    // A list of paths need not say what it is: then its name must.
    let beginnings = ["#EXTM3U", "bplist"]
    if beginnings.contains(where: source.beginning.hasPrefix) || ["m3u", "m3u8"].contains(source.fileExtension) { return .certain }
    guard source.beginning.hasPrefix("<") else { return nil }
    let roots = ["apple.com/DTDs/PropertyList", "<plist", "xspf.org/ns/0", "<playlist"]
    return roots.contains(where: source.beginning.contains) ? .certain : nil
  }

  private static func likeness(ofJSON source: SourceLook) -> Likeness? {
    if source.member("schemaVersion") != nil { return nil }
    if source.member("tracks") != nil { return .certain }
    guard let playlists = source.member("collections") else { return nil }
    if playlists.keys.isEmpty { return .possible }
    return playlists.keys.isSuperset(of: ["name", "trackIDs"]) ? .certain : nil
  }

  static func importLibrary(
    from source: URL, into store: URL, format: String?, hints: SourceHints, options: ImportOptions, storeOptions: StoreOptions
  ) throws -> ImportReport {
    guard hints.weightUnit == nil else {
      throw StoreError(.wrongKind, "a library of \(Self.name) has no weights", suggestion: "the same without --unit")
    }
    return try MusicStore.importLibrary(
      from: source, into: store, format: format, hints: hints, options: options, storeOptions: storeOptions)
  }

  func export(to file: URL, format: String, _ wishes: ExportWishes) throws -> ExportReport {
    try wishes.refuseUnit(of: "a library of \(Self.name)")
    let id = try wishes.playlist.map { name in try library.store.read { try MusicLookup(text: name, in: $0).playlist() } }
    return switch format {
    case "m3u8": try library.exportM3U(playlist: id, to: file)
    case "xspf": try library.exportXSPF(playlist: id, to: file)
    default: try library.export(to: file)
    }
  }

  func info(_ facts: inout FactList) throws -> JSONValue {
    let numbers = try library.statistics()
    let counts = numbers.counts
    facts.add("tracks", String(counts.tracks))
    facts.add("albums", "\(counts.albums) of \(counts.artists) artists")
    facts.add("playlists", counts.folders > 0 ? "\(counts.playlists) in \(counts.folders) folders" : String(counts.playlists))
    facts.add("length", DisplayText.length(numbers.totalSeconds))
    facts.add("files", numbers.totalBytes > 0 ? DisplayText.size(numbers.totalBytes) : nil)
    facts.add("plays", Self.plays(numbers))
    return .object(Self.json(numbers))
  }

  static func plays(_ numbers: MusicStatistics) -> String {
    numbers.plays > 0 ? "\(numbers.plays) of \(numbers.playedTracks) tracks" : "none"
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
