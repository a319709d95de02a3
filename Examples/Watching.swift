import Foundation
import Holdfast
import HoldfastAudiobooks

/// A list that follows the library.
func watching(_ library: AudiobookLibrary) async throws {
  // snippet: updates
  for try await books in library.collectionUpdates() {
    print("\(books.count) books on the shelf")
  }
  // end
}

// snippet: live-value
@available(iOS 17, macOS 14, *)
@MainActor
final class Shelf {
  let books: LiveValue<[AudiobookCollection]>

  init(_ library: AudiobookLibrary) {
    books = LiveValue(library.collectionUpdates())
  }

  var titles: [String] { (books.value ?? []).map(\.title) }
}
// end
