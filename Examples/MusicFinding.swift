import Foundation
import Holdfast
import HoldfastMusic

/// Search as one types, and lists by pages.
func findingMusic(_ library: MusicStore, typed: String) async throws {
  // snippet: music-search
  for track in try await library.search(typed) { print("\(track.title), \(track.artist)") }
  // end

  // snippet: music-pages
  var key: PageKey?
  repeat {
    let page = try await library.albums(after: key, limit: 50)
    for album in page.items {
      print("\(album.name) by \(album.artist), \(album.tracks) tracks")
      for track in try await library.tracks(.ofAlbum(album.id)).items { print(track.trackNumber ?? 0, track.title) }
    }
    key = page.next
  } while key != nil
  // end

  // snippet: music-lists
  let favourites = try await library.tracks(.rated(atLeast: 80), limit: 20)
  let newest = try await library.tracks(.recentlyAdded, limit: 20)
  // end
  print(favourites.items.count, newest.items.count)
}

/// A playlist on the screen.
func watchingPlaylist(_ library: MusicStore, _ id: UUID) async throws {
  // snippet: music-updates
  for try await entries in library.entryUpdates(of: id) {
    print(entries.map(\.track.title).joined(separator: ", "))
  }
  // end
}
