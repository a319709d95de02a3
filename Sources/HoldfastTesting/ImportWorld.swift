public import Foundation
public import Holdfast
public import HoldfastTransfer

/// A folder with a source, and a store that the source is imported into. The store's clock and ids are the same in every run.
///
/// Every import is checked for what all imports promise: the source is unchanged, the counts add up, what was written was verified, and the
/// store is healthy. An import that fails leaves the folder as it was.
///
/// ```swift
/// let world = try ImportWorld<ReadingList>("books.json") { wanted in
///   try ReadingList.importLibrary(from: wanted.source, into: wanted.store, options: wanted.options, storeOptions: wanted.storeOptions)
/// }
/// #expect(try world.importing(#"{"books": [5]}"#) == "books 1: 1 quarantined\n$.books[0]: a book should be an object")
/// ```
public final class ImportWorld<Library: Holdfast.Library> {
  /// The folder of the source and the store. It is removed with the value.
  public let folder: TemporaryFolder
  /// The store's clock. Starts at 2026-01-01T00:00:00Z.
  public let clock = TestClock()
  /// The file to import.
  public var source: URL
  /// Facts that the source lacks, such as its time zone. Default none.
  public var hints = SourceHints()
  /// The import under test.
  public var importer: (LibraryImport) throws -> ImportReport
  private let library: (Store) -> Library
  private let newID = NewID.counting()

  /// Makes a folder without a source.
  ///
  /// - Parameters:
  ///   - name: the name of the source in the folder.
  ///   - importer: the import under test.
  ///   - library: makes the library, when it needs more than its store.
  public init(
    _ name: String, importer: @escaping (LibraryImport) throws -> ImportReport, library: @escaping (Store) -> Library = { Library($0) }
  ) throws {
    folder = try TemporaryFolder()
    source = folder.file(name)
    (self.importer, self.library) = (importer, library)
  }

  /// The store. It exists after the first import.
  public var store: URL { folder.file("store.sqlite") }

  /// How every import and every look opens the store.
  public var options: StoreOptions {
    var options = StoreOptions.testing
    options.busyTimeout = .seconds(5)
    options.now = { [clock] in clock.now }
    options.newID = newID
    return options
  }

  /// Imports the source.
  ///
  /// - Parameters:
  ///   - text: the content of the source; nil: the file that is there.
  ///   - format: the format that a person requests; nil: the content decides.
  /// - Throws: the errors of the import; `.verificationFailed` for a broken promise.
  public func report(
    _ text: String? = nil, format: String? = nil, options: ImportOptions = ImportOptions()
  ) throws -> ImportReport {
    if let text { try Data(text.utf8).write(to: source) }
    let content = try Data(contentsOf: source)
    let report = try importer(wanted(format, options))
    try expect(try Data(contentsOf: source) == content, "the import changed its source")
    try expect(report.verified, "the import was not verified")
    for (kind, counts) in report.counts { try expect(counts.addsUp, "the counts of \(kind) do not add up: \(counts)") }
    guard !options.dryRun else { return report }
    let findings = try withLibrary { try $0.store.integrityCheck().findings.map(\.message) }
    try expect(findings == [], "the store is damaged after the import: \(findings)")
    return report
  }

  /// Imports the source, and returns the report's `picture`; see `report(_:format:options:)`.
  public func importing(_ text: String? = nil, format: String? = nil) throws -> String { try report(text, format: format).picture }

  /// The error of an import that must fail.
  ///
  /// - Throws: `.verificationFailed` when it does not fail, or leaves a file.
  public func failure(_ text: String? = nil, format: String? = nil) throws -> StoreError {
    if let text { try Data(text.utf8).write(to: source) }
    let before = try folder.contents()
    do {
      _ = try importer(wanted(format, ImportOptions()))
    } catch let error as StoreError {
      let after = try folder.contents()
      try expect(after == before, "a failed import left other files than \(before): \(after)")
      return error
    }
    throw StoreError(.verificationFailed, "the import of \(source.lastPathComponent) did not fail")
  }

  /// Checks the async form of the import. Cancelled at its first record, it throws `.cancelled` and leaves nothing. Otherwise it imports the
  /// source, and the blocking form finds nothing new afterwards.
  ///
  /// - Parameters:
  ///   - text: the content of the source; nil: the file that is there.
  ///   - awaited: the async form.
  /// - Throws: the errors of the import; `.verificationFailed` for a broken promise.
  public func checkAsync(
    _ text: String? = nil, _ awaited: @escaping @Sendable (LibraryImport) async throws -> ImportReport
  ) async throws {
    if let text { try Data(text.utf8).write(to: source) }
    let before = try folder.contents()
    let (begun, cancelled) = (AsyncStream.makeStream(of: Void.self), DispatchSemaphore(value: 0))
    var options = ImportOptions()
    options.isCancelled = {
      begun.continuation.yield()
      cancelled.wait()
      cancelled.signal()
      return false
    }
    let stopped = wanted(nil, options)
    let task = Task {
      defer { begun.continuation.finish() }
      return try await awaited(stopped)
    }
    for await _ in begun.stream { break }
    task.cancel()
    cancelled.signal()
    let result = await task.result
    try expect(code { _ = try result.get() } == .cancelled, "a cancelled import ended with \(result)")
    try expect(try folder.contents() == before, "a cancelled import left files")
    let report = try await awaited(wanted(nil, ImportOptions()))
    try expect(report.verified && report.counts.values.contains { $0.imported > 0 }, "the awaited import imported nothing")
    try expect(try !self.report().counts.values.contains { $0.imported > 0 }, "the awaited import left records for the blocking one")
  }

  /// Opens the library for `body`, and closes it.
  public func withLibrary<T>(_ body: (Library) throws -> T) throws -> T {
    let store = try Store.open(at: self.store, schemas: [Library.schema], options: options)
    let result = try body(library(store))
    try store.close()
    return result
  }
  /// The same for a body that awaits.
  public func usingLibrary<T>(_ body: (Library) async throws -> T) async throws -> T {
    let store = try Store.open(at: self.store, schemas: [Library.schema], options: options)
    let result = try await body(library(store))
    try store.close()
    return result
  }

  /// Every row of the library's own tables, as the documented export has them. For comparison.
  public func rows() throws -> [String] {
    let target = folder.file("rows.jsonl")
    try withLibrary { _ = try $0.store.export(to: target) }
    defer { try? FileManager.default.removeItem(at: target) }
    return try String(contentsOf: target, encoding: .utf8).split(separator: "\n").dropFirst().dropLast().map(String.init)
      .filter { !$0.contains(#""table":"holdfast_quarantine""#) }
  }

  /// The result of a query, one text per row; see `Store.rows(_:columns:)`.
  public func lines(_ sql: BoundSQL) throws -> [String] { try withLibrary { try $0.store.rows(sql) } }

  /// The original bytes of each record in quarantine, as text.
  public func quarantine() throws -> [String] {
    try withLibrary { library in
      try library.store.read { reader in
        try reader.values("SELECT original FROM holdfast_quarantine ORDER BY id") { String(decoding: try $0.data(), as: UTF8.self) }
      }
    }
  }

  private func wanted(_ format: String?, _ options: ImportOptions) -> LibraryImport {
    var wanted = LibraryImport(from: source, into: store)
    (wanted.format, wanted.hints, wanted.options, wanted.storeOptions) = (format, hints, options, self.options)
    return wanted
  }
}
