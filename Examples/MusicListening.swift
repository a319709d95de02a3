import Foundation
import Holdfast
import HoldfastMusic

/// A music library from its first track on.
func keepingMusic(in folder: URL) async throws -> MusicStore {
  // snippet: music-open
  let library = try MusicStore.open(at: folder.appendingPathComponent("music.sqlite"))
  // end

  // snippet: music-save
  let newID = NewID.v7
  let cover = try await library.saveArtwork(Data(contentsOf: folder.appendingPathComponent("cover.jpg")))
  let tracks = (1...3).map { (number: Int) in
    LibraryTrack(
      id: newID(), title: "淡淡幽情 \(number)", artist: "邓丽君", album: "淡淡幽情", trackNumber: number, duration: 204.5,
      file: TrackFile(location: FileLocation(path: "/Music/\(number).m4a")), artworkHash: cover.hash, addedAt: Date())
  }
  try await library.saveTracks(tracks)
  // end

  // snippet: music-playing
  // When a track was played to its end, and when somebody gives it four stars.
  try await library.recordPlay(of: tracks[0].id)
  try await library.rate(80, track: tracks[0].id)
  // end
  return library
}

/// Playlists and folders, changed by one row at a time.
func makingPlaylists(_ library: MusicStore, of trackIDs: [UUID]) async throws {
  // snippet: music-playlists
  let folder = try await library.createFolder(named: "Evenings")
  let list = try await library.createPlaylist(named: "Quiet", in: folder.id)
  // A track may stand in a list several times: what is moved and removed is an entry.
  let entries = try await library.addTracks(trackIDs + trackIDs.prefix(1), to: list.id)
  if let last = entries.last, let first = entries.first {
    try await library.moveEntry(last.id, before: first.id)
    try await library.removeEntries([first.id])
  }
  try await library.movePlaylist(list.id, toFolder: nil)
  // end
}
