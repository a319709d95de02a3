public import Foundation
public import Holdfast

/// An app's own file, from which a library can be loaded and imported, and in which it can be kept; see
/// `Store.open(at:legacy:reading:as:schemas:options:progress:importer:)`.
public protocol LegacyFormat: ImportFormat {
  /// The member of the document with its version. A file whose version is above `newestVersion` is never written, even if it is damaged.
  static var versionKey: String { get }
  /// The newest version that this code can read and write.
  static var newestVersion: Int { get }

  /// Reads the part before the damage of a document that is damaged, cut off or of a newer version. Nil when there is nothing to read.
  init?(asFarAsReadable document: JSONDocument)

  /// Whether legacy mode wrote this file, that is whether it has a list of unread records. Then everything in it can be written again.
  var isWrittenBack: Bool { get }

  /// The whole library in the form of this file, with the unread records of the file before it for a later import.
  ///
  /// - Parameters:
  ///   - unread: belongs into the file as a list, also when it is empty. `UnreadRecord.scan` reads it again.
  ///   - path: the file's path, for errors.
  /// - Throws: `.invalidValue` with `path` when the file cannot hold a value of the library.
  static func written(in tx: Writer, unread: [UnreadRecord], for path: String) throws -> Data
}
