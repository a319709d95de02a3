import Foundation
import Holdfast

extension ImportSource {
  /// Checks the requested format and that the source is not empty, before a reader is chosen.
  ///
  /// - Parameter readable: the existing formats.
  /// - Throws: `.misuse` for a format that does not exist; `.invalidSource` for an empty file, and for one that only its own program can read.
  public func check(among readable: [FormatDescription]) throws {
    if let format, !readable.contains(where: { $0.name == format }) {
      let names = readable.map(\.name).joined(separator: ", ")
      throw StoreError(.misuse, "there is no format \(format)", suggestion: "Use one of \(names).")
    }
    guard bytes > 0 else {
      throw StoreError(.invalidSource, "\(url.path) is empty: expected a library at byte 0, found the end of the file", offset: 0)
    }
    try Self.refuseClosed(url, peek(4))
  }

  /// Refuses, by its name or its first bytes, what people take for the file that they mean.
  static func refuseClosed(_ url: URL, _ start: some Collection<UInt8>) throws {
    let (name, mark) = (url.lastPathComponent, ".icloud")
    if name.hasPrefix("."), name.hasSuffix(mark) {
      throw StoreError(
        .invalidSource, "\(url.path) only stands for a file in iCloud, which is not on this computer",
        suggestion: "Open \(name.dropFirst().dropLast(mark.count)) once, so that it is downloaded, and import that.")
    }
    // Its first bytes are those of a ZIP.
    if url.pathExtension.lowercased() == "audiobookshelf", start.starts(with: "PK".utf8) {
      throw StoreError(
        .invalidSource, "\(url.path) is a backup of Audiobookshelf, a ZIP archive with its database in it",
        suggestion: "Unzip it, and import its file absdatabase.sqlite.")
    }
    // `iTunes Library.itl` and `Library.musicdb`, by their first bytes.
    if ["hdfm", "hfma"].contains(where: { start.starts(with: $0.utf8) }) {
      throw StoreError(
        .invalidSource, "\(url.path) is the library of iTunes or Apple's Music in the form that only these can read",
        suggestion: "Export it as XML: in Music or iTunes with File, Library, Export Library.")
    }
  }
}
