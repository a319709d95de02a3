import Foundation
import Holdfast

extension ImportSource {
  /// Checks the requested format and that the source is not empty, before a reader is chosen.
  ///
  /// - Parameters:
  ///   - format: the format that a person requested; nil: the content decides.
  ///   - readable: the names of the existing formats.
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource` for an empty file.
  public func check(_ format: String?, among readable: [String]) throws {
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
