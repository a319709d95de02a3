import Foundation
import Holdfast
import HoldfastTransfer

/// The player's own JSON, version 1, for writing: nil values are left out, and ids are in upper case. Fields that the player
/// does not know are written too, because its decoder ignores unknown keys.
struct PlayerMusicJSON: Encodable {
  var version = MusicJSON.newestVersion
  var tracks: [JSONValue] = []
  var collections: [JSONValue] = []
  /// Written even when empty; the player ignores it.
  var unread: [UnreadRecord]

  /// - Throws: `.invalidValue` for a value that the file cannot hold.
  init(_ reader: Reader, unread: [UnreadRecord], for path: String) throws {
    self.unread = unread
    func refuse(_ kind: String, _ id: UUID, _ reason: String) -> StoreError {
      StoreError(.invalidValue, "\(kind) \(IDCodec.lowercase(id)) cannot be kept in \(path): \(reason)")
    }
    for track in try MusicStore.tracks(in: reader) {
      guard track.file.location != nil else { throw refuse("tracks", track.id, "the player wants every track to have a file") }
      guard track.metadata == .empty else { throw refuse("tracks", track.id, "it has no place for metadata") }
      // 0 is the player's value for an unknown length.
      var members = MusicShape.json.tracks.fields.object(of: track, absent: ["duration": .double(0)])
      guard track.addedAt == nil || members["addedAt"] != nil else { throw refuse("tracks", track.id, "its date cannot be written") }
      if !track.isCompilation { members["isCompilation"] = nil }
      if track.playCount == 0 { members["playCount"] = nil }
      members["artworkData"] = try track.artworkHash.flatMap { try MusicStore.artwork($0, in: reader) }
        .map { .string($0.data.base64EncodedString()) }
      tracks.append(.object(members))
    }
    for list in try MusicStore.playlists(in: reader) {
      guard !list.isFolder, list.parentID == nil else { throw refuse("collections", list.id, "it has no place for folders") }
      guard list.persistentID == nil else { throw refuse("collections", list.id, "it has no place for a persistent id") }
      var members = MusicShape.json.playlists.fields.object(of: SourceList(PlaylistRow(list, at: 0)))
      members["trackIDs"] = .array(list.trackIDs.map(JSONValue.id))
      collections.append(.object(members))
    }
  }
}
