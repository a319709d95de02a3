public import Foundation
public import Holdfast

// Invariants: what is written into a store was read from bytes with the hash `sha256`. The first reading of the whole file gives the hash,
// mostly the reading that copies it, so a source that is refused at its first bytes costs no more than these. Another reading that finds
// other bytes fails the import.

/// A file to import.
public struct ImportSource: Sendable {
  /// The URL as given to the initialiser.
  public let url: URL
  /// The size of the file and its log, in bytes.
  public let bytes: Int64
  /// Whether the source is only the beginning of the file. Such a source is not copied: the app goes on using the file, and a copy of its
  /// beginning could not replace it.
  public let isBeginning: Bool
  /// The name of the format that a person requested; nil: the content decides. Default nil.
  public var format: String?
  /// What a person says about the content. Default: nothing.
  public var hints = SourceHints()
  /// The time of the file or of its log, the later one, in milliseconds since 1970.
  let modifiedAt: Int64?
  let hashes = SourceHashes()

  /// The SHA-256 of the whole file, in lowercase hexadecimal. For a database with a log or journal beside it: a hash of the hashes of these
  /// files, because some rows may be only in the log.
  ///
  /// Reads the file unless a reading of the whole file, also through a copy of this value, has found the hash.
  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`; `.verificationFailed` when a whole file has changed since this value was made;
  ///   `.invalidSource` when the file has become shorter than its beginning was.
  public var sha256: String {
    get throws {
      try hashes.ofFile {
        do {
          let hash = try isBeginning ? SHA256Hex.ofFile(at: url, leading: bytes) : SourceFiles(url).sha256()
          try checkUnchanged()
          return hash
        } catch {
          throw DurableFile.failure(error, url)
        }
      }
    }
  }

  private func checkUnchanged() throws {
    let files = SourceFiles(url)
    guard !isBeginning, files.bytes != bytes || files.modifiedAt != modifiedAt else { return }
    guard DurableFile.stands(url.path) else { throw StoreError(.notFound, "there is no file at \(url.path) any more") }
    throw StoreError(.verificationFailed, "\(url.path) has changed since it was chosen", suggestion: "Choose it again.")
  }

  /// Takes the hash that a reading of the whole source has found: as `sha256` when that is not known yet, so that no other reading is needed.
  func prove(_ found: String) throws {
    let known = try hashes.ofFile {
      try checkUnchanged()
      return found
    }
    guard known == found else {
      // Another program wrote to the file between two readings.
      throw StoreError(
        .verificationFailed, "\(url.path) changed while it was read",
        suggestion: "Import it again when no other program writes to it.")
    }
  }

  /// Copies the file and its log. The reading for it also gives or proves `sha256`.
  func copy(to target: URL) throws { try prove(SourceFiles(url).copy(to: target)) }

  /// Makes a source from a whole file.
  ///
  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`; `.invalidSource` for a folder, a pipe or a device.
  public init(_ url: URL, format: String? = nil, hints: SourceHints = SourceHints()) throws {
    try self.init(url, leading: nil)
    (self.format, self.hints) = (format, hints)
  }

  /// Makes a source from the beginning of a file that is too large to be read and copied, such as a model of many gigabytes.
  ///
  /// `bytes` and `sha256` belong to the beginning alone, and no import keeps a copy.
  /// - Parameter leadingBytes: the length of the beginning, in bytes; not more than the file has.
  /// - Throws: the errors for a whole file; `.invalidSource` when the file is shorter.
  public init(_ url: URL, leadingBytes: Int64) throws { try self.init(url, leading: max(0, leadingBytes)) }

  private init(_ url: URL, leading: Int64?) throws {
    self.url = url
    _ = try DurableFile.real(url)
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    guard let attributes else {
      // A listed name that is not UTF-8 contains U+FFFD instead of the wrong bytes.
      let suggestion = url.path.unicodeScalars.contains("\u{FFFD}") ? DurableFile.nameIsNotUTF8 : nil
      throw StoreError(.notFound, "there is no file at \(url.path)", suggestion: suggestion)
    }
    guard attributes[.type] as? FileAttributeType != .typeDirectory else {
      throw StoreError(.invalidSource, "\(url.path) is a folder")
    }
    // A pipe can be read only once, and a device has no end.
    guard !DurableFile.isSpecial(url.path) else {
      throw StoreError(.invalidSource, "\(url.path) is not a file", suggestion: "Save it as a file first; a source is read twice.")
    }
    let length: Int64
    do {
      length = try FileBytes(url).count
    } catch {
      throw DurableFile.failure(error, url)
    }
    if let leading, length < leading { throw StoreError(.invalidSource, "\(url.path) has less than \(leading) bytes") }
    let files = SourceFiles(url)
    isBeginning = leading != nil
    bytes = leading ?? files.bytes
    modifiedAt = files.modifiedAt
  }

  /// Copies the file to `<name>.backup` beside it, with a number when other content has that name, and verifies the copy. Returns the copy.
  /// An equal copy that exists already is used instead.
  ///
  /// - Throws: `.misuse` when the source is only the beginning of a file; `.permissionDenied`, `.cannotCreate`, `.diskFull`,
  ///   `.verificationFailed`; no copy is left then.
  @discardableResult
  package func keepCopy() throws -> URL {
    guard !isBeginning else { throw StoreError(.misuse, "a copy of only the beginning of \(url.path) cannot replace it") }
    let backup = try SourceBackup(of: self)
    do {
      return try backup.keep()
    } catch {
      backup.discard()
      throw error
    }
  }

  /// At most `length` bytes of the file from `offset` on, to recognise the source before it is read; fewer where the file ends. Also
  /// reads past `leadingBytes`. Safe while this process has the file open as a database.
  ///
  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`.
  public func peek(_ length: Int, at offset: Int64 = 0) throws -> Data { try FileBytes(url).read(length, at: max(0, offset)) }

  /// The JSON in the file. An import compares the hash of these bytes with `sha256` before it commits.
  ///
  /// Of a file that begins as no JSON only the beginning is read. A scanner refuses it as it would refuse the file.
  /// - Throws: the errors of reading a file. Invalid JSON is reported by the scanner.
  public func document() throws -> JSONDocument {
    guard !isBeginning else { return JSONDocument(try content()) }
    do {
      let beginning = JSONDocument(try FileBytes(url).read(1 << 18))
      var scanner = JSONScanner(beginning)
      let document = try (try? scanner.peek()) == nil ? beginning : JSONDocument(contentsOf: url)
      hashes.read { document.sha256 }
      return document
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// All bytes of the file, for formats without a reader of their own. Their hash is checked, as with `document()`.
  ///
  /// - Throws: the errors of reading a file.
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
      hashes.read { SHA256Hex.of(content) }
      return content
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// Throws where the file changed between the reading of its bytes and that of its hash.
  func proveReading() throws {
    if let found = try hashes.ofReading() { try prove(found) }
  }

  /// Whether a file with this content was imported into the store already.
  public func wasImported(into store: Store) throws -> Bool {
    // Before the read, which would hold its view of the store for as long as hashing takes.
    let sha256 = try sha256
    return try store.read { reader in
      try reader.count("SELECT count(*) FROM holdfast_imports WHERE source_sha256 = \(sha256)") > 0
    }
  }

  /// The identity of a source in fingerprints, which its later editions share: its path. A source that only has a name, such as standard
  /// input, has no editions: its content is its identity.
  static func origin(path: String, sha256: String) -> String { path.hasPrefix("/") ? path : sha256 }

  /// Whether the ledger has a file with this path, size and time, log included. Does not read the file.
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
