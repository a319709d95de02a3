import Foundation
import Holdfast
import HoldfastTransfer

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// The key of an API on its way from a configuration of the SDK's databases to a sealed secret. The kit sees its name alone.
enum APIKeyRecord {
  static let kind = "secrets"

  /// What stands in the quarantine in the place of what is the key or may hold it.
  static let leftOut = SQLValue.text("(left in the source)")

  static func noCopy(_ why: String) -> String { "\(why); you may delete the source when you are sure of this import" }

  /// Tells of the key of a configuration that is quarantined.
  static func skip(of row: SQLiteRow, at position: Int, _ visit: (Scanned<LegacyRecord>, Int) throws -> Void) throws {
    try visit(.skipped(kind: kind, path: row.path, reason: "its configuration is quarantined"), position)
  }

  /// Tells of the key, after its configuration.
  ///
  /// - Parameter sealing: nil: it is not imported.
  static func visit(
    _ value: String, of configurationID: String, _ sealing: SymmetricKey?, path: SourcePath, at position: Int,
    _ visit: (Scanned<LegacyRecord>, Int) throws -> Void
  ) throws {
    guard let sealing else { return try visit(.skipped(kind: kind, path: path, reason: "no key for secrets"), position) }
    let name = InferenceStore.apiKeyName(of: configurationID)
    let record = LegacyRecord { tx in
      try InferenceStore.setSecret(SealedSecret(value, named: name, with: sealing), named: name, in: tx)
      // An earlier import without a key for secrets left it open.
      guard
        try tx.execute(
          "UPDATE configuration SET api_key_reference = \(name) WHERE id = \(configurationID) AND api_key_reference IS NOT \(name)") > 0
      else { return }
      // The server knows its own key: what it had acknowledged, it still has.
      try tx.execute(
        """
        UPDATE configuration SET acknowledged_revision = revision
        WHERE id = \(configurationID) AND acknowledged_revision = revision - 1
        """)
    } readBack: { reader in
      guard let stored = try InferenceStore.sealedSecret(named: name, in: reader) else { return nil }
      let isNamed = try InferenceStore.apiKeyReference(of: configurationID, in: reader) == name
      let opened = try? stored.open(named: name, with: sealing)
      return StoredShape(fields: fields(name, isSealed: isNamed && opened == value))
    }
    try visit(
      .record(
        SourceRecord(
          kind: kind, key: name, parent: .init(kind: ConfigurationRow.table, key: configurationID), path: path,
          fields: fields(name, isSealed: true), content: record, original: .bytes([]))), position)
  }

  /// Whether what is sealed is the key that stands in the source: neither is told.
  private static func fields(_ name: String, isSealed: Bool) -> [SourceField] {
    [SourceField("name", .string(name)), SourceField("is_sealed", .bool(isSealed))]
  }
}
