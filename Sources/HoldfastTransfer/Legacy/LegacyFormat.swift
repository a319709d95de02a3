package import Foundation
package import Holdfast

/// An app's own file, which a library can be read from, imported from and kept in.
package protocol LegacyFormat: ImportFormat {
  /// The member of the document that says which version it has.
  static var versionKey: String { get }
  static var newestVersion: Int { get }

  /// What can be read of a document that is damaged or cut off, or of a newer version. Nil when there is nothing.
  init?(asFarAsReadable document: JSONDocument)

  /// Whether legacy mode wrote this file: then everything in it can be written again.
  var isWrittenBack: Bool { get }

  /// The whole library as such a file, with what could not be read of the one before, for a later import.
  ///
  /// - Throws: `.invalidValue` naming `path` when the file cannot hold something that the library has.
  static func written(in tx: Writer, unread: [UnreadRecord], for path: String) throws -> Data
}
