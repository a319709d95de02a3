import Foundation
import Holdfast
import HoldfastAudiobooks

/// Search as one types, pages of a long shelf, and numbers.
func finding(_ library: AudiobookLibrary, typed: String) async throws {
  // snippet: search
  for hit in try await library.search(typed, ranked: true) {
    switch hit {
    case .collection(_, let title, let author): print(title, author ?? "")
    case .track(_, let name, _, let collectionTitle): print("\(name), in \(collectionTitle)")
    }
  }
  // end

  // snippet: pages
  var key: PageKey?
  repeat {
    let page = try await library.collections(after: key, limit: 50)
    for book in page.items { print(book.title) }
    key = page.next
  } while key != nil
  // end

  // snippet: statistics
  let numbers = try await library.statistics()
  print("\(numbers.finishedCollections) of \(numbers.collections) books finished, \(numbers.listenedSeconds / 3600) hours heard")
  // end
}
