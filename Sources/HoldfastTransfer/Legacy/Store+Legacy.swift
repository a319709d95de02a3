public import Foundation
public import Holdfast

extension Store {
  /// Opens the store at `url`, and imports the file in which the app kept its data before, once. For a library's own `open(at:legacy:)`.
  ///
  /// A legacy file that was not imported yet is imported and verified. If the import fails and there is no store yet, the store is in
  /// memory, loaded from the file as far as it can be read, and `access` is `.legacy`: every change is first written to the file as
  /// `Format` writes it, and a change whose write fails throws and is undone. Before the first such write the file is copied to
  /// `<name>.backup`. A file of a newer version, and one that is not the app's own JSON, is only read; then `access` is `.readOnly`.
  ///
  /// If the import fails and there is a store, the store is opened. Either way `importFailure` says why, and the next opening tries again.
  /// - Parameters:
  ///   - legacy: the app's file.
  ///   - source: the file to read, where it is not `legacy`; nil: `legacy`.
  ///   - format: the app's own format, the only one that is written.
  ///   - progress: called during migrations and during the import, on this thread. False cancels the import, with nothing changed: the
  ///     store then opens as after a failed import, and `importFailure` has the code `.cancelled`. A migration always ends. Nil tells nothing.
  ///   - importer: the importer for the file, by its content.
  /// - Throws: what `open(at:schemas:options:)` throws for an existing store; `.cancelled` when the task is cancelled while a new store is
  ///   filled; `.permissionDenied` or `.inputOutput` when the legacy file cannot be read either.
  public static func open<Format: LegacyFormat>(
    at url: URL, legacy: URL, reading source: URL? = nil, as format: Format.Type, schemas: [StoreSchema],
    options: StoreOptions = .production, progress: (@Sendable (OpeningProgress) -> Bool)? = nil,
    importer: (ImportSource) throws -> any ImportFormat
  ) throws -> OpenedStore {
    let source = source ?? legacy
    return try open(at: url, bringing: source, schemas, options, progress, importer) { failure in
      try LegacyMode<Format>(url: legacy).open(source, because: failure, schemas, options, importer)
    }
  }

  /// The same for a legacy file that is never written. If it is not imported and there is no store yet, the readable part of it becomes a
  /// read-only store in memory.
  ///
  /// - Parameters:
  ///   - holdsNothing: whether a file that cannot be imported has no record. Then a new store hides nothing, and is made. Default: never.
  ///   - damaged: the importer for the part before the damage of a file that `importer` refuses. Default: nothing can be read of it.
  public static func open(
    at url: URL, legacy: URL, schemas: [StoreSchema], options: StoreOptions = .production,
    progress: (@Sendable (OpeningProgress) -> Bool)? = nil, holdsNothing: (ImportSource) -> Bool = { _ in false },
    damaged: ((ImportSource) throws -> any ImportFormat)? = nil, importer: (ImportSource) throws -> any ImportFormat
  ) throws -> OpenedStore {
    try open(at: url, bringing: legacy, schemas, options, progress, importer) { failure in
      let file = try ImportSource(legacy)
      if failure.code != .cancelled, holdsNothing(file), let store = try? open(at: url, schemas: schemas, options: options) {
        return OpenedStore(store, importFailure: failure)
      }
      var memoryOptions = options
      memoryOptions.key = nil
      let store = try Store.inMemory(schemas: schemas, options: memoryOptions)
      // When the file cannot be loaded either, the store stays empty. The reported error is the error of the import.
      if let format = (try? importer(file)) ?? (try? damaged?(file)) { _ = try? store.loading(format) }
      return OpenedStore(store.readOnly(because: failure.message), importFailure: failure)
    }
  }

  private static func open(
    at url: URL, bringing source: URL, _ schemas: [StoreSchema], _ options: StoreOptions,
    _ progress: (@Sendable (OpeningProgress) -> Bool)?, _ importer: (ImportSource) throws -> any ImportFormat,
    otherwise fallback: (StoreError) throws -> OpenedStore
  ) throws -> OpenedStore {
    let steps = OpeningSteps(progress)
    defer { steps.end() }
    let told = steps.telling(options)
    guard FileManager.default.fileExists(atPath: source.path) else {
      return OpenedStore(try open(at: url, schemas: schemas, options: told))
    }
    var report: ImportReport?
    if !isThere(url) {
      do {
        let file = try ImportSource(source)
        report = try importing(
          importer(file), from: file, into: url, schemas: schemas, options: steps.importOptions, storeOptions: told)
      } catch {
        let failure = StoreError(error)
        guard failure.code != .cancelled || steps.isDeclined && !Task.isCancelled else { throw failure }
        // The app's own file is plain: without encryption there would be no word of it.
        guard failure.code != .encryptionUnavailable else { throw failure }
        // Another process may have made the store meanwhile.
        if !isThere(url) {
          return try fallback(failure)
        }
      }
    }
    let store = try open(at: url, schemas: schemas, options: told)
    if let report { return OpenedStore(store, importReport: report) }
    return store.importing(legacy: source, steps.importOptions, importer)
  }

