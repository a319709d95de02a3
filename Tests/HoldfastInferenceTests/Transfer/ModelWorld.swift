import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

/// A folder with models and a store that they are imported into; the clock is fixed.
final class ModelWorld {
  let folder: TemporaryFolder
  let clock = TestClock()
  var store: URL { folder.file("store.sqlite") }

  init() throws { folder = try TemporaryFolder() }

  private var options: StoreOptions {
    var options = StoreOptions.testing
    options.now = { [clock] in clock.now }
    return options
  }

  func write(_ data: Data, _ name: String) throws -> URL {
    let url = folder.file(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    return url
  }

  /// Imports a file and checks what must hold after every import: the source is the same, the store is healthy.
  func report(_ data: Data, _ name: String, format: String? = nil) throws -> ImportReport {
    let source = try write(data, name)
    let report = try InferenceStore.importModels(from: source, into: store, format: format, storeOptions: options)
    #expect(try Data(contentsOf: source) == data)
    #expect(report.verified && report.counts.values.allSatisfy { $0.addsUp })
    #expect(try with { try $0.store.integrityCheck().findings } == [])
    return report
  }

  func importing(_ data: Data, _ name: String, format: String? = nil) throws -> String { try report(data, name, format: format).picture }

  /// The error of an import that must fail and leave nothing behind.
  func failure(_ data: Data, _ name: String, format: String? = nil) throws -> StoreError {
    let source = try write(data, name)
    let before = try folder.contents()
    let error = #expect(throws: StoreError.self) {
      _ = try InferenceStore.importModels(from: source, into: store, format: format, storeOptions: options)
    }
    #expect(try folder.contents() == before)
    return try #require(error)
  }

  func with<T>(_ body: (InferenceStore) throws -> T) throws -> T {
    let inference = try InferenceStore.open(at: store, options: options)
    let result = try body(inference)
    try inference.store.close()
    return result
  }

  func model(_ id: String) throws -> ModelMetadata { try #require(try with { try $0.model(id) }) }
  func ids() throws -> [String] { try with { try $0.models().map(\.id) } }

  func quarantine() throws -> [String] {
    try with { inference in
      try inference.store.read { reader in
        try reader.values("SELECT original FROM holdfast_quarantine ORDER BY id") { String(decoding: try $0.data(), as: UTF8.self) }
      }
    }
  }
}
