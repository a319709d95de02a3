import Foundation
import Holdfast
import HoldfastTransfer

/// The player's own JSON, version 1, for writing: nil keys are left out, and ids are in upper case. What the player does not know
/// stands beside what it does, because its decoder passes over keys that it does not know.
struct PlayerMusicJSON: Encodable {
  struct Track: Encodable {
    var id: String
    var title: String
    var artist: String
    var album: String
    var albumArtist: String?
    var duration: Double
    var fileURL: String
    var artworkURL: String?
    var artworkData: Data?
    var genre: String?
    var year: Int?
    var trackNumber: Int?
    var discNumber: Int?
    var isCompilation: Bool?
    var playCount: Int?
    var lastPlayedAt: String?
    var rating: Int?
    var addedAt: String
    var persistentID: String?
  }

  struct Playlist: Encodable {
    var id: String
    var name: String
    var trackIDs: [String]
  }

  var version = MusicJSON.newestVersion
  var tracks: [Track] = []
  var collections: [Playlist] = []
  /// Even when it is empty; the player does not see it.
  var unread: [UnreadRecord]

  /// - Throws: `.invalidValue` for what the file has no place for.
  init(_ reader: Reader, unread: [UnreadRecord], for path: String) throws {
    self.unread = unread
    func refuse(_ kind: String, _ id: UUID, _ reason: String) -> StoreError {
      StoreError(.invalidValue, "\(kind) \(IDCodec.lowercase(id)) cannot be kept in \(path): \(reason)")
    }
    for track in try MusicStore.tracks(in: reader) {
      guard let location = track.file.location else { throw refuse("tracks", track.id, "the player wants every track to have a file") }
      guard track.metadata == .empty else { throw refuse("tracks", track.id, "it has no place for metadata") }
      guard let added = Self.date(track.addedAt) else { throw refuse("tracks", track.id, "its date cannot be written") }
      tracks.append(
        Track(
          id: IDCodec.uppercase(track.id), title: track.title, artist: track.artist, album: track.album, albumArtist: track.albumArtist,
          // The player has no other word for a length that is not known.
          duration: track.duration ?? 0, fileURL: location.text, artworkURL: track.artworkURL,
          artworkData: try track.artworkHash.flatMap { try MusicStore.artwork($0, in: reader)?.data }, genre: track.genre,
          year: track.year, trackNumber: track.trackNumber, discNumber: track.discNumber, isCompilation: track.isCompilation ? true : nil,
          playCount: track.playCount > 0 ? track.playCount : nil, lastPlayedAt: track.lastPlayedAt.flatMap(Self.date),
          rating: track.rating, addedAt: added, persistentID: track.persistentID))
    }
    for list in try MusicStore.playlists(in: reader) {
      guard !list.isFolder, list.parentID == nil else { throw refuse("collections", list.id, "it has no place for folders") }
      guard list.persistentID == nil else { throw refuse("collections", list.id, "it has no place for a persistent id") }
      collections.append(Playlist(id: IDCodec.uppercase(list.id), name: list.name, trackIDs: list.trackIDs.map(IDCodec.uppercase)))
    }
  }

  private static func date(_ date: Date) -> String? {
    if case .string(let text) = JSONValue.iso8601(date) { text } else { nil }
  }
}
