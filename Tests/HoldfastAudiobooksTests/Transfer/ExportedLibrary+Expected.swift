import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import Testing

extension ExportedLibrary {
  /// What the player should read of these collections, which must hold only what it knows: times cut to whole seconds.
  init(_ collections: [AudiobookCollection]) throws {
    schemaVersion = 3
    self.collections = try collections.map(Collection.init)
  }
}

extension ExportedLibrary.Collection {
  fileprivate init(_ collection: AudiobookCollection) throws {
    self.init(
      id: collection.id, title: collection.title, author: collection.author, description: collection.description,
      coverAsset: ExportedLibrary.Cover(kind: try .init(collection.cover), dominantColorHex: collection.cover.dominantColorHex),
      createdAt: collection.createdAt.wholeSeconds, updatedAt: collection.updatedAt.wholeSeconds,
      source: try .init(collection.source.kind), tracks: try collection.tracks.map { try .init($0, collection.favorites[$0.id]) },
      lastPlayedTrackId: collection.lastPlayedTrackID,
      playbackStates: collection.playbackStates.mapValues {
        ExportedLibrary.State(position: $0.position, duration: $0.duration, updatedAt: $0.updatedAt.wholeSeconds)
      }, tags: collection.tags)
  }
}

extension ExportedLibrary.Track {
  fileprivate init(_ track: AudiobookTrack, _ favorite: Favorite?) throws {
    self.init(
      id: track.originalID ?? track.id, displayName: track.displayName, filename: track.filename, location: try .init(track.location.kind),
      fileSize: track.fileSize, duration: track.duration, trackNumber: track.trackNumber, checksum: track.checksum,
      metadata: try track.metadata.decoded(), isFavorite: favorite != nil, favoritedAt: favorite?.favoritedAt?.wholeSeconds)
  }
}

private struct Unknown: Error {}

extension ExportedLibrary.Source {
  fileprivate init(_ source: CollectionSource) throws {
    switch source {
    case .baiduNetdisk(let path, let scope): self = .baiduNetdisk(folderPath: path, tokenScope: scope)
    case .local(let bookmark): self = .local(directoryBookmark: bookmark)
    case .external(let text): self = .external(description: text)
    default: throw Unknown()
    }
  }
}

extension ExportedLibrary.Location {
  fileprivate init(_ location: TrackLocation) throws {
    switch location {
    case .baidu(let id, let path): self = .baidu(fsId: id, path: path)
    case .local(let bookmark): self = .local(urlBookmark: bookmark)
    case .external(let url): self = .external(url: try #require(URL(string: url)))
    default: throw Unknown()
    }
  }
}

extension ExportedLibrary.CoverKind {
  fileprivate init(_ cover: CollectionCover) throws {
    switch cover.image.kind {
    case .solid(let color): self = .solid(colorHex: color)
    case .image(let path): self = .image(relativePath: path)
    case .remote(let url): self = .remote(url: url)
    default: throw Unknown()
    }
  }
}

extension Date {
  var wholeSeconds: Date { Date(timeIntervalSince1970: timeIntervalSince1970.rounded(.down)) }
}

extension Sample {
  /// A collection of `collection(_:tracks:)` without what the player does not know.
  static func playersCollection(_ random: inout SeededGenerator, wholeSeconds: Bool = false) -> AudiobookCollection {
    var collection = collection(&random)
    if !["baiduNetdisk", "local", "external"].contains(collection.source.type) {
      collection.source = Tagged(.baiduNetdisk(folderPath: "/有声书/\"三体\"", tokenScope: "netdisk"))
    }
    if !["solid", "image", "remote"].contains(collection.cover.image.type) { collection.cover = .standard }
    for place in collection.tracks.indices {
      collection.tracks[place].metadata = random.pick([.empty, StoredJSON(text: #"{"album":"a/b","artist":"刘慈欣"}"#)])
      if !["local", "baidu"].contains(collection.tracks[place].location.type) {
        collection.tracks[place].location = Tagged(.external(url: "https://example.com/a%20b.mp3?q=%221%22&x=(1)#t=3"))
      }
    }
    guard wholeSeconds else { return collection }
    collection.createdAt = collection.createdAt.wholeSeconds
    collection.updatedAt = collection.updatedAt.wholeSeconds
    collection.playbackStates = collection.playbackStates.mapValues {
      PlaybackState(position: $0.position, duration: $0.duration, updatedAt: $0.updatedAt.wholeSeconds)
    }
    collection.favorites = collection.favorites.mapValues { Favorite(favoritedAt: $0.favoritedAt?.wholeSeconds) }
    return collection
  }
}
