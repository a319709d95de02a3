import Foundation
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@testable import Holdfast

@Suite("The copy of an imported source, and an import that ends early")
struct ImportBackups {
  private let json = Legacy.library(Legacy.collection(tracks: [Legacy.track(2)], more: #""tags":["a"],"#))

  @Test("the source is copied beside itself; an equal copy is used again")
  func equalCopy() throws {
    let world = try ImportWorld()
    #expect(try world.report(json).backup == world.source.path + ".backup")
    #expect(try world.report(json).backup == world.source.path + ".backup")
    #expect(try world.folder.contents() == ["library.json", "library.json.backup", "store.sqlite"])
    #expect(try Data(contentsOf: world.folder.file("library.json.backup")) == Data(json.utf8))
  }

  @Test("a copy whose name is taken by something else gets a number, and nothing is overwritten")
  func numberedCopy() throws {
    let world = try ImportWorld()
    try "another migrator's".write(to: world.folder.file("library.json.backup"), atomically: true, encoding: .utf8)
    #expect(try world.report(json).backup == world.source.path + ".backup-2")
    let other = Legacy.library(Legacy.collection(4, tracks: [Legacy.track(5)]))
    #expect(try world.report(other).backup == world.source.path + ".backup-3")
    // Nothing comes in from it.
    #expect(try world.report(Legacy.library()).backup == nil)
    #expect(try String(contentsOf: world.folder.file("library.json.backup"), encoding: .utf8) == "another migrator's")
    #expect(try String(contentsOf: world.folder.file("library.json.backup-2"), encoding: .utf8) == json)
  }

  @Test("restoreBackup puts the imported source back, and keeps what stands there")
  func restore() throws {
    let world = try ImportWorld()
    _ = try world.report(json)
    try "changed".write(to: world.source, atomically: true, encoding: .utf8)
    #expect(try world.withLibrary { try $0.store.restoreBackup(ofSource: world.source) }.path == world.source.path)
    #expect(try String(contentsOf: world.source, encoding: .utf8) == json)
    #expect(try String(contentsOf: world.folder.file("library.json.backup-2"), encoding: .utf8) == "changed")
  }

  @Test("removeBackup removes the copy and nothing else; the second call finds none")
  func removal() throws {
    let world = try ImportWorld()
    _ = try world.report(json)
    let removed = try world.withLibrary { library in try (1...2).map { _ in try library.store.removeBackup(ofSource: world.source) } }
    #expect(removed == [true, false])
    #expect(try world.folder.contents() == ["library.json", "store.sqlite"])
  }

  @Test("the copy goes away with an import that fails, and stays when it was there before")
  func failure() throws {
    let world = try ImportWorld()
    var options = ImportOptions()
    options.isCancelled = { true }
    for existing in [false, true] {
      try json.write(to: world.source, atomically: true, encoding: .utf8)
      let copy = world.folder.file("library.json.backup")
      if existing { try json.write(to: copy, atomically: true, encoding: .utf8) }
      #expect(code { _ = try world.report(options: options) } == .cancelled)
      #expect(try world.folder.contents() == (existing ? ["library.json", "library.json.backup"] : ["library.json"]))
    }
  }

  @Test("an import that is cancelled before any record, at both readings, leaves the folder byte for byte", arguments: [false, true])
  func cancellation(hasStore: Bool) throws {
    let world = try ImportWorld()
    let records = 4
    if hasStore { _ = try world.report(Legacy.library(Legacy.collection(7, tracks: [Legacy.track(8)]))) }
    try json.write(to: world.source, atomically: true, encoding: .utf8)
    let before = try world.bytes()
    for number in 1...(2 * records) {
      let calls = Recorder<Int>()
      var options = ImportOptions()
      options.isCancelled = {
        calls.append(1)
        return calls.values.count == number
      }
      guard code({ _ = try world.report(options: options) }) == .cancelled else {
        #expect(number > 2 * 3, "cancelling at record \(number) had no effect")
        break
      }
      #expect(try world.bytes() == before, "cancelled at record \(number)")
    }
    #expect(try world.report(json).isClean)
  }

  @Test("a task that is cancelled cancels its import")
  func taskCancellation() async throws {
    let world = try ImportWorld()
    try json.write(to: world.source, atomically: true, encoding: .utf8)
    let (source, store, options) = (world.source, world.store, world.options)
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      // A closure without `await`, so that the blocking form is called.
      let importing = { try AudiobookLibrary.importLibrary(from: source, into: store, storeOptions: options) }
      return try importing()
    }
    #expect(await asyncCode { _ = try await task.value } == .cancelled)
    #expect(try world.folder.contents() == ["library.json"])
  }

  @Test("an awaited import does what a blocking one does, and ends when its task is cancelled")
  func awaited() async throws {
    try await ImportWorld().checkAsync(json) { wanted in
      try await AudiobookLibrary.importLibrary(
        from: wanted.source, into: wanted.store, options: wanted.options, storeOptions: wanted.storeOptions)
    }
  }

  @Test("leftovers of imports whose process is gone are removed by the next one; those of a living one stay")
  func leftovers() throws {
    let world = try ImportWorld()
    // A folder that nobody holds a lock on was left; an open one is another import's.
    for purpose in ["building", "copying"] {
      let left = world.folder.file(".holdfast-\(purpose)-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: left, withIntermediateDirectories: false)
      try Data("left".utf8).write(to: left.appendingPathComponent("store.sqlite"))
    }
    let living = try WorkingFolder(in: world.folder.url, "building")
    _ = try world.report(json)
    #expect(try world.folder.contents() == [living.url.lastPathComponent, "library.json", "library.json.backup", "store.sqlite"])
    withExtendedLifetime(living) {}
  }

  @Test(
    "two imports at the same time into one path: nothing is lost, and one may be told that the other is busy", arguments: [false, true])
  func twoAtOnce(hasStore: Bool) async throws {
    let world = try ImportWorld()
    if hasStore { _ = try world.report(Legacy.library(Legacy.collection(9))) }
    let sources = try (1...2).map { number in
      let url = world.folder.file("library-\(number).json")
      let tracks = (20..<70).map { Legacy.track($0) }
      try Legacy.library(Legacy.collection(number, tracks: tracks)).write(to: url, atomically: true, encoding: .utf8)
      return url
    }
    let (store, options) = (world.store, world.options)
    let outcomes = await withTaskGroup(of: String.self) { group in
      for source in sources {
        group.addTask {
          do {
            return try await AudiobookLibrary.importLibrary(from: source, into: store, storeOptions: options).isClean ? "clean" : "problems"
          } catch {
            return (error as? StoreError)?.code.rawValue ?? "\(error)"
          }
        }
      }
      return await group.reduce(into: [String]()) { $0.append($1) }.sorted()
    }
    #expect(outcomes == ["clean", "clean"] || outcomes == ["busy", "clean"])
    for source in sources { _ = try await AudiobookLibrary.importLibrary(from: source, into: store, storeOptions: options) }
    let counts = try world.withLibrary { library in
      #expect(try library.store.integrityCheck().findings == [])
      return try library.store.read { try AudiobookLibrary.collections(in: $0) }.filter { $0.id != Legacy.uuid(9) }.map(\.tracks.count)
    }
    #expect(counts == [50, 50])
  }
}

extension ImportWorld {
  /// Every file but the snapshots, with its bytes; of the store without the three counters in its header that opening a pool already moves on.
  func bytes() throws -> [String: Data] {
    try folder.contents().filter { !$0.hasPrefix("store.sqlite.holdfast") }.reduce(into: [:]) { files, name in
      var bytes = try Data(contentsOf: folder.file(name))
      if name == "store.sqlite" {
        for counter in [24..<28, 40..<44, 92..<96] { bytes.replaceSubrange(counter, with: Data(count: 4)) }
      }
      files[name] = bytes
    }
  }
}
