public import Foundation

/// A file to import, and its copy.
public struct ImportSource: Sendable {
  /// As it was given.
  public let url: URL
  /// Of the whole file, in hexadecimal. Of a database with a log or a journal beside it: of the text that their hashes make,
  /// because part of its rows may stand only there.
  public let sha256: String
  /// Of the file and its log.
  public let bytes: Int64
  /// The file's own time or its log's, the later one, in milliseconds since 1970.
  let modifiedAt: Int64?

  /// - Throws: `.notFound`, `.permissionDenied`, `.inputOutput`.
  public init(_ url: URL) throws {
    self.url = url
    let attributes = try? FileManager.default.attributesOfItem(atPath: url.path)
    guard let attributes else { throw StoreError(.notFound, "there is no file at \(url.path)") }
    guard attributes[.type] as? FileAttributeType != .typeDirectory else {
      throw StoreError(.invalidSource, "\(url.path) is a folder")
    }
    let files = SourceFiles(url)
    bytes = files.bytes
    modifiedAt = files.modifiedAt
    do {
      sha256 = try files.sha256()
    } catch {
      throw DurableFile.failure(error, url)
    }
  }

  /// Copies the file to `<name>.backup` beside it, numbered when that name is taken by other content, and proves the copy.
  /// An equal copy that is there already is taken for it. Returns the copy.
  ///
  /// - Throws: `.permissionDenied`, `.cannotCreate`, `.diskFull`, `.verificationFailed`; nothing is left behind.
  @discardableResult
  public func keepCopy() throws -> URL {
    let backup = try SourceBackup(of: self)
    do {
      try backup.prove()
    } catch {
      backup.discard()
      throw error
    }
    return backup.url
  }

  /// Whether this very file was imported into the store already: by its size and time, or by its content.
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

/// A copy of a source beside it, proven by its hash. The source itself is never touched.
struct SourceBackup {
  let url: URL
  /// False when an equal copy was there already.
  private let isNew: Bool
  /// Of the copy as it was read back, on a thread of its own while the import goes on.
  private let found: Later<String>
  private let source: ImportSource

  /// Copies to `<name>.backup`, or numbered when that name is taken by other content; a database with its log.
  /// The copy counts only after `prove()`.
  ///
  /// - Throws: `.permissionDenied`, `.cannotCreate`, `.diskFull`; nothing is left behind.
  init(of source: ImportSource) throws {
    self.source = source
    let files = FileManager.default
    var number = 1
    while true {
      let target = URL(fileURLWithPath: source.url.path + (number == 1 ? ".backup" : ".backup-\(number)"))
      if !files.fileExists(atPath: target.path) {
        try Self.copy(source, to: target)
        url = target
        isNew = true
        found = Later { try SourceFiles(target).sha256() }
        return
      }
      if let sha256 = try? SourceFiles(target).sha256(), sha256 == source.sha256 {
        url = target
        isNew = false
        found = Later { sha256 }
        return
      }
      number += 1
    }
  }

  /// - Throws: `.verificationFailed` when the copy is not what the source was.
  func prove() throws {
    guard try found.value() == source.sha256 else {
      throw StoreError(.verificationFailed, "\(source.url.path) changed while it was copied")
    }
  }

  /// Takes the copy away again, if this import made it.
  func discard() {
    guard isNew else { return }
    _ = try? found.value()
    SourceFiles.remove(url)
  }

  private static func copy(_ source: ImportSource, to target: URL) throws {
    // Under another name until it is complete: a killed import must not leave half a copy that looks like one.
    let folder = source.url.deletingLastPathComponent()
    let prefix = ".\(source.url.lastPathComponent).copying-"
    Store.removeAbandoned(in: folder, prefix: prefix)
    let working = folder.appendingPathComponent("\(prefix)\(ProcessInfo.processInfo.processIdentifier)-\(UUID().uuidString)")
    do {
      try SourceFiles(source.url).copy(to: working)
      try SourceFiles(working).move(to: target)
    } catch {
      SourceFiles.remove(working)
      throw error
    }
  }
}

/// What a thread of its own works out.
private final class Later<Value: Sendable>: @unchecked Sendable {
  // Written once before `isDone` is left, read after it.
  private var result: Result<Value, any Error>?
  private let isDone = DispatchGroup()

  init(_ work: @escaping @Sendable () throws -> Value) {
    isDone.enter()
    Thread.detachNewThread { [self] in
      result = Result { try work() }
      isDone.leave()
    }
  }

  func value() throws -> Value {
    isDone.wait()
    guard let result else { throw StoreError(.misuse, "a thread ended without a result") }
    return try result.get()
  }
}
