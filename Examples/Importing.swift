import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer

/// The file that the app kept before, brought in and proven to be in.
func importing(_ folder: URL) throws -> AudiobookLibrary {
  // snippet: import
  let store = folder.appendingPathComponent("library.sqlite")
  let report = try AudiobookLibrary.importLibrary(from: folder.appendingPathComponent("library.json"), into: store)
  for kind in report.kinds {
    if let counts = report.counts[kind] { print("\(kind): \(counts.imported) of \(counts.source) imported") }
  }
  for problem in report.problems { print("kept aside: \(problem.path), \(problem.reason)") }
  let library = try AudiobookLibrary.open(at: store)
  // end
  return library
}
