import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTesting
import HoldfastTransfer
import Testing

/// A folder with the player's file, and a store's path that can or cannot be written to.
struct LegacyWorld {
  let folder: TemporaryFolder
  var legacy: URL { folder.file("library.json") }
  var backup: URL { folder.file("library.json.backup") }
  var store: URL { folder.file("stores/library.sqlite") }

  init() throws {
    folder = try TemporaryFolder()
    try allowStore()
  }

  func forbidStore() throws { try folder.forbidFolder("stores") }
  func allowStore() throws { try folder.allowFolder("stores") }

  /// Waits for the library before to go away.
  func open() throws -> AudiobookLibrary { try AudiobookLibrary.open(at: store, legacy: legacy) }

  /// What the player would read.
  func read() throws -> ExportedLibrary { try ExportedLibrary(contentsOf: legacy) }

  /// Writes a file as the player does.
  @discardableResult
  func write(_ collections: [AudiobookCollection], version: Int = 3, to url: URL? = nil) throws -> Data {
    let list = try collections.map { String(decoding: try $0.playerPayload(), as: UTF8.self) }.joined(separator: ",")
    let data = Data(#"{"collections":[\#(list)],"schemaVersion":\#(version)}"#.utf8)
    try data.write(to: url ?? legacy)
    return data
  }

  static let books = [
    Sample.collection("三体", author: "刘慈欣", tracks: ["序章", "第1章"], created: Date(timeIntervalSince1970: 1_700_000_002), seed: 11),
    Sample.collection("Emma", tracks: ["One", "Two"], created: Date(timeIntervalSince1970: 1_700_000_001), seed: 12),
  ]
}

extension AudiobookLibrary {
  /// `legacy`, `readOnly` or `readWrite`, with the reason.
  var accessWords: (kind: String, reason: String) {
    switch access {
    case .readWrite: ("readWrite", "")
    case .readOnly(let reason): ("readOnly", reason)
    case .legacy(let reason): ("legacy", reason)
    }
  }
}
