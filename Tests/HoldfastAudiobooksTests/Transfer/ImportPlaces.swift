import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

/// Where sources, copies and stores stand, and what else stands there.
@Suite("Places of an import") struct ImportPlaces {
  private let world: ImportWorld
  private let json = Legacy.library(Legacy.collection(tracks: [Legacy.track(2)]))
  private var backup: URL { world.folder.file("library.json.backup") }

  init() throws { world = try ImportWorld() }

  @Test("of a source that is a link the content is copied, and the file that it leads to is not touched")
  func link() throws {
    let real = world.folder.file("real.json")
    try json.write(to: real, atomically: true, encoding: .utf8)
    try FileManager.default.createSymbolicLink(atPath: world.source.path, withDestinationPath: "real.json")
    #expect(try AudiobookLibrary.importLibrary(from: world.source, into: world.store, storeOptions: world.options).isClean)
    #expect(try FileManager.default.attributesOfItem(atPath: backup.path)[.type] as? FileAttributeType == .typeRegular)
    #expect(try Data(contentsOf: backup) == Data(json.utf8))
    #expect(try Data(contentsOf: real) == Data(json.utf8))
  }

  @Test("of a database that is a link the content is copied: SQLite opens neither it nor its log", arguments: [true, false])
  func linkedDatabase(relative: Bool) throws {
    let folder = try ImportFolder([OldDatabase.collection(), OldDatabase.track()])
    let links = try TemporaryFolder()
    let link = (relative ? folder.url : links.url).appendingPathComponent("link.sqlite")
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: relative ? "library.sqlite" : folder.source.path)
    try RawDatabase.with(folder.source) { database in
      try database.execute("PRAGMA journal_mode = WAL; UPDATE collections SET title = 'in the log'")
      let before = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: folder.source.path + $0)) }
      #expect(before[1].count > 0)
      _ = try folder.importing(link)
      let after = try ["", "-wal"].map { try Data(contentsOf: URL(fileURLWithPath: folder.source.path + $0)) }
      #expect(after == before)
    }
    #expect(try folder.collections().map(\.title) == ["in the log"])
    let backup = try FileManager.default.attributesOfItem(atPath: link.path + ".backup")
    #expect(backup[.type] as? FileAttributeType == .typeRegular)
  }

  @Test("files of other people beside the copy's name stay: the copy gets another", arguments: ["-wal", "-shm", "-journal", ""])
  func neighbours(suffix: String) throws {
    let mine = world.folder.file("library.json.backup\(suffix)")
    try "mine".write(to: mine, atomically: true, encoding: .utf8)
    let report = try world.report(json)
    #expect(report.backup == world.folder.file("library.json.backup-2").path)
    #expect(try String(contentsOf: mine, encoding: .utf8) == "mine")
  }

  @Test("an import that fails takes no copy away that another one kept meanwhile")
  func copyOfAnother() throws {
    try json.write(to: world.source, atomically: true, encoding: .utf8)
    let other = world.folder.file("other.sqlite")
    var options = ImportOptions()
    let (source, storeOptions) = (world.source, world.options)
    options.onProgress = { progress in
      guard progress.phase == .verifying else { return }
      _ = try? AudiobookLibrary.importLibrary(from: source, into: other, storeOptions: storeOptions)
    }
    options.isCancelled = { FileManager.default.fileExists(atPath: other.path) }
    #expect(code { _ = try world.report(options: options) } == .cancelled)
    #expect(try world.folder.contents() == ["library.json", "library.json.backup", "other.sqlite"])
  }

  @Test("an older file that comes after a newer one changes nothing that the newer one knew better")
  func olderFile() throws {
    let older = world.folder.file("older.json")
    try json.write(to: older, atomically: true, encoding: .utf8)
    _ = try world.report(Legacy.library(Legacy.collection(title: "newer", updatedAt: "2026-01-01T00:00:00Z", tracks: [Legacy.track(2)])))
    let report = try AudiobookLibrary.importLibrary(from: older, into: world.store, storeOptions: world.options)
    #expect(report.counts["collections"]?.merged == 0)
    #expect(report.skipped["the store is newer"] ?? 0 > 0)
    #expect(report.firstNewer?.path == "$.collections[0]" && report.text.contains(": the store is newer (first: $.collections[0], of 20"))
    #expect(report.text.contains(" in the source and 2026-01-01T00:00:00.000Z in the store)"), "\(report.text)")
    #expect(try world.withLibrary { try $0.store.read { try AudiobookLibrary.collections(in: $0) }.map(\.title) } == ["newer"])
  }

  @Test("who gives up while a lock is waited for has cancelled, and does not wait for the end", .timeLimit(.minutes(10)))
  func givingUp() throws {
    _ = try world.report(json)
    let lock = try HeldWriteLock(on: world.store)
    var storeOptions = world.options
    storeOptions.busyTimeout = .seconds(600)
    var options = ImportOptions()
    options.isCancelled = { true }
    let cancelled = code {
      _ = try AudiobookLibrary.importLibrary(from: world.source, into: world.store, options: options, storeOptions: storeOptions)
    }
    #expect(cancelled == .cancelled)
    lock.release()
  }

  @Test("a pipe is not read: a source is read twice")
  func pipe() throws {
    #expect(mkfifo(world.source.path, 0o600) == 0)
    #expect(try world.failure().code == .invalidSource)
  }

  @Test("what is no file is neither made a store nor replaced by an export, and a link that leads nowhere is not followed")
  func special() throws {
    try json.write(to: world.source, atomically: true, encoding: .utf8)
    let pipe = world.folder.file("pipe")
    let link = world.folder.file("link")
    #expect(mkfifo(pipe.path, 0o600) == 0)
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: "nowhere")
    let library = try World.inMemory().library
    for (url, into, out) in [(pipe, StoreError.Code.notADatabase, StoreError.Code.cannotCreate), (link, .notFound, .notFound)] {
      #expect(code { _ = try AudiobookLibrary.importLibrary(from: world.source, into: url) } == into)
      #expect(code { _ = try library.export(to: url) } == out)
      #expect(code { _ = try library.exportLibraryJSON(to: url) } == out)
    }
    #expect(try world.folder.contents() == ["library.json", "link", "pipe"])
  }

  @Test("a store that is reached through a link is the same store, its log included")
  func linkedStore() throws {
    let library = try AudiobookLibrary.open(at: world.store, options: world.options)
    try library.store.write { try AudiobookLibrary.save(Sample.collection("Book"), in: $0) }
    let folder = world.folder.file("links")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    let link = folder.appendingPathComponent("link.sqlite")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: world.store)
    #expect(try Store.kinds(at: link) == ["audiobooks": 2])
    let second = try AudiobookLibrary.open(at: link, options: world.options)
    #expect(try second.store.read { try AudiobookLibrary.collections(in: $0) }.count == 1)
    _ = try second.store.snapshot(label: "through the link")
    #expect(try library.store.snapshots().count == 1)
    try second.store.close()
    try library.store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["link.sqlite"])
  }

  @Test(
    "on a disk of any size a new store is whole or not there", .enabled(if: SmallDisk.isPossible),
    arguments: [300, 340, 380, 420, 500, 700, 2000])
  func smallDisk(kibibytes: Int) throws {
    let disk = try SmallDisk(kibibytes: kibibytes)
    let source = disk.url.appendingPathComponent("library.json")
    let tracks = (10...80).map { Legacy.track($0) }
    try Legacy.library(Legacy.collection(tracks: tracks)).write(to: source, atomically: true, encoding: .utf8)
    let store = disk.url.appendingPathComponent("store.sqlite")
    do {
      #expect(try AudiobookLibrary.importLibrary(from: source, into: store).verified)
      let library = try AudiobookLibrary.open(at: store, options: world.options)
      #expect(try library.store.read { try AudiobookLibrary.collections(in: $0) }.map(\.tracks.count) == [71])
      try library.store.close()
    } catch let error as StoreError {
      #expect(error.code == .diskFull, "\(error)")
      // The copy of the source is there when the disk was full only as the store was finished.
      let names = try FileManager.default.contentsOfDirectory(atPath: disk.url.path).sorted()
      #expect(names == ["library.json"] || names == ["library.json", "library.json.backup"])
    }
  }
}
