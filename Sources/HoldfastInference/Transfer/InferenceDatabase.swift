import Foundation
import Holdfast
import HoldfastTransfer

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// The common part of both forms of the SDK's database, which have one file name.
struct InferenceDatabase: Sendable {
  typealias Visit = (Scanned<LegacyRecord>, Int) throws -> Void

  /// The parent of other rows.
  struct Owner {
    var isDamaged: Bool
    var modelID = ""
    var privacyMode = PrivacyMode.strict
    /// A configuration's time of change, in milliseconds since 1970.
    var modifiedAt: Int64?
    /// The place of the configuration's next routing policy.
    var place: Int64 = 0
  }

  /// Nil when API keys are not imported.
  let sealing: SymmetricKey?
  /// The tables that this store does not import, with their numbers of rows.
  let others: [(table: String, rows: Int)]
  let total: Int

  static let tables: Set = [
    "configuration", "routing_policies", "analytics_config", "storage_config", "model_metadata", "model_usage_stats",
    "generation_sessions", "generations", "generation_history", "telemetry", "user_preferences",
  ]
  /// Tables about the file itself.
  static let bookkeeping: Set = ["grdb_migrations"]

  init(_ source: SQLiteSource, own: Set<String>, sealing: SymmetricKey?) throws {
    self.sealing = sealing
    let known = Self.bookkeeping.union(own)
    others = try source.tables.filter { !known.contains(SQLiteSource.lowercased($0)) }.map { ($0, try source.count(of: $0)) }
    total = try own.reduce(others.reduce(0) { $0 + $1.rows }) { try $0 + source.count(of: $1) }
  }

  /// Whether the database has the first form.
  ///
  /// - Throws: `.wrongKind` for a store of ours; `.newerSource` for a later version of the SDK; `.invalidSource` for another
  ///   program's database.
  static func isFirst(_ source: SQLiteSource, named path: String) throws -> Bool {
    try source.refuseStore()
    func columns(_ table: String) throws -> Set<String> { Set(try source.columns(of: table).map(SQLiteSource.lowercased)) }
    let own = source.tables.map(SQLiteSource.lowercased).filter(tables.contains)
    if try own.contains(where: { try columns($0).isSuperset(of: ["id", "data"]) }) { return true }
    try source.rows(of: "grdb_migrations") { row in
      guard case .text(let name)? = row.value("identifier"), !["v1_initial_schema", "v2_add_indexes"].contains(name) else { return }
      throw later(path, "which migrated it by \(name)")
    }
    let marks = [
      "configuration": "telemetry_consent", "telemetry": "event_name", "model_metadata": "use_count", "generations": "prompt_tokens",
    ]
    if try marks.contains(where: { try columns($0.key).contains($0.value) }) { return false }
    if try columns("configuration").isSuperset(of: ["id", "routing", "analytics"]) {
      throw later(path, "which has its settings in other columns")
    }
    throw StoreError(.invalidSource, "\(path) is not the SDK's database: it \(source.found)")
  }

  private static func later(_ path: String, _ what: String) -> StoreError {
    StoreError(.newerSource, "\(path) was written by a later version of the SDK, \(what); that cannot be read, and nothing was changed")
  }

  func scanOthers(from position: Int, _ visit: Visit) throws {
    var position = position
    for (table, rows) in others {
      for number in 0..<rows {
        let reason = "the table \(table) has no place in this store; it stays in the source"
        try visit(.skipped(kind: table, path: .text("\(table)[\(number)]"), reason: reason), position + number)
      }
      position += rows
    }
  }

  /// Why a generation cannot be imported: its session must be in the source or in the store. Nil when it is.
  static func absence(of session: UUID, _ owner: Owner?, in reader: Reader) throws -> String? {
    if let owner { return owner.isDamaged ? "its session is quarantined" : nil }
    return try reader.count("SELECT count(*) FROM generation_sessions WHERE id = \(session)") > 0 ? nil : "there is no such session"
  }
}
