import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

/// A folder with models and a store that they are imported into.
struct ModelWorld {
  private let world: ImportWorld<InferenceStore>
  var folder: TemporaryFolder { world.folder }
  var clock: TestClock { world.clock }
  var store: URL { world.store }

  init() throws {
    world = try ImportWorld("model") { wanted in
      try InferenceStore.importModels(from: wanted.source, into: wanted.store, format: wanted.format, storeOptions: wanted.storeOptions)
    }
  }

  func write(_ data: Data, _ name: String) throws -> URL {
    let url = folder.file(name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try data.write(to: url)
    return url
  }

  func report(_ data: Data, _ name: String, format: String? = nil) throws -> ImportReport {
    world.source = try write(data, name)
    return try world.report(format: format)
  }

  func importing(_ data: Data, _ name: String, format: String? = nil) throws -> String { try report(data, name, format: format).picture }

  func failure(_ data: Data, _ name: String, format: String? = nil) throws -> StoreError {
    world.source = try write(data, name)
    return try world.failure(format: format)
  }

  /// All models of a store into which each of these files came, while it was open.
  func registered(_ files: [(name: String, data: Data)]) throws -> [ModelMetadata] {
    let inference = try World.inMemory().inference
    var options = ImportOptions()
    options.keepsCopy = false
    for file in files {
      let source = try write(file.data, file.name)
      #expect(try inference.importModels(from: source, options: options).picture == "models 1: 1 imported", "\(file.name)")
    }
    return try inference.store.read { try InferenceStore.models(in: $0) }
  }

  func withLibrary<T>(_ body: (InferenceStore) throws -> T) throws -> T { try world.withLibrary(body) }
  func usingLibrary<T>(_ body: (InferenceStore) async throws -> T) async throws -> T { try await world.usingLibrary(body) }
  func model(_ id: String) throws -> ModelMetadata {
    try #require(try withLibrary { try $0.store.read { try InferenceStore.model(id, in: $0) } })
  }
  func ids() throws -> [String] { try withLibrary { try $0.store.read { try InferenceStore.models(in: $0) }.map(\.id) } }
  func quarantine() throws -> [String] { try world.quarantine() }
}
