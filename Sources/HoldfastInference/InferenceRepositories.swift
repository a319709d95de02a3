public import Foundation
public import Holdfast

/// The store of configurations that an app needs. `InferenceStore` implements it; a test may use its own.
public protocol ConfigurationRepository: Sendable {
  /// One configuration; nil when none was saved under this id.
  func configuration(_ id: String) async throws -> InferenceConfiguration?
  /// All configurations, by id.
  func configurations() async throws -> [InferenceConfiguration]
  /// Saves a configuration with all its parts.
  func save(_ configuration: InferenceConfiguration) async throws
  /// Deletes a configuration. Returns whether there was one.
  @discardableResult
  func deleteConfiguration(_ id: String) async throws -> Bool
}

/// The registry of models that an app needs.
public protocol ModelMetadataRepository: Sendable {
  /// One model; nil when there is none with this id.
  func model(_ id: String) async throws -> ModelMetadata?
  /// All models, by name.
  func models() async throws -> [ModelMetadata]
  /// A page of a list of models, after the `next` of the previous page.
  func models(_ list: ModelList, after key: PageKey?, limit: Int) async throws -> Page<ModelMetadata>
  /// Saves models, all or none.
  func save(_ models: [ModelMetadata]) async throws
  /// Removes a model from the registry. Returns whether there was one.
  @discardableResult
  func deleteModel(_ id: String) async throws -> Bool
  /// Records the place of a model's file.
  func recordDownload(of id: String, at path: String, date: Date?, sizeBytes: Int64?) async throws
  /// Counts a use of a model.
  func recordUse(of id: String, tokens: Int64, date: Date?) async throws
  /// The models whose files should be deleted, so that `bytes` more fit into the configuration's storage settings.
  func modelsToEvict(
    toFit bytes: Int64, freeBytes: Int64?, keeping kept: Set<String>, by configurationID: String
  ) async throws -> [ModelMetadata]
  /// Marks models as not downloaded. Returns the files to delete.
  func evict(_ ids: [String], relativeTo folder: URL?) async throws -> [URL]
  /// Looks for the files of models, and marks missing ones.
  @discardableResult
  func checkModelFiles(relativeTo folder: URL?) async throws -> ModelFileCheck
}

extension InferenceStore: ConfigurationRepository, ModelMetadataRepository {}
