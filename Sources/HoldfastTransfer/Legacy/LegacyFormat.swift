public import Foundation
public import Holdfast

/// An app's own file, from which a library can be loaded and imported, and in which it can be kept; see
/// `Store.open(at:legacy:reading:as:schemas:options:progress:importer:)`.
public protocol LegacyFormat: ImportFormat {
  /// What the app's files look like. A file whose version is above the newest that can be read is never written, even if it is damaged.
  static var form: LegacyDocument.Form { get }

  /// The file, as far as it can be read.
  var document: LegacyDocument { get }
  /// Takes a file that was read, perhaps only up to its damage.
  init(document: LegacyDocument)

  /// The whole library in the form of this file, with the unread records of the file before it for a later import.
  ///
  /// - Parameters:
  ///   - unread: belongs into the file as a list, also when it is empty. `UnreadRecord.scan` reads it again.
  ///   - path: the file's path, for errors.
  /// - Throws: `.invalidValue` with `path` when the file cannot hold a value of the library.
  static func written(in tx: Writer, unread: [UnreadRecord], for path: String) throws -> Data
}

extension LegacyFormat {
  /// The version of the file.
  public var version: Int { document.version }
  /// The size of the file in bytes.
  public var total: Int { document.total }

  /// Reads the whole document once, so that a document that is cut off is refused before anything is written.
  ///
  /// - Throws: `.invalidSource` with the byte offset; `.newerSource`.
  public init(_ document: JSONDocument) throws { self.init(document: try LegacyDocument(document, as: Self.form)) }
}
