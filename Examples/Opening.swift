import AudiobookLibrary
import Foundation

/// Opening a library, with what happens when it cannot be written to.
func openLibrary(in folder: URL) throws -> AudiobookLibrary {
  // snippet: open
  let library = try AudiobookLibrary.open(at: folder.appendingPathComponent("library.sqlite"))
  if case .readOnly(let reason) = library.access {
    print("You can listen and look around, but nothing is saved: \(reason)")
  }
  // end
  return library
}
