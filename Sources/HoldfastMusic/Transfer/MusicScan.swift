import Foundation
import Holdfast
import HoldfastTransfer

/// The state of one reading of the player's own files. Tracks are read first, then playlists with their entries.
struct MusicScan {
  typealias Visit = (Scanned<SaidContent>, Int) throws -> Void

  /// One record of the source: its place and its bytes.
  struct Place {
    var path: SourcePath
    var original: SourceBytes
    var position: Int
  }

  let shape: MusicShape
  /// Ids of the source's tracks, also of tracks that cannot be imported.
  private var tracks: Set<UUID> = []

  init(shape: MusicShape) { self.shape = shape }

  /// Visits a track, and its picture before it.
  mutating func track(
    _ members: inout SourceMembers, _ picture: MusicArtwork?, _ picturePath: SourcePath, at place: Place, _ visit: Visit
  ) throws {
    let said = members.read(shape.tracks.fields, into: MusicRecord.blank)
    if said.says("id") { tracks.insert(said.row.id) }
    guard try members.finish(kind: "tracks", path: place.path, original: place.original, at: place.position, visit) else { return }
    var artwork: SaidContent?
    if let picture {
      let original = SourceBytes.made { JSONValue.string(picture.data.base64EncodedString()).canonicalText() }
      let record = shape.artwork.record(shape.artwork.fields.said(picture), path: picturePath, original: original)
      try visit(.record(record), place.position)
      artwork = record.content
    }
    // A stored picture that no track shows any more is removed, so it comes again with the track.
    let record = shape.tracks.record(said, after: artwork, path: place.path, original: place.original)
    try visit(.record(record), place.position)
  }

  /// Visits a playlist without its entries.
  ///
  /// - Parameter index: the place in the source's order; nil when the source has no order.
  /// - Returns: the playlist's id, if it can be read, and whether the playlist can be imported.
  func playlist(
    _ members: inout SourceMembers, index: Int?, at place: Place, _ visit: Visit
  ) throws -> (id: Written<UUID>?, isWhole: Bool) {
    let blank = SourceList(PlaylistRow(MusicPlaylist(id: .zero, name: ""), at: ListPlace.position(at: index ?? 0)))
    let said = members.read(shape.playlists.fields, into: blank)
    let id = said.says("id") ? said.fields.first.map { Written(value: said.row.row.id, text: $0.value) } : nil
    guard try members.finish(kind: "collections", path: place.path, original: place.original, at: place.position, visit), let id else {
      return (id, false)
    }
    try visit(.record(shape.playlists.record(said, path: place.path, original: place.original)), place.position)
    return (id, true)
  }

  /// Visits one entry of a playlist.
  ///
  /// - Parameter number: counts the entries of the same track in the playlist.
  func entry(
    of track: Written<UUID>, number: Int, in playlist: Written<UUID>, index: Int, at place: Place, _ reader: Reader, _ visit: Visit
  ) throws {
    let row = MusicRecord.entry(of: track.value, number: number, in: playlist.value, at: index)
    let entries = MusicRecord.entries
    if try reader.count("SELECT count(*) FROM tracks WHERE id = \(track.value)") == 0 {
      // The listener deleted the track: it does not return with a playlist.
      if try reader.wasImported(kind: "tracks", key: IDCodec.lowercase(track.value)) {
        let reason = "its track was deleted since it was imported"
        return try visit(.skipped(kind: entries.name, path: place.path, reason: reason), place.position)
      }
      let reason = tracks.contains(track.value) ? "its track is quarantined" : "there is no such track"
      return try visit(.damaged(kind: entries.name, path: place.path, reason: reason, original: place.original), place.position)
    }
    let ids = [playlist.text, track.text]
    try visit(.record(entries.record(entries.fields.said(row), ids: ids, path: place.path, original: place.original)), place.position)
  }
}
