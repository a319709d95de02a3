package import Foundation
package import Holdfast

/// An app's own file, from which a library can be loaded and imported, and in which it can be kept.
package protocol LegacyFormat: ImportFormat {
  /// The member of the document with its version.
  static var versionKey: String { get }
  static var newestVersion: Int { get }

  /// Reads the part before the damage of a document that is damaged, cut off or of a newer version. Nil when there is nothing to read.
  init?(asFarAsReadable document: JSONDocument)

  /// Whether legacy mode wrote this file. Then everything in it can be written again.
  var isWrittenBack: Bool { get }

  /// The whole library in the form of this file, with the unread records of the file before it for a later import.
  ///
  /// - Throws: `.invalidValue` with `path` when the file cannot hold a value of the library.
  static func written(in tx: Writer, unread: [UnreadRecord], for path: String) throws -> Data
}
