import Foundation

/// The app as it was: one `library.json`, decoded whole, and encoded and replaced whole by every save.
final class JSONContestant: Contestant {
  static let name = "JSON file"
  static let fileName = DataSet.jsonName
  static let rewritesWholeFile = true
  static let imports = true
  private let file: URL
  /// What the app keeps in memory; read at the first save, because loads read the file itself.
  private var kept: LegacyLibrary?

  init(folder: String, durability: Durability) throws { file = URL(fileURLWithPath: folder + "/" + Self.fileName) }

  func close() throws { kept = nil }

  func settle() throws {
    if kept == nil { kept = try decoded() }
  }

  func loadLibrary() throws -> any Loaded { LoadedLegacy(collections: try decoded().collections) }

  func loadCollection(_ id: UUID) throws -> any Loaded {
    LoadedLegacy(collections: try decoded().collections.filter { $0.id == id })
  }

  func readTrack(_ id: UUID) throws -> any Loaded { throw Failure("the JSON file has no point reads") }

  func savePosition(_ save: SavedPosition) throws {
    try change { library in
      guard let place = library.collections.firstIndex(where: { $0.id == save.collection }) else { return }
      library.collections[place].playbackStates[save.track] = LegacyState(
        position: save.position, duration: save.duration, updatedAt: save.updatedAt)
      library.collections[place].lastPlayedTrackId = save.track
      library.collections[place].updatedAt = save.updatedAt
    }
  }

  func addTracks(_ tracks: [SeedTrack], to collection: UUID, at milliseconds: Int64) throws -> Work {
    let tracks = try tracks.map(LegacyTrack.init)
    return { [self] in
      try change { library in
        guard let place = library.collections.firstIndex(where: { $0.id == collection }) else { return }
        library.collections[place].tracks += tracks
        library.collections[place].updatedAt = Date(milliseconds: milliseconds)
      }
    }
  }

  func deleteCollection(_ id: UUID) throws {
    try change { library in library.collections.removeAll { $0.id == id } }
  }

  func insertAll(_ library: SeedLibrary) throws -> Work {
    var values = try LegacyLibrary(library)
    for place in values.collections.indices {
      values.collections[place].playbackStates = [:]
      for track in values.collections[place].tracks.indices {
        values.collections[place].tracks[track].isFavorite = false
        values.collections[place].tracks[track].favoritedAt = nil
      }
    }
    return { [self, values] in try write(values) }
  }

  static func importLibrary(json: String, into folder: String) throws -> any Loaded {
    let data = try Data(contentsOf: URL(fileURLWithPath: json))
    return LoadedLegacy(collections: try LegacyLibrary.decoder.decode(LegacyLibrary.self, from: data).collections)
  }

  private func decoded() throws -> LegacyLibrary {
    try LegacyLibrary.decoder.decode(LegacyLibrary.self, from: Data(contentsOf: file))
  }

  private func write(_ library: LegacyLibrary) throws {
    try LegacyLibrary.encoder.encode(library).write(to: file, options: .atomic)
  }

  private func change(_ body: (inout LegacyLibrary) -> Void) throws {
    // Taken out, so that the change is made in place and not on a copy.
    guard var library = kept else { throw Failure("the JSON file was not read before it was changed") }
    kept = nil
    body(&library)
    try write(library)
    kept = library
  }
}

private struct LoadedLegacy: Loaded {
  var collections: [LegacyCollection]

  var checksum: Checksum {
    var sum = Checksum()
    for collection in collections {
      sum.addCollection(
        tags: collection.tags.count, title: collection.title.utf8.count, updatedAtMilliseconds: collection.updatedAt.milliseconds)
      for track in collection.tracks {
        sum.addTrack(id: track.id, fileSize: track.fileSize, textBytes: track.displayName.utf8.count + track.filename.utf8.count)
        if track.isFavorite { sum.addFavorites(1) }
        if let state = collection.playbackStates[track.id] {
          sum.addState(position: state.position, updatedAtMilliseconds: state.updatedAt.milliseconds)
        }
      }
    }
    return sum
  }
}
