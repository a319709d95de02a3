import Foundation
import Holdfast
import HoldfastTesting
import Testing

@Suite("A migration whose snapshot cannot be made")
struct UnmigratedTests {
  /// Why no snapshot can be made.
  enum Obstacle: CaseIterable {
    case fullDisk, fileForFolder, missingVolume

    var code: StoreError.Code { self == .fullDisk ? .diskFull : .cannotCreate }

    var advice: String {
      switch self {
      case .fullDisk: "Free some space, then try again; nothing was changed."
      case .fileForFolder: "Check that the folder exists and may be written to."
      case .missingVolume: "Connect its volume, or make the folder."
      }
    }
  }

  private static let indexed = Shelves.next("CREATE INDEX by_title ON books (title)", name: "shelves/002-index")

  private let left: LeftStore
  private let length: UInt64
  private var volume: URL { left.folder.file("volume") }

  /// Twelve books, nine of them only in the log.
  init() throws {
    left = try LeftStore()
    length = UInt64(try Data(contentsOf: left.url).count)
  }

  private func resize(to length: UInt64) throws {
    let file = try FileHandle(forWritingTo: left.url)
    try file.truncate(atOffset: length)
    try file.close()
  }

  private func place(_ obstacle: Obstacle) throws {
    switch obstacle {
    case .fullDisk:
      // With a hole, which takes no room itself, the store is larger than the free space.
      let free = try FileManager.default.attributesOfFileSystem(forPath: left.folder.url.path)[.systemFreeSize] as? NSNumber
      try resize(to: #require(free).uint64Value + 1 << 30)
    case .fileForFolder: try left.folder.forbidFolder("store.sqlite.holdfast")
    case .missingVolume: break
    }
  }

  private func remove(_ obstacle: Obstacle) throws {
    switch obstacle {
    case .fullDisk: try resize(to: length)
    case .fileForFolder: try FileManager.default.removeItem(at: left.folder.file("store.sqlite.holdfast"))
    case .missingVolume: try FileManager.default.createDirectory(at: volume, withIntermediateDirectories: false)
    }
  }

  @Test(
    "the store opens read-only and stays as it is, file and log, and says why and what to do; the next opening migrates",
    arguments: Obstacle.allCases)
  func opensUnmigrated(_ obstacle: Obstacle) throws {
    let before = try left.bytes()
    var options = StoreOptions.testing
    if obstacle == .missingVolume { options.snapshots.folder = volume }
    try place(obstacle)
    let store = try left.folder.store([Self.indexed], options: options)
    #expect(store.openingError?.code == obstacle.code)
    #expect(store.openingError?.recoverySuggestion == obstacle.advice)
    #expect(store.access == .readOnly(reason: store.openingError?.message ?? ""))
    #expect(try store.titles().count == 12)
    #expect(failure { try store.fill(shelf: 9) }?.code == .readOnly)
    try store.close()
    try remove(obstacle)
    #expect(try left.bytes() == before)
    let migrated = try left.folder.store([Self.indexed], options: options)
    #expect(migrated.access == .readWrite)
    #expect(try migrated.snapshots().map(\.label) == ["before migration"])
    #expect(try Store.kinds(at: left.url) == ["shelves": 2])
    #expect(try migrated.titles().count == 12)
  }
}
