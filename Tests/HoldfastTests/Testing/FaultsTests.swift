import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("Injected faults")
struct FaultsTests {
  @Test("a temporary folder is removed with everything in it")
  func temporaryFolder() throws {
    var folder: TemporaryFolder? = try TemporaryFolder()
    let url = try #require(folder?.url)
    try folder?.store([Shelves.schema]).close()
    #expect(try folder?.contents() == ["store.sqlite"])
    folder = nil
    #expect(!FileManager.default.fileExists(atPath: url.path))
  }

  @Test("a lock that is held already cannot be held twice", .timeLimit(.minutes(10)))
  func heldTwice() throws {
    let folder = try TemporaryFolder()
    try folder.store([Shelves.schema]).close()
    let lock = try HeldWriteLock(on: folder.file("store.sqlite"))
    #expect(failure { try HeldWriteLock(on: folder.file("store.sqlite")) }?.code == .busy)
    lock.release()
    try HeldWriteLock(on: folder.file("store.sqlite")).release()
  }

  @Test("damage changes the bytes it names and no other")
  func damage() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("bytes")
    try Data(repeating: 0, count: 10).write(to: url)
    try Damage.overwrite(url, at: 2, count: 3, with: 7)
    #expect(try Array(Data(contentsOf: url)) == [0, 0, 7, 7, 7, 0, 0, 0, 0, 0])
    try Damage.overwritePage(url, 2, pageBytes: 8)
    try Damage.truncate(url, to: 9)
    #expect(try Array(Data(contentsOf: url)) == [0, 0, 7, 7, 7, 0, 0, 0, 0xA5])
    #expect(failure { try Damage.overwrite(url, at: 9, count: 1) }?.code == .misuse)
  }

  @Test("a protected file may be written to again when the protection goes away", .enabled(if: WriteProtection.binds))
  func protection() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("bytes")
    try Data().write(to: url)
    var protection: WriteProtection? = try WriteProtection(url)
    #expect(access(url.path, W_OK) != 0)
    withExtendedLifetime(protection) {}
    protection = nil
    #expect(access(url.path, W_OK) == 0)
  }
}
