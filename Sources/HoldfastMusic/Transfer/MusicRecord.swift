import Foundation
import Holdfast

/// One stored row, of any of the four kinds that every source of a music library is made of.
enum MusicRecord: Sendable {
  case artwork(MusicArtwork)
  case track(SourceTrack)
  case playlist(SourcePlaylist)
  case entry(EntryRow)

  /// In the order in which rows must be there.
  static let kinds = ["artwork", "tracks", "collections", "collection_tracks"].map { (name: $0, table: $0) }

  func write(in tx: Writer) throws {
    switch self {
    case .artwork(let artwork): try MusicStore.saveArtwork(artwork, in: tx)
    case .track(let source): try source.write(in: tx)
    case .playlist(let source): try source.write(in: tx)
    case .entry(var row):
      // In a playlist that the listener changed, another entry may have this place by now.
      while try tx.count(
        "SELECT count(*) FROM collection_tracks WHERE collection_id = \(row.collectionID) AND position = \(row.position) AND id <> \(row.id)"
      )
        > 0
      {
        row.position &+= 1
      }
      try tx.upsert(row)
    }
  }

  /// The id of the nth entry of a track in a playlist, counted from 0: the same at every import, wherever it stands.
  static func entryID(of trackID: UUID, number: Int, in playlistID: UUID) -> UUID {
    NewID.derived(from: "\(IDCodec.lowercase(playlistID))/\(IDCodec.lowercase(trackID))/\(number)")
  }
}

/// A track as one source has it: what the source does not carry stays as it is stored.
struct SourceTrack: Sendable {
  var track: LibraryTrack
  /// What the source says, absent values included.
  var carries: TrackFields
  /// The picture that the source has with the track. It is a record of its own, too; here it stands for the case that nobody
  /// showed the stored one any more, and it was removed.
  var artwork: MusicArtwork?

  func write(in tx: Writer) throws {
    if let artwork { try MusicStore.saveArtwork(artwork, in: tx) }
    guard var stored = try MusicStore.track(track.id, in: tx) else {
      var new = track
      if !carries.contains(.addedAt) { new.addedAt = tx.currentDate() }
      return try tx.insert(TrackRow(new))
    }
    carries.copy(from: track, to: &stored)
    try tx.upsert(TrackRow(stored))
  }
}

/// Fields of a track.
struct TrackFields: OptionSet, Sendable {
  let rawValue: UInt32

  static let title = TrackFields(rawValue: 1 << 0)
  static let artist = TrackFields(rawValue: 1 << 1)
  static let album = TrackFields(rawValue: 1 << 2)
  static let albumArtist = TrackFields(rawValue: 1 << 3)
  static let compilation = TrackFields(rawValue: 1 << 4)
  static let genre = TrackFields(rawValue: 1 << 5)
  static let year = TrackFields(rawValue: 1 << 6)
  static let trackNumber = TrackFields(rawValue: 1 << 7)
  static let discNumber = TrackFields(rawValue: 1 << 8)
  static let duration = TrackFields(rawValue: 1 << 9)
  static let location = TrackFields(rawValue: 1 << 10)
  static let size = TrackFields(rawValue: 1 << 11)
  static let modifiedAt = TrackFields(rawValue: 1 << 12)
  static let artworkURL = TrackFields(rawValue: 1 << 13)
  static let artwork = TrackFields(rawValue: 1 << 14)
  static let playCount = TrackFields(rawValue: 1 << 15)
  static let lastPlayedAt = TrackFields(rawValue: 1 << 16)
  static let rating = TrackFields(rawValue: 1 << 17)
  static let addedAt = TrackFields(rawValue: 1 << 18)
  static let persistentID = TrackFields(rawValue: 1 << 19)
  static let metadata = TrackFields(rawValue: 1 << 20)

  func copy(from source: LibraryTrack, to stored: inout LibraryTrack) {
    if contains(.title) { stored.title = source.title }
    if contains(.artist) { stored.artist = source.artist }
    if contains(.album) { stored.album = source.album }
    if contains(.albumArtist) { stored.albumArtist = source.albumArtist }
    if contains(.compilation) { stored.isCompilation = source.isCompilation }
    if contains(.genre) { stored.genre = source.genre }
    if contains(.year) { stored.year = source.year }
    if contains(.trackNumber) { stored.trackNumber = source.trackNumber }
    if contains(.discNumber) { stored.discNumber = source.discNumber }
    if contains(.duration) { stored.duration = source.duration }
    if contains(.location) { stored.file.location = source.file.location }
    if contains(.size) { stored.file.sizeBytes = source.file.sizeBytes }
    if contains(.modifiedAt) { stored.file.modifiedAt = source.file.modifiedAt }
    if contains(.artworkURL) { stored.artworkURL = source.artworkURL }
    if contains(.artwork) { stored.artworkHash = source.artworkHash }
    if contains(.playCount) { stored.playCount = source.playCount }
    if contains(.lastPlayedAt) { stored.lastPlayedAt = source.lastPlayedAt }
    if contains(.rating) { stored.rating = source.rating }
    if contains(.addedAt) { stored.addedAt = source.addedAt }
    if contains(.persistentID) { stored.persistentID = source.persistentID }
    if contains(.metadata) { stored.metadata = source.metadata }
  }
}

/// A playlist as one source has it, without its entries: what the source does not carry stays as it is stored.
struct SourcePlaylist: Sendable {
  /// Its position is the place in the source; without one a new playlist comes last.
  var row: PlaylistRow
  /// What the source says besides the name, absent values included.
  var carries: PlaylistFields

  func write(in tx: Writer) throws {
    var row = row
    let stored = try tx.find(PlaylistRow.self, id: row.id)
    if let stored { carries.keep(stored, in: &row) }
    // The listener may have moved folders since.
    if let parent = row.parentID, parent != stored?.parentID {
      guard try MusicStore.isFolder(parent, in: tx) else { throw StoreError(.constraint, "what it is in is no folder in this library") }
      guard try !MusicStore.isInside(parent, of: row.id, in: tx) else {
        throw StoreError(.constraint, "in this library its folder is inside of it")
      }
    }
    if carries.contains(.place) {
      while try tx.count("SELECT count(*) FROM collections WHERE position = \(row.position) AND id <> \(row.id)") > 0 { row.position &+= 1 }
    } else if stored == nil {
      row.position = try MusicStore.playlistOrder.positions(for: 1, in: tx).first ?? row.position
    }
    try tx.upsert(row)
    if let stored, stored.isFolder, !row.isFolder {
      // What is in it would be in a playlist.
      try tx.execute("UPDATE collections SET parent_id = NULL WHERE parent_id = \(row.id)")
    }
  }
}

/// Fields of a playlist that not every source has.
struct PlaylistFields: OptionSet, Sendable {
  let rawValue: UInt8

  static let place = PlaylistFields(rawValue: 1 << 0)
  static let parent = PlaylistFields(rawValue: 1 << 1)
  static let folder = PlaylistFields(rawValue: 1 << 2)
  static let persistentID = PlaylistFields(rawValue: 1 << 3)

  /// The other way round than for a track: what is not among these stays.
  func keep(_ stored: PlaylistRow, in row: inout PlaylistRow) {
    if !contains(.place) { row.position = stored.position }
    if !contains(.parent) { row.parentID = stored.parentID }
    if !contains(.folder) { row.isFolder = stored.isFolder }
    if !contains(.persistentID) { row.persistentID = stored.persistentID }
  }
}
