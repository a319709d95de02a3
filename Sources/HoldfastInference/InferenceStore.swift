public import Foundation
public import Holdfast
public import HoldfastTransfer

/// What an SDK that runs language models keeps: its configuration, the models it knows, sessions with their generations, telemetry
/// that waits to be sent, preferences, and sealed secrets.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// blocking or `async`, and as a static function that works inside a transaction of yours; those that seal and open secrets need the
/// key, and are functions of this value there too.
public struct InferenceStore: Sendable {
  /// The file, or the memory, that holds all this; other tables may share it.
  public let store: Store
  /// What may be written, and why not more; see `open(at:legacy:secretKey:secretProperties:options:)`.
  public let access: LibraryAccess
  /// What was imported when the store was opened; nil when there was nothing to import.
  public let importReport: ImportReport?
  /// Why a legacy file could not be imported when the store was opened; nil when there was none, or it could.
  public let importFailure: StoreError?
  /// Gives the key that secrets are sealed with; nil when this app keeps none.
  let secretKey: SecretKey?
  /// Whose values telemetry and preferences do not take, and neither sending nor an import.
  let secretProperties: SecretProperties

  /// In a store that was opened with `InferenceStore.schema`.
  ///
  /// - Parameters:
  ///   - secretKey: seals and opens secrets; without it nothing secret is stored or read.
  ///   - secretProperties: mark what telemetry and preferences do not take, and what is not sent; the app may add its own.
  public init(_ store: Store, secretKey: SecretKey? = nil, secretProperties: SecretProperties = .standard) {
    self.init(opened: OpenedStore(store), secretKey: secretKey, secretProperties: secretProperties)
  }

  init(opened: OpenedStore, secretKey: SecretKey?, secretProperties: SecretProperties) {
    store = opened.store
    access = opened.access
    importReport = opened.importReport
    importFailure = opened.importFailure
    self.secretKey = secretKey
    self.secretProperties = secretProperties
  }

  /// Opens the file at `url`, making or migrating it where needed; see `Store.open(at:schemas:options:)`.
  public static func open(
    at url: URL, secretKey: SecretKey? = nil, secretProperties: SecretProperties = .standard, options: StoreOptions = .production
  ) throws -> InferenceStore {
    InferenceStore(try Store.open(at: url, schemas: [schema], options: options), secretKey: secretKey, secretProperties: secretProperties)
  }

  /// In memory, for previews and tests.
  public static func inMemory(
    secretKey: SecretKey? = nil, secretProperties: SecretProperties = .standard, options: StoreOptions = .testing
  ) throws -> InferenceStore {
    InferenceStore(try Store.inMemory(schemas: [schema], options: options), secretKey: secretKey, secretProperties: secretProperties)
  }
}
