import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("An export that fails") struct ExportFailure {
  enum Format: CaseIterable {
    case holdfast, libraryJSON

    func export(_ library: AudiobookLibrary, to url: URL) throws -> ExportReport {
      switch self {
      case .holdfast: try library.export(to: url)
      case .libraryJSON: try library.exportLibraryJSON(to: url)
      }
    }
  }

  @Test("leaves the file that was there, and nothing beside it", arguments: Format.allCases)
  func damagedRow(format: Format) throws {
    let folder = try TemporaryFolder()
    let world = try World.inMemory()
    try world.library.store.write { try AudiobookLibrary.save(Sample.collection("Book", tracks: ["One"]), in: $0) }
    let target = folder.file("export")
    try Data("precious".utf8).write(to: target)
    try world.store.write { tx in _ = try tx.execute("UPDATE tracks SET display_name = CAST(x'FF' AS TEXT)") }
    #expect(code { _ = try format.export(world.library, to: target) } == .decoding)
    #expect(try Data(contentsOf: target) == Data("precious".utf8))
    #expect(try folder.contents() == ["export"])
  }

  @Test("says that a folder cannot be written to", arguments: Format.allCases)
  func noFolder(format: Format) throws {
    let folder = try TemporaryFolder()
    let world = try World.inMemory()
    try Data("a file".utf8).write(to: folder.file("file"))
    for name in ["file/export", "missing/export"] {
      #expect(code { _ = try format.export(world.library, to: folder.file(name)) } == .cannotCreate, "\(name)")
    }
    #expect(try folder.contents() == ["file"])
  }

  @Test("on a full disk leaves the file that was there", .enabled(if: SmallDisk.isPossible), arguments: Format.allCases)
  func fullDisk(format: Format) throws {
    let disk = try SmallDisk(kibibytes: 256)
    let world = try World.inMemory()
    try world.library.store.write { try AudiobookLibrary.save(Sample.collection("Book", tracks: (1...4000).map { "Track \($0)" }), in: $0) }
    let target = disk.url.appendingPathComponent("export")
    try Data("precious".utf8).write(to: target)
    #expect(code { _ = try format.export(world.library, to: target) } == .diskFull)
    #expect(try Data(contentsOf: target) == Data("precious".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: disk.url.path) == ["export"])
  }

  @Test("because it would replace the store itself is refused, however its path is spelled", arguments: Format.allCases)
  func ownFile(format: Format) throws {
    let world = try World.temporary()
    try world.library.store.write { try AudiobookLibrary.save(Sample.collection("Book", tracks: ["One"]), in: $0) }
    let store = try #require(world.store.url)
    let folder = store.deletingLastPathComponent()
    let link = folder.deletingLastPathComponent().appendingPathComponent("link-\(UUID().uuidString)")
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: folder)
    defer { try? FileManager.default.removeItem(at: link) }
    let spellings = [
      store, URL(fileURLWithPath: store.path + "-wal"), link.appendingPathComponent("store.sqlite"),
      folder.appendingPathComponent("../\(folder.lastPathComponent)/store.sqlite"),
    ]
    for url in spellings { #expect(code { _ = try format.export(world.library, to: url) } == .misuse, "\(url.path)") }
    #expect(try world.isHealthy())
  }
}

/// A disk of a few kilobytes in memory; only root may make one.
final class SmallDisk {
  let url: URL

  static var isPossible: Bool {
    geteuid() == 0 && FileManager.default.fileExists(atPath: "/bin/mount") && (try? SmallDisk(kibibytes: 16)) != nil
  }

  init(kibibytes: Int) throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-disk-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    guard try Self.run("/bin/mount", ["-t", "tmpfs", "-o", "size=\(kibibytes)k", "tmpfs", url.path]) else {
      try? FileManager.default.removeItem(at: url)
      throw CocoaError(.fileWriteUnknown)
    }
  }

  /// Takes what is left, so that nothing can be written any more.
  func fill() throws {
    let file = url.appendingPathComponent("filler")
    _ = FileManager.default.createFile(atPath: file.path, contents: nil)
    let handle = try FileHandle(forWritingTo: file)
    while (try? handle.write(contentsOf: Data(count: 4096))) != nil {}
    try handle.close()
  }

  func free() throws { try FileManager.default.removeItem(at: url.appendingPathComponent("filler")) }

  deinit {
    _ = try? Self.run("/bin/umount", ["-l", url.path])
    try? FileManager.default.removeItem(at: url)
  }

  private static func run(_ program: String, _ arguments: [String]) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus == 0
  }
}
