internal import ArgumentParser
internal import Foundation
internal import Holdfast
internal import HoldfastPostgres
internal import HoldfastSyncServer
internal import Logging

struct StoreArguments: ParsableArguments {
  @Option(help: ArgumentHelp("The server's store: a file, or postgres://USER@HOST/DATABASE.", valueName: "file|address"))
  var store = StoreAddress(argument: "server.sqlite")

  /// Runs `body` with the store, and closes it.
  ///
  /// - Throws: as `StoreAddress.open(makes:_:)`; the error of `body`.
  func open(makes: Bool = false, _ body: (any SyncSpaces) async throws -> Void) async throws {
    try await store.open(makes: makes, StoreAddress.options, body)
  }
}

/// Where a store is: a file or a database.
struct StoreAddress: ExpressibleByArgument, CustomStringConvertible {
  let text: String

  init(argument: String) { text = argument }

  /// Without a password.
  var description: String {
    isDatabase ? PostgresSpaces.shown(text) : text
  }

  /// Whether it is a database of PostgreSQL.
  var isDatabase: Bool { text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") }

  /// The file of a store that is no database.
  var url: URL { URL(fileURLWithPath: text) }

  /// Every commit is on the disk before it is acknowledged: a device forgets what a push has acknowledged.
  ///
  /// Read once by each command: it takes the key from the environment, and a descriptor can be read only once.
  static var options: StoreOptions {
    get throws {
      var options = StoreOptions.production
      do { options.key = try StoreKey.inEnvironment(ProcessInfo.processInfo.environment) } catch let error as StoreError {
        throw Failure(error.message, suggestion: error.recoverySuggestion, status: 64)
      }
      options.durability = .durable
      options.logger = Logger(label: "holdfast-server")
      options.logger.logLevel = .notice
      return options
    }
  }

  /// - Parameter makes: makes a file that is missing, and the tables of a database without any.
  /// - Throws: `.notFound` when the file is missing, unless `makes`; `.readOnly` for a store that cannot be written to; `.keyNeeded`,
  ///   `.wrongKey`, `.notEncrypted` and `.encryptionUnavailable`; `PostgresError`.
  func open(makes: Bool, _ options: StoreOptions) async throws -> any SyncSpaces {
    if isDatabase { return try await PostgresSpaces.open(text, makes: makes) }
    var options = options
    options.createsIfMissing = makes
    let store = try Store.open(at: url, schemas: [SyncServer.schema], options: options)
    if case .readOnly(let reason) = store.access { throw store.openingError ?? StoreError(.readOnly, "\(self): \(reason)") }
    return SyncServer(store)
  }

  /// Runs `body` with the store, and closes it.
  func open(makes: Bool, _ options: StoreOptions, _ body: (any SyncSpaces) async throws -> Void) async throws {
    let spaces = try await open(makes: makes, options)
    do { try await body(spaces) } catch {
      try? await spaces.close()
      throw error
    }
    try? await spaces.close()
  }
}
