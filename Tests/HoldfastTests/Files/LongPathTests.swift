import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// SQLite opens no path of more than 504 bytes, and our working files have longer paths than the store.
@Suite("A long path")
struct LongPathTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// A path of this many bytes, in a folder that exists.
  ///
  /// - Parameter name: the bytes of the file's name, or one less.
  private func url(bytes: Int, name: Int) throws -> URL {
    var place = try DurableFile.real(folder.url)
    while true {
      let left = bytes - place.path.utf8.count - 1
      guard left > name + 1 else { return place.appendingPathComponent(String(repeating: "s", count: left)) }
      place.appendPathComponent(String(repeating: "f", count: min(200, left - 1 - name)))
      try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    }
  }

  @Test("at the longest path, with a short name and with a long one, every verb finds room for its working names", arguments: [2, 200])
  func longest(name: Int) throws {
    let url = try url(bytes: StoreFiles.longestPathBytes, name: name)
    #expect(url.path.utf8.count == StoreFiles.longestPathBytes)
    var options = StoreOptions.testing
    options.archive.mode = .begins
    let store = try Store.open(at: url, schemas: [Shelves.schema], options: options)
    _ = try store.archive()
    try store.fill()
    let snapshot = try store.snapshot()
    try store.label("here")
    try store.fill(shelf: 2)
    try store.restore(snapshot: snapshot.id)
    try store.rewind(to: .label("here"))
    #expect(try store.drillArchive().report.isHealthy)
    let healed = try store.heal()
    #expect(healed.damage == [] && healed.means != .rows, "\(healed)")
    try store.close()
    // The longest names: a salvage in a healing.
    for number in 2...40 where DurableFile.size(url.path) >= number * 4096 { try Damage.overwritePage(url, number) }
    try FileManager.default.removeItem(at: StoreFiles(url).folder)
    do {
      let report = try Store.heal(at: url, schemas: [Shelves.schema], options: .testing)
      #expect(report.means == .rows)
    } catch let error as StoreError {
      // No row is left.
      #expect(error.code == .damaged, "\(error)")
    }
  }

  @Test("no store is made at a longer path; nothing is left there", arguments: [2, 200])
  func tooLong(name: Int) throws {
    for bytes in [StoreFiles.longestPathBytes + 1, 440, 470, 600] {
      let url = try url(bytes: bytes, name: name)
      let error = failure { try Store.open(at: url, schemas: [Shelves.schema], options: .testing) }
      #expect(error?.code == .invalidValue && error?.message.contains("is too long") == true, "\(bytes): \(String(describing: error))")
      #expect(error?.recoverySuggestion?.contains("at most \(StoreFiles.longestPathBytes) bytes") == true)
      #expect(!FileManager.default.fileExists(atPath: url.path))
    }
  }

  @Test("a store that was moved to a long path opens and is written; what needs longer names says that the path is too long, not busy")
  func moved() throws {
    try folder.store([Shelves.schema]).close()
    let url = try url(bytes: 440, name: 2)
    try FileManager.default.moveItem(at: folder.file("store.sqlite"), to: url)
    var options = StoreOptions.testing
    options.archive.mode = .begins
    options.busyTimeout = .zero
    let store = try Store.open(at: url, schemas: [Shelves.schema], options: options)
    try store.fill()
    #expect(try store.titles().count == 3)
    for verb in [{ _ = try store.snapshot() }, { try store.label("x") }] as [() throws -> Void] {
      let error = failure(verb)
      #expect(
        error?.code == .invalidValue && error?.message.hasPrefix("the path of \(url.path) is too long") == true,
        "\(String(describing: error))")
      #expect(error?.recoverySuggestion?.contains("Move a store that is there already") == true)
    }
    try store.close()
    #expect(try Store.check(at: url, schemas: [Shelves.schema], options: .testing).isHealthy)
  }
}
