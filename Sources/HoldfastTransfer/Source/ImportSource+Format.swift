import Foundation
import Holdfast

extension ImportSource {
  /// Refuses what no reader is needed for.
  ///
  /// - Parameters:
  ///   - format: what somebody asked for; nil leaves it to the content.
  ///   - readable: the formats that there are.
  /// - Throws: `.misuse` for a format that there is not; `.invalidSource` for an empty file.
  package func check(_ format: String?, among readable: [String]) throws {
    if let format, !readable.contains(format) {
      throw StoreError(.misuse, "there is no format \(format)", suggestion: "Use one of \(readable.joined(separator: ", ")).")
    }
    guard bytes > 0 else {
      var error = StoreError(.invalidSource, "\(url.path) is empty: expected a library at byte 0, found the end of the file")
      error.offset = 0
      throw error
    }
  }
}
