import Foundation
import Holdfast
import HoldfastTransfer

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// The common part of both forms of the SDK's database, which have one file name.
struct InferenceDatabase {
  typealias Visit = (Scanned<SaidContent>, Int) throws -> Void

  let tables: SourceTables
  /// Nil when API keys are not imported.
  let sealing: SymmetricKey?

  /// Whether the database has the first form.
  ///
  /// - Throws: `.wrongKind` for a store of ours; `.newerSource` for a later version of the SDK; `.invalidSource` for another
  ///   program's database.
  static func isFirst(_ source: SQLiteSource, named path: String) throws -> Bool {
    try source.refuseStore()
    let own = source.tables.map(SQLiteSource.lowercased).filter((BlobScan.own + GRDBScan.own).contains)
    if try own.contains(where: { try source.lowercasedColumns(of: $0).isSuperset(of: ["id", "data"]) }) { return true }
    try source.refuseMigrations(except: ["v1_initial_schema", "v2_add_indexes"]) { later(path, "which migrated it by \($0)") }
    let marks = [
      "configuration": "telemetry_consent", "telemetry": "event_name", "model_metadata": "use_count", "generations": "prompt_tokens",
    ]
    if try marks.contains(where: { try source.lowercasedColumns(of: $0.key).contains($0.value) }) { return false }
    if try source.lowercasedColumns(of: "configuration").isSuperset(of: ["id", "routing", "analytics"]) {
      throw later(path, "which has its settings in other columns")
    }
    throw StoreError(.invalidSource, "\(path) is not the SDK's database: it \(source.found)")
  }

  private static func later(_ path: String, _ what: String) -> StoreError {
    StoreError(.newerSource, "\(path) was written by a later version of the SDK, \(what); that cannot be read, and nothing was changed")
  }

  /// A configuration with the private defaults. It names its API key, if that is imported.
  func blank(of id: String?, hasKey: Bool) -> InferenceConfiguration {
    let reference = hasKey && sealing != nil ? id.map(InferenceStore.apiKeyName) : nil
    return InferenceConfiguration(id: "", apiKeyReference: reference, createdAt: .unset)
  }

  /// Why a generation cannot be imported: its session must be in the source or in the store. Nil when it is.
  static func absence<Whole>(of session: UUID, _ sessions: Parents<UUID, Whole>, in reader: Reader) throws -> String? {
    let isStored = try !sessions.contains(session) && reader.count("SELECT count(*) FROM generation_sessions WHERE id = \(session)") > 0
    return isStored ? nil : sessions.problem(of: session)
  }
}