  /// Whether a store is at the path. A file of zero bytes was never filled, unless there is a log beside it.
  private static func isThere(_ url: URL) -> Bool {
    // A link that leads nowhere has no store.
    guard let files = try? StoreFiles(url) else { return false }
    let path = files.path
    return DurableFile.stands(path) && (DurableFile.size(path) > 0 || DurableFile.isSpecial(path)) || DurableFile.stands(files.log.path)
  }

  private func importing(
    legacy: URL, _ options: ImportOptions, _ importer: (ImportSource) throws -> any ImportFormat
  ) -> OpenedStore {
    do {
      guard try !ImportSource.isKnown(legacy, to: self) else { return OpenedStore(self) }
      let source = try ImportSource(legacy)
      // First the format: a file that is refused at its first bytes is not hashed.
      let format = try importer(source)
      guard try !source.wasImported(into: self) else { return OpenedStore(self) }
      return OpenedStore(self, importReport: try importing(format, from: source, options: options))
    } catch {
      return OpenedStore(self, importFailure: StoreError(error))
    }
  }
}

/// A library in memory that is kept in the app's own file.
private struct LegacyMode<Format: LegacyFormat> {
  let url: URL

  func open(
    _ source: URL, because failure: StoreError, _ schemas: [StoreSchema], _ options: StoreOptions,
    _ importer: (ImportSource) throws -> any ImportFormat
  ) throws -> OpenedStore {
    var memoryOptions = options
    memoryOptions.key = nil
    let store = try Store.inMemory(schemas: schemas, options: memoryOptions)
    let file = try ImportSource(source)
    // Taken before the file is loaded: what another program writes meanwhile is not replaced without a copy.
    let sha256 = try file.sha256
    // A database is not JSON.
    let document = SQLiteSource.isDatabase(source) ? nil : try JSONDocument(contentsOf: source)
    let format = (try? importer(file)) ?? document.flatMap(readable)
    if let format { try store.loading(format) }
    guard !options.opensReadOnly, failure.code != .newerSource, let document, isApps(document, format) else {
      return OpenedStore(store.readOnly(because: failure.message), importFailure: failure)
    }
    let isOurs = (format as? Format)?.document.isWrittenBack == true
    let target = LegacyFile<Format>(url, holding: isOurs ? sha256 : nil)
    store.beforeCommit(target.write)
    return OpenedStore(store, access: .legacy(reason: failure.message), importFailure: failure)
  }

  /// The part of a document before its damage; nil when there is nothing to read.
  private func readable(_ document: JSONDocument) -> (any ImportFormat)? {
    LegacyDocument(asFarAsReadable: document, as: Format.form).map(Format.init(document:))
  }

  /// Whether the file is the app's own JSON, or was before it was damaged. No other file is replaced by such JSON.
  private func isApps(_ document: JSONDocument, _ format: (any ImportFormat)?) -> Bool {
    guard format == nil || format is Format else { return false }
    return !PortableImport.recognises(document) && !isNewer(document)
  }

  /// Whether a damaged file contains a newer version's number.
  private func isNewer(_ document: JSONDocument) -> Bool {
    let text = document.bytes(0..<document.count)
    let key = Array("\"\(Format.form.versionKey)\"".utf8)
    var start = 0
    while let quote = text[start...].firstIndex(of: UInt8(ascii: "\"")) {
      start = quote + 1
      guard text[quote...].starts(with: key) else { continue }
      let rest = text[(quote + key.count)...].drop { $0 == 0x20 || (0x09...0x0D).contains($0) }
      guard rest.first == UInt8(ascii: ":") else { continue }
      var version = JSONScanner(document, at: rest.startIndex + 1)
      if let number = try? version.int64(), number > Format.form.versions.upperBound { return true }
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
