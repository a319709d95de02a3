public import Foundation
public import Holdfast

/// A file to import, and its copy.
public struct ImportSource: Sendable {
  /// As it was given.
  public let url: URL
  /// Of the whole file, in hexadecimal. Of a database with a log or a journal beside it: of the text that their hashes make,
  /// because part of its rows may stand only there.
  public let sha256: String
  /// Of the file and its log.
  public let bytes: Int64
  /// Whether the source is only the beginning of the file. Then nothing is copied: the file goes on being used, and a copy of its
  /// beginning could not take its place.
  public let isBeginning: Bool
  /// The file's own time or its log's, the later one, in milliseconds since 1970.
  let modifiedAt: Int64?
  private let reading = Reading()

  /// A whole file.
  ///
  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`.
  public init(_ url: URL) throws { try self.init(url, leading: nil) }

  /// The beginning of a file that is too large to be read and copied for what it says of itself: a model of many gigabytes.
  ///
  /// `bytes` and `sha256` are of the beginning alone, and no import keeps a copy of it.
  /// - Parameter leadingBytes: how many there are; not more than the file has.
  /// - Throws: as for a whole file; `.invalidSource` when the file is shorter.
  public init(_ url: URL, leadingBytes: Int64) throws { try self.init(url, leading: max(0, leadingBytes)) }

  private init(_ url: URL, leading: Int64?) throws {
    self.url = url
    _ = try DurableFile.real(url)
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    guard let attributes else {
      // What a list of a folder makes of a name that is not UTF-8.
      let suggestion = url.path.unicodeScalars.contains("\u{FFFD}") ? DurableFile.nameIsNotUTF8 : nil
      throw StoreError(.notFound, "there is no file at \(url.path)", suggestion: suggestion)
    }
    guard attributes[.type] as? FileAttributeType != .typeDirectory else {
      throw StoreError(.invalidSource, "\(url.path) is a folder")
    }
    // A pipe could be read only once, and a device has no end.
    guard !DurableFile.isSpecial(url.path) else {
      throw StoreError(.invalidSource, "\(url.path) is not a file", suggestion: "Save it as a file first; a source is read twice.")
    }
    let files = SourceFiles(url)
    isBeginning = leading != nil
    bytes = leading ?? files.bytes
    modifiedAt = files.modifiedAt
    do {
      sha256 = try leading.map { try SHA256Hex.ofFile(at: url, leading: $0) } ?? files.sha256()
    } catch let error as StoreError {
      throw error
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// Copies the file to `<name>.backup` beside it, numbered when that name is taken by other content, and proves the copy.
  /// An equal copy that is there already is taken for it. Returns the copy.
  ///
  /// - Throws: `.misuse` when the source is only the beginning of a file; `.permissionDenied`, `.cannotCreate`, `.diskFull`,
  ///   `.verificationFailed`; nothing is left behind.
  @discardableResult
  public func keepCopy() throws -> URL {
    guard !isBeginning else { throw StoreError(.misuse, "the beginning of \(url.path) is no copy of it") }
    let backup = try SourceBackup(of: self)
    do {
      return try backup.keep()
    } catch {
      backup.discard()
      throw error
    }
  }

  /// The first bytes, for a look at what the source is; fewer where it is shorter. Also of a database that this process has open.
  ///
  /// - Throws: what reading a file can throw.
  package func beginning(_ length: Int) throws -> Data { try FileBytes(url).read(length) }

  /// The JSON that stands in the file. That these are the bytes that `sha256` is of is proven before the commit, on a thread of its
  /// own meanwhile.
  ///
  /// - Throws: what reading a file can throw. That it is no JSON, the scanner says.
  public func document() throws -> JSONDocument {
    guard !isBeginning else { return JSONDocument(try content()) }
    do {
      let document = try JSONDocument(contentsOf: url)
      reading.hash = Later { document.sha256 }
      return document
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// All bytes of the file, for formats without a reader of their own; proven like those of `document()`.
  ///
  /// - Throws: what reading a file can throw.
  public func content() throws -> Data {
    guard !isBeginning else {
      var content = Data()
      try pieces { piece in
        content.append(piece)
        return true
      }
      return content
    }
    do {
      let content = try FileBytes(url).all()
      reading.hash = Later { SHA256Hex.of(content) }
      return content
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// - Throws: `.verificationFailed` when what was read is not what was copied.
  func proveReading() throws {
    guard let found = try reading.hash?.value(), found != sha256 else { return }
    throw StoreError(.verificationFailed, "\(url.path) changed while it was read")
  }

  /// Whether this very file was imported into the store already, by its content.
  public func wasImported(into store: Store) throws -> Bool {
    try store.read { reader in
      try reader.count("SELECT count(*) FROM holdfast_imports WHERE source_sha256 = \(sha256)") > 0
    }
  }

  /// Whether the ledger knows a file of this path, size and time, its log included: without reading the file.
  public static func isKnown(_ url: URL, to store: Store) throws -> Bool {
    guard FileManager.default.fileExists(atPath: url.path) else { return false }
    let files = SourceFiles(url)
    return try store.read { reader in
      try reader.count(
        """
        SELECT count(*) FROM holdfast_imports
        WHERE source_path = \(url.path) AND source_bytes = \(files.bytes) AND source_modified_at = \(files.modifiedAt)
        """) > 0
    }
  }
}

/// The hash of what was read, once it is read.
private final class Reading: @unchecked Sendable {
  // Guarded by `lock`.
  private var later: Later<String>?
  private let lock = NSLock()

  var hash: Later<String>? {
    get { lock.withLock { later } }
    set { lock.withLock { later = newValue } }
  }
}
