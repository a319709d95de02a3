import Foundation

extension LegacyLibrary {
  init(_ seed: SeedLibrary) throws {
    self.init(schemaVersion: 3, collections: try seed.collections.map(LegacyCollection.init))
  }
}

extension LegacyCollection {
  init(_ seed: SeedCollection) throws {
    var states: [UUID: LegacyState] = [:]
    for track in seed.tracks {
      guard let state = track.state else { continue }
      states[track.id] = LegacyState(
        position: state.position, duration: state.duration, updatedAt: Date(milliseconds: state.updatedAt))
    }
    self.init(
      id: seed.id, title: seed.title, author: seed.author, description: seed.description,
      coverAsset: LegacyCover(kind: .solid(colorHex: seed.colorHex), dominantColorHex: seed.colorHex),
      createdAt: Date(milliseconds: seed.createdAt), updatedAt: Date(milliseconds: seed.updatedAt),
      source: .baiduNetdisk(folderPath: seed.folder, tokenScope: "netdisk"), tracks: try seed.tracks.map(LegacyTrack.init),
      lastPlayedTrackId: seed.lastPlayedTrack, playbackStates: states, tags: seed.tags)
  }
}

extension LegacyTrack {
  init(_ seed: SeedTrack) throws {
    self.init(
      id: seed.id, displayName: seed.displayName, filename: seed.filename, location: try LegacyLocation(seed), fileSize: seed.fileSize,
      duration: seed.duration, trackNumber: seed.trackNumber, checksum: seed.checksum, metadata: seed.metadata,
      isFavorite: seed.favoritedAt != nil, favoritedAt: seed.favoritedAt.map(Date.init(milliseconds:)))
  }
}

extension LegacyLocation {
  init(_ seed: SeedTrack) throws {
    switch seed.locationType {
    case "baidu": self = .baidu(fsId: seed.fileID, path: seed.path)
    case "local": self = .local(urlBookmark: Data(seed.path.utf8))
    default:
      guard let url = URL(string: "https://example.com\(seed.path)") else { throw Failure("no URL of \(seed.path)") }
      self = .external(url: url)
    }
  }
}
