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
  /// - Parameters:
  ///   - number: counts the entries of the same track in the playlist.
  ///   - index: the entry's place in the playlist.
  func entry(
    of track: Written<UUID>, number: Int, in playlist: Written<UUID>, index: Int, at place: Place, _ reader: Reader, _ visit: Visit
  ) throws {
    let row = MusicRecord.entry(of: track.value, number: number, in: playlist.value, at: index)
    if let absence = try absence(of: track.value, reader) {
      let kind = "collection_tracks"
      return try visit(
        absence.isQuarantine
          ? .damaged(kind: kind, path: place.path, reason: absence.reason, original: place.original)
          : .skipped(kind: kind, path: place.path, reason: absence.reason), place.position)
    }
    let entries = MusicRecord.entries
    let ids = [playlist.text, track.text]
    try visit(.record(entries.record(entries.fields.said(row), ids: ids, path: place.path, original: place.original)), place.position)
  }

  /// Why there can be no entry of this track; nil when the track is stored, from this source or another.
  private func absence(of id: UUID, _ reader: Reader) throws -> (reason: String, isQuarantine: Bool)? {
    if try reader.count("SELECT count(*) FROM tracks WHERE id = \(id)") > 0 { return nil }
    // The listener deleted the track: it does not return with a playlist.
    if try reader.wasImported(kind: "tracks", key: IDCodec.lowercase(id)) { return ("its track was deleted since it was imported", false) }
    return (tracks.contains(id) ? "its track is quarantined" : "there is no such track", true)
  }
}
