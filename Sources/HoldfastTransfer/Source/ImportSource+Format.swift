import Foundation
import Holdfast

extension ImportSource {
  /// Checks the requested format and that the source is not empty, before a reader is chosen.
  ///
  /// - Parameter readable: the existing formats.
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource` for an empty file.
  public func check(among readable: [FormatDescription]) throws {
    if let format, !readable.contains(where: { $0.name == format }) {
      let names = readable.map(\.name).joined(separator: ", ")
      throw StoreError(.misuse, "there is no format \(format)", suggestion: "Use one of \(names).")
    }
    guard bytes > 0 else {
      var error = StoreError(.invalidSource, "\(url.path) is empty: expected a library at byte 0, found the end of the file")
      error.offset = 0
      throw error
    }
  }
}
