public import Foundation
public import Holdfast

/// What an app needs of a store for its configuration; `InferenceStore` is the real one, and a test may put its own in the place of it.
public protocol ConfigurationRepository: Sendable {
  /// One configuration; nil when none was saved under this id.
  func configuration(_ id: String) async throws -> InferenceConfiguration?
  /// All configurations, by id.
  func configurations() async throws -> [InferenceConfiguration]
  /// Saves a configuration whole.
  func save(_ configuration: InferenceConfiguration) async throws
  /// Deletes a configuration. Returns whether there was one.
  @discardableResult
  func deleteConfiguration(_ id: String) async throws -> Bool
}

/// What an app needs of a store for the models that it knows.
public protocol ModelMetadataRepository: Sendable {
  /// One model; nil when there is none with this id.
  func model(_ id: String) async throws -> ModelMetadata?
  /// All models, by name.
  func models() async throws -> [ModelMetadata]
  /// A page of a list of models, which goes on after the `next` of the page before.
  func models(_ list: ModelList, after key: PageKey?, limit: Int) async throws -> Page<ModelMetadata>
  /// Saves models, all or none.
  func save(_ models: [ModelMetadata]) async throws
  /// Takes a model out of the registry. Returns whether there was one.
  @discardableResult
  func deleteModel(_ id: String) async throws -> Bool
  /// Remembers where the file of a model is now.
  func recordDownload(of id: String, at path: String, date: Date?, sizeBytes: Int64?) async throws
  /// Counts a use of a model.
  func recordUse(of id: String, tokens: Int64, date: Date?) async throws
  /// Looks for the files of models, and marks those that are gone.
  @discardableResult
  func checkModelFiles(relativeTo folder: URL?) async throws -> ModelFileCheck
}

extension InferenceStore: ConfigurationRepository, ModelMetadataRepository {}
