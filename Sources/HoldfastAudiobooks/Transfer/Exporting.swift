public import Foundation
import Holdfast
public import HoldfastTransfer

extension AudiobookLibrary {
  /// Writes the library as the player's own `library.json`, version 3.
  ///
  /// Times are cut to whole seconds. The report lists what the player cannot hold; the store keeps it. Exporting an unchanged
  /// library twice gives identical bytes. An existing file is replaced only at the end of a successful export.
  /// - Throws: `.misuse` for the store's own file; `.decoding` when a stored value is damaged; `.diskFull`, `.cannotCreate`,
  ///   `.permissionDenied`, `.inputOutput`.
  public func exportLibraryJSON(to url: URL) throws -> ExportReport {
    var writer = PlayerJSONWriter()
    let data = try PlayerJSON.encoder(pretty: true).encode(writer.library(store.read { try Self.collections(in: $0) }))
    let file = try FileExport.write(data, to: url, from: store)
    return ExportReport(
      format: "library-json", path: url.path, bytes: file.bytes, sha256: file.sha256, counts: writer.counts, leftOut: writer.leftOut)
  }
}

extension AudiobookCollection {
  /// One collection as the payload that the player stores on a server: the JSON of `library.json`, on one line.
  ///
  /// - Throws: `.invalidValue` when the player could not read this collection.
  public func playerPayload() throws -> Data {
    var writer = PlayerJSONWriter()
    guard let collection = writer.collection(self) else {
      throw StoreError(.invalidValue, "\(title) cannot be written for the player: \(writer.leftOut.first?.reason ?? "")")
    }
    return try PlayerJSON.encoder(pretty: false).encode(collection)
  }

  /// Reads a payload that `playerPayload()` or the player wrote.
  ///
  /// - Throws: `.invalidSource` with the reason, and the byte offset when the payload is not JSON.
  public init(playerPayload: Data) throws {
    try JSONDocument(playerPayload).whole { try $0.object { _, _ in } }
    let text = Data("{\"collections\":[".utf8) + playerPayload + Data("]}".utf8)
    let memory = try AudiobookLibrary.inMemory()
    let report = try memory.store.loading(LibraryJSON(JSONDocument(text)))
    if let problem = report.problems.first {
      throw StoreError(.invalidSource, "\(problem.path)\(problem.field.map { ".\($0)" } ?? ""): \(problem.reason)")
    }
    let collections = try memory.store.read { try AudiobookLibrary.collections(in: $0) }
    guard let collection = collections.first, collections.count == 1 else {
      throw StoreError(.invalidSource, "the payload does not hold one collection")
    }
    self = collection
  }
}
