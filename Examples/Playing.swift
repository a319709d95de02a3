import Foundation
import HoldfastAudiobooks

/// What a player calls several times a second, and once when it starts.
func playing(_ library: AudiobookLibrary, track: UUID, position: Double, duration: Double) async throws {
  // snippet: playback
  // While playing: two small rows, whatever the size of the book.
  try await library.savePlaybackState(PlaybackState(position: position, duration: duration, updatedAt: Date()), of: track)

  // At the next start:
  if let point = try await library.resumePoint() {
    print("Go on with \(point.trackName) of \(point.collectionTitle) at \(point.state.position) seconds")
  }
  // end
}
