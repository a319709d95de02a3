public import Foundation
public import Holdfast

extension AudiobookLibrary {
  /// Opens the library at `url`, and brings in the player's legacy file the first time it is found.
  ///
  /// A legacy file that was not imported yet is imported and verified; `importReport` says what became of it. When that
  /// fails and there is no store yet, people must be able to go on: the library is loaded from the legacy file as far as it
  /// can be read, lives in memory, and writes every change back to the file, in the player's own format, before the change
  /// counts; a change that cannot be written throws, and is taken back. `access` is `.legacy` with the reason. Before the
  /// first such write the file is kept as `<name>.backup`, and what could not be read of it goes along word for word, for
  /// the quarantine of a later import. A file of a newer version, a database or an export is only read. When the import fails
  /// and there is a store, the store is opened and `importFailure` says why. The next opening tries again.
  ///
  /// - Throws: what `open(at:options:)` throws for a store that is there; `.cancelled` when the task is; `.permissionDenied`,
  ///   `.inputOutput` when the legacy file cannot be read either.
  public static func open(at url: URL, legacy: URL, options: StoreOptions = .production) throws -> AudiobookLibrary {
    let source = present(legacy)
    guard FileManager.default.fileExists(atPath: source.path) else { return try open(at: url, options: options) }
    var report: ImportReport?
    if !isThere(url) {
      do {
        report = try importLibrary(from: source, into: url, storeOptions: options)
      } catch {
        let failure = StoreError(error)
        guard failure.code != .cancelled else { throw failure }
        // Another process may have made the store meanwhile.
        if !isThere(url) { return try LegacyMode.open(source, keptIn: legacy, because: failure, options) }
      }
    }
    let store = try Store.open(at: url, schemas: [schema], options: options)
    if let report { return AudiobookLibrary(store, importReport: report) }
    return importing(source, into: store)
  }

  /// Whether anything stands at the path. A file without a byte is one that was never filled, unless there is a log beside it.
  private static func isThere(_ url: URL) -> Bool {
    let files = FileManager.default
    guard let attributes = try? files.attributesOfItem(atPath: url.path) else { return false }
    return attributes[.type] as? FileAttributeType != .typeRegular || (attributes[.size] as? NSNumber)?.int64Value ?? 0 > 0
      || files.fileExists(atPath: url.path + "-wal")
  }

  private static func importing(_ legacy: URL, into store: Store) -> AudiobookLibrary {
    do {
      guard try !ImportSource.isKnown(legacy, to: store) else { return AudiobookLibrary(store) }
      let source = try ImportSource(legacy)
      guard try !source.wasImported(into: store) else { return AudiobookLibrary(store) }
      return AudiobookLibrary(store, importReport: try store.importing(recognised(source), from: source))
    } catch {
      return AudiobookLibrary(store, importFailure: StoreError(error))
    }
  }
}

/// A library in memory that is kept in the player's own file.
private enum LegacyMode {
  static func open(_ source: URL, keptIn url: URL, because failure: StoreError, _ options: StoreOptions) throws -> AudiobookLibrary {
    var memoryOptions = options
    memoryOptions.key = nil
    let store = try Store.inMemory(schemas: [AudiobookLibrary.schema], options: memoryOptions)
    let file = try ImportSource(source)
    let document = try JSONDocument(contentsOf: source)
    let format = (try? AudiobookLibrary.recognised(file)) ?? LibraryJSON(asFarAsReadable: document)
    if let format { try store.loading(format, from: file) }
    guard !options.opensReadOnly, failure.code != .newerSource, isPlayers(document, format) else {
      return AudiobookLibrary(store.readOnly(because: failure.message), importFailure: failure)
    }
    // Everything in a file that legacy mode wrote itself can be written again: it needs no copy.
    let isOurs = (format as? LibraryJSON)?.isWrittenBack == true
    let target = LegacyFile(url, holding: isOurs ? file.sha256 : nil)
    store.beforeCommit { tx in try target.write(tx) }
    return AudiobookLibrary(store, access: .legacy(reason: failure.message), importFailure: failure)
  }

  /// Whether the file is the player's own JSON, or was before it was damaged: nothing else is replaced by such JSON.
  private static func isPlayers(_ document: JSONDocument, _ format: (any ImportFormat)?) -> Bool {
    guard format is LibraryJSON? else { return false }
    let isDatabase = document.bytes(0..<16) == Array("SQLite format 3\0".utf8)
    return !isDatabase && !PortableImport.recognises(document) && !isNewer(document)
  }

  /// Whether a damaged file says somewhere that it is of a newer version.
  private static func isNewer(_ document: JSONDocument) -> Bool {
    let text = document.bytes(0..<document.count)
    let key = Array("\"schemaVersion\"".utf8)
    var start = 0
    while let quote = text[start...].firstIndex(of: UInt8(ascii: "\"")) {
      start = quote + 1
      guard text[quote...].starts(with: key) else { continue }
      let rest = text[(quote + key.count)...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      guard rest.first == UInt8(ascii: ":") else { continue }
      var version = JSONScanner(document, at: rest.startIndex + 1)
      if let number = try? version.int64(), number > LibraryJSON.newestVersion { return true }
    }
    return false
  }
}

/// The player's file, written back from a library in memory.
private final class LegacyFile: @unchecked Sendable {
  private let url: URL
  // Guarded by `lock`.
  /// The hash of the content that needs no copy before it is replaced.
  private var replaceable: String?
  private let lock = NSLock()

  init(_ url: URL, holding replaceable: String?) {
    self.url = url
    self.replaceable = replaceable
  }

  func write(_ tx: Transaction) throws {
    var writer = PlayerJSONWriter()
    writer.keepsUnknownKinds = true
    var library = writer.library(try AudiobookLibrary.collections(in: tx))
    if let left = writer.leftOut.first {
      throw StoreError(.invalidValue, "\(left.kind) \(left.id) cannot be kept in \(url.path): \(left.reason)")
    }
    library.unread = try Store.quarantined(in: tx).map {
      UnreadRecord(kind: $0.kind, field: $0.field, path: $0.path, reason: $0.reason, original: $0.original)
    }
    let data = try PlayerJSON.encoder(pretty: true).encode(library)
    lock.lock()
    defer { lock.unlock() }
    // Not what was read or written last: the first write, or somebody else wrote meanwhile.
    if FileManager.default.fileExists(atPath: url.path) {
      let current = try ImportSource(url)
      if current.sha256 != replaceable { try current.keepCopy() }
    }
    replaceable = try FileExport.write(data, to: url).sha256
  }
}
