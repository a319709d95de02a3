import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer
import Testing

@testable import HoldfastTesting

/// A library of 20 collections of 200 tracks, of 40 in the short form, and the store that it goes into.
final class KillWorld {
  static let collections = 20
  static let isShort = !ProofRun.isLong
  private static let tracks = isShort ? 40 : 200
  private let folder: TemporaryFolder
  private let hasStore: Bool
  private let json: Data
  var source: URL { folder.file("in/library.json") }
  var store: URL { folder.file("out/store.sqlite") }
  private var emptyStore: URL { folder.file("before.sqlite") }

  init(hasStore: Bool) async throws {
    folder = try TemporaryFolder()
    self.hasStore = hasStore
    json = Self.library((1...Self.collections).map { Self.collection($0, tracks: Self.tracks) })
    if hasStore {
      let store = try Store.open(at: emptyStore, schemas: [AudiobookLibrary.schema])
      try await AudiobookLibrary(store).save(
        AudiobookCollection(
          id: Self.id(900), title: "mine", createdAt: Date(timeIntervalSince1970: 0), source: .external(description: "d"),
          tracks: [AudiobookTrack(id: Self.id(901), displayName: "mine", filename: "m", location: .external(url: "u"), trackNumber: 1)]))
      try store.close()
    }
    try reset()
  }

  static func id(_ number: Int) -> UUID { NewID.derived(from: "\(number)") }

  /// Puts everything back to the beginning.
  func reset() throws {
    let files = FileManager.default
    for name in ["in", "out"] {
      try? files.removeItem(at: folder.file(name))
      try files.createDirectory(at: folder.file(name), withIntermediateDirectories: true)
    }
    try json.write(to: source)
    if hasStore { try files.copyItem(at: emptyStore, to: store) }
  }

  /// How many lines an import prints that nobody disturbs.
  func whole() throws -> Int {
    let driver = try Driver.start(source, store)
    let lines = try driver.lines()
    #expect(try driver.end() == 0)
    #expect(try summary() == complete)
    return lines.count
  }

  private var before: String { hasStore ? "1 collections, 1 tracks" : "nothing" }
  private var complete: String {
    let own = hasStore ? 1 : 0
    return "\(Self.collections + own) collections, \(Self.collections * Self.tracks + own) tracks"
  }

  /// What is in the store, which must be healthy.
  private func summary() throws -> String {
    guard FileManager.default.fileExists(atPath: store.path) else { return "nothing" }
    let opened = try Store.open(at: store, schemas: [AudiobookLibrary.schema])
    #expect(try opened.integrityCheck().findings == [])
    let counts = try opened.read { reader in
      "\(try reader.count("SELECT count(*) FROM collections")) collections, \(try reader.count("SELECT count(*) FROM tracks")) tracks"
    }
    try opened.close()
    return counts
  }

  /// Whether the killed import had committed.
  func checkAfterKill(at point: Int) throws -> Bool {
    #expect(try Data(contentsOf: source) == json, "killed at point \(point)")
    let found = try summary()
    #expect([before, complete].contains(found), "killed at point \(point)")
    return found == complete
  }

  func checkLaterImport(at point: Int) throws {
    let report = try AudiobookLibrary.importLibrary(from: source, into: store)
    #expect(report.isClean && report.verified)
    #expect(try summary() == complete)
    // An import into a store with rows takes a snapshot; of one that was killed, no working folder stays.
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.url.path).sorted().filter {
      !$0.hasPrefix("out/store.sqlite.holdfast") || $0.contains("/.holdfast-")
    }
    let expected = (hasStore ? ["before.sqlite"] : []) + ["in", "in/library.json", "in/library.json.backup", "out", "out/store.sqlite"]
    #expect(names == expected, "killed at point \(point)")
  }

  func secondSource() throws -> URL {
    let url = folder.file("in/other.json")
    try Self.library([Self.collection(500, tracks: 50)]).write(to: url)
    return url
  }

  private static func library(_ collections: [String]) -> Data {
    Data(#"{"collections":[\#(collections.joined(separator: ","))],"schemaVersion":3}"#.utf8)
  }

  private static func collection(_ number: Int, tracks: Int) -> String {
    let list = (1...tracks).map { track in
      #"""
      {"displayName":"track \#(track)","fileSize":1,"filename":"\#(track).mp3","id":"\#(id(number * 1000 + track))","isFavorite":false,
      "location":{"fsId":\#(track),"path":"\/\#(track).mp3","type":"baidu"},"metadata":{},"trackNumber":\#(track)}
      """#
    }
    return #"""
      {"coverAsset":{"kind":{"colorHex":"#5B8DEF","type":"solid"}},"createdAt":"2025-11-03T02:10:05Z","id":"\#(id(number))",
      "playbackStates":["\#(id(number * 1000 + 1))",{"position":7.5,"updatedAt":"2025-11-05T11:41:22Z"}],
      "source":{"description":"d","type":"external"},"tags":["a"],"title":"book \#(number)","tracks":[\#(list.joined(separator: ","))],
      "updatedAt":"2025-11-05T11:41:22Z"}
      """#
  }
}
