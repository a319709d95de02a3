public import Foundation
public import Holdfast
public import HoldfastTransfer

/// The data of an SDK that runs language models: its configuration, its registry of models, sessions with their generations,
/// telemetry that waits to be sent, preferences, and sealed secrets.
///
/// A value around a store: copy it freely, use it from any thread. Every verb is one transaction, and exists twice: here,
/// `async`, and as a static function that works inside a transaction of yours. Verbs that seal and open secrets
/// need the key, so their versions for your transactions are methods of this value.
public struct InferenceStore: LegacyLibrary {
  /// The store that holds the data, and the outcome of importing the legacy file beside it.
  public let opened: OpenedStore
  /// The store that holds the data, in a file or in memory; other tables may share it.
  public var store: Store { opened.store }
  /// Loads the key that seals secrets; nil when this app has none.
  let secretKey: SecretKey?
  /// Names of secret values, which telemetry, preferences, sending and imports refuse or mask.
  public let secretProperties: SecretProperties
  /// Whether each reading of a secret, by `secret` and `apiKey`, is a write transaction that records it in the store's audit: who, when, by
  /// which verb, which secret, and the reason that the app gives; never the secret. Default: false. Where the entry cannot be written, the
  /// secret is not read.
  public var auditsSecrets = false

  /// The data in a store that was opened with `InferenceStore.schema`, without a key for secrets.
  public init(_ store: Store) { self.init(store, secretKey: nil) }

  /// The data in a store that was opened with `InferenceStore.schema`.
  ///
  /// - Parameters:
  ///   - secretKey: seals and opens secrets; nil: no secret can be stored or read.
  ///   - secretProperties: names of secret values, which telemetry and preferences do not store, and which are not sent; the
  ///     app may add its own.
  public init(_ store: Store, secretKey: SecretKey?, secretProperties: SecretProperties = .standard) {
    self.init(opened: OpenedStore(store), secretKey: secretKey, secretProperties: secretProperties)
  }

  init(opened: OpenedStore, secretKey: SecretKey?, secretProperties: SecretProperties) {
    self.opened = opened
    self.secretKey = secretKey
    self.secretProperties = secretProperties
  }

  /// Opens the file at `url`, making or migrating it where needed; see `Store.open(at:schemas:options:)`.
  public static func open(
    at url: URL, secretKey: SecretKey?, secretProperties: SecretProperties = .standard, options: StoreOptions = .production
  ) throws -> InferenceStore {
    InferenceStore(try Store.open(at: url, schemas: [schema], options: options), secretKey: secretKey, secretProperties: secretProperties)
  }

  /// Opens the file in the program's own place, `Store.defaultURL(named:)`.
  ///
  /// - Throws: what `open(at:secretKey:secretProperties:options:)` and `Store.defaultURL(named:)` throw.
  public static func open(
    secretKey: SecretKey?, secretProperties: SecretProperties = .standard, options: StoreOptions = .production
  ) throws -> InferenceStore {
    let url = try Store.defaultURL(named: schema.name)
    return try open(at: url, secretKey: secretKey, secretProperties: secretProperties, options: options)
  }

  /// A store in memory, for previews and tests.
  public static func inMemory(
    secretKey: SecretKey?, secretProperties: SecretProperties = .standard, options: StoreOptions = .testing
  ) throws -> InferenceStore {
    InferenceStore(try Store.inMemory(schemas: [schema], options: options), secretKey: secretKey, secretProperties: secretProperties)
  }
}
