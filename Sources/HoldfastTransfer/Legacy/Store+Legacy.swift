package import Foundation
package import Holdfast

extension Store {
  /// Opens the store at `url`, and imports a legacy file that was not imported yet; see a library's `open(at:legacy:options:)`.
  ///
  /// - Parameters:
  ///   - legacy: The file in which the library is kept when the store cannot be used.
  ///   - source: The file to read: usually the same file.
  ///   - format: The app's own format, the only one that legacy mode writes.
  ///   - recognised: The reader for the file's format.
  package static func open<Format: LegacyFormat>(
    at url: URL, legacy: URL, reading source: URL, as format: Format.Type, schemas: [StoreSchema], options: StoreOptions,
    recognised: (ImportSource) throws -> any ImportFormat
  ) throws -> OpenedStore {
    try open(at: url, bringing: source, schemas, options, recognised) { failure in
      try LegacyMode<Format>(legacy).open(source, because: failure, schemas, options, recognised)
    }
  }

  /// The same for a legacy file that is never written. When it cannot be imported and there is no store, the readable part of it becomes a
  /// read-only library in memory.
  ///
  /// - Parameters:
  ///   - holdsNothing: whether a file that cannot be imported has no record. Then a new store hides nothing, and is made.
  ///   - damaged: The reader for the part before the damage of a file that `recognised` refuses.
  package static func open(
    at url: URL, legacy: URL, schemas: [StoreSchema], options: StoreOptions, holdsNothing: (ImportSource) -> Bool,
    damaged: (ImportSource) throws -> any ImportFormat, recognised: (ImportSource) throws -> any ImportFormat
  ) throws -> OpenedStore {
    try open(at: url, bringing: legacy, schemas, options, recognised) { failure in
      let file = try ImportSource(legacy)
      if holdsNothing(file), let store = try? open(at: url, schemas: schemas, options: options) {
        return OpenedStore(store, importFailure: failure)
      }
      var memoryOptions = options
      memoryOptions.key = nil
      let store = try Store.inMemory(schemas: schemas, options: memoryOptions)
      // When the file cannot be loaded either, the store stays empty. The reported error is the error of the import.
      if let format = (try? recognised(file)) ?? (try? damaged(file)) { _ = try? store.loading(format, from: file) }
      return OpenedStore(store.readOnly(because: failure.message), importFailure: failure)
    }
  }

  private static func open(
    at url: URL, bringing source: URL, _ schemas: [StoreSchema], _ options: StoreOptions,
    _ recognised: (ImportSource) throws -> any ImportFormat,
    otherwise fallback: (StoreError) throws -> OpenedStore
  ) throws -> OpenedStore {
    guard FileManager.default.fileExists(atPath: source.path) else {
      return OpenedStore(try open(at: url, schemas: schemas, options: options))
    }
    var report: ImportReport?
    if !isThere(url) {
      do {
        let file = try ImportSource(source)
        report = try importing(recognised(file), from: file, into: url, schemas: schemas, storeOptions: options)
      } catch {
        let failure = StoreError(error)
        guard failure.code != .cancelled else { throw failure }
        // Another process may have made the store meanwhile.
        if !isThere(url) {
          return try fallback(failure)
        }
      }
    }
    let store = try open(at: url, schemas: schemas, options: options)
    if let report { return OpenedStore(store, importReport: report) }
    return store.importing(legacy: source, recognised)
  }

  /// Whether a store is at the path. A file of zero bytes was never filled, unless there is a log beside it.
  private static func isThere(_ url: URL) -> Bool {
    // A link that leads nowhere has no store.
    guard let files = try? StoreFiles(url) else { return false }
    let path = files.path
    return DurableFile.stands(path) && (DurableFile.size(path) > 0 || DurableFile.isSpecial(path)) || DurableFile.stands(files.log.path)
  }

  private func importing(legacy: URL, _ recognised: (ImportSource) throws -> any ImportFormat) -> OpenedStore {
    do {
      guard try !ImportSource.isKnown(legacy, to: self) else { return OpenedStore(self) }
      let source = try ImportSource(legacy)
      guard try !source.wasImported(into: self) else { return OpenedStore(self) }
      return OpenedStore(self, importReport: try importing(recognised(source), from: source))
    } catch {
      return OpenedStore(self, importFailure: StoreError(error))
    }
  }
}

/// A library in memory that is kept in the app's own file.
private struct LegacyMode<Format: LegacyFormat> {
  let url: URL

  init(_ url: URL) { self.url = url }

  func open(
    _ source: URL, because failure: StoreError, _ schemas: [StoreSchema], _ options: StoreOptions,
    _ recognised: (ImportSource) throws -> any ImportFormat
  ) throws -> OpenedStore {
    var memoryOptions = options
    memoryOptions.key = nil
    let store = try Store.inMemory(schemas: schemas, options: memoryOptions)
    let file = try ImportSource(source)
    // Taken before the file is loaded: what another program writes meanwhile is not replaced without a copy.
    let sha256 = try file.sha256
    // A database is not JSON.
    let document = SQLiteSource.isDatabase(source) ? nil : try JSONDocument(contentsOf: source)
    let format = (try? recognised(file)) ?? document.flatMap(Format.init(asFarAsReadable:))
    if let format { try store.loading(format, from: file) }
    guard !options.opensReadOnly, failure.code != .newerSource, let document, isApps(document, format) else {
      return OpenedStore(store.readOnly(because: failure.message), importFailure: failure)
    }
    let isOurs = (format as? Format)?.isWrittenBack == true
    let target = LegacyFile<Format>(url, holding: isOurs ? sha256 : nil)
    store.beforeCommit(target.write)
    return OpenedStore(store, access: .legacy(reason: failure.message), importFailure: failure)
  }

  /// Whether the file is the app's own JSON, or was before it was damaged. No other file is replaced by such JSON.
  private func isApps(_ document: JSONDocument, _ format: (any ImportFormat)?) -> Bool {
    guard format == nil || format is Format else { return false }
    return !PortableImport.recognises(document) && !isNewer(document)
  }

  /// Whether a damaged file contains a newer version's number.
  private func isNewer(_ document: JSONDocument) -> Bool {
    let text = document.bytes(0..<document.count)
    let key = Array("\"\(Format.versionKey)\"".utf8)
    var start = 0
    while let quote = text[start...].firstIndex(of: UInt8(ascii: "\"")) {
      start = quote + 1
      guard text[quote...].starts(with: key) else { continue }
      let rest = text[(quote + key.count)...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      guard rest.first == UInt8(ascii: ":") else { continue }
      var version = JSONScanner(document, at: rest.startIndex + 1)
      if let number = try? version.int64(), number > Format.newestVersion { return true }
    }
    return false
  }
}

/// The app's file, written from a library in memory.
private final class LegacyFile<Format: LegacyFormat>: @unchecked Sendable {
  private let url: URL
  // Guarded by `lock`.
  /// The hash of content that may be replaced without a copy.
  private var replaceable: String?
  private let lock = NSLock()

  init(_ url: URL, holding replaceable: String?) {
    self.url = url
    self.replaceable = replaceable
  }

  func write(_ tx: Writer) throws {
    let data = try Format.written(in: tx, unread: UnreadRecord.all(in: tx), for: url.path)
    lock.lock()
    defer { lock.unlock() }
    // The file differs from what was last read or written here: this is the first write, or another program has written.
    if FileManager.default.fileExists(atPath: url.path) {
      let current = try ImportSource(url)
      if try current.sha256 != replaceable { try current.keepCopy() }
    }
    replaceable = try FileExport.write(data, to: url).sha256
  }
}
