import Foundation
import Holdfast
import HoldfastTransfer

#if canImport(CryptoKit)
  import CryptoKit
#else
  import Crypto
#endif

/// An API's key on its way from a configuration in the SDK's databases to a sealed secret. The kit only sees its name.
enum APIKeyRecord {
  static let kind = "secrets"

  /// The text in the quarantine that replaces a value which is or may contain the key.
  static let leftOut = SQLValue.text("(left in the source)")

  /// The keys found in a source.
  enum Found: Comparable {
    case nothing
    /// Every key is a text.
    case keys
    /// A key is not a text, or is in a row that cannot be read.
    case unreadable
  }

  /// Why no copy of such a source is kept, and whether the source may be deleted; nil when a copy is kept.
  static func noCopy(_ found: Found, isSealed: Bool) -> String? {
    switch found {
    case .nothing: nil
    case .keys where isSealed: "it contains the API key; you may delete the source when you are sure of this import"
    case .keys: "it contains the API key, which was not imported: keep the source"
    case .unreadable: "it may contain an API key that was not imported: keep the source"
    }
  }

  /// The columns of a row that have the key's name and a value.
  static func columns(of row: SQLiteRow) -> [String] {
    row.columns.filter {
      SecretProperties.plain($0) == "apikey" && ![.null, .string("")].contains(SourceMembers.value(row, $0))
    }
  }

  /// The row without the values of these columns.
  static func masked(_ row: SQLiteRow) -> SQLiteRow {
    row.with(Dictionary(columns(of: row).map { ($0, leftOut) }, uniquingKeysWith: { first, _ in first }))
  }

  /// Visits the key in a row, if there is one, after its configuration.
  ///
  /// - Parameters:
  ///   - configurationID: nil when the configuration is quarantined.
  ///   - sealing: the key for secrets; nil when the API's key is not imported.
  static func visit(
    _ value: String?, of configurationID: String?, _ sealing: SymmetricKey?, in row: SQLiteRow, _ visit: InferenceDatabase.Visit
  ) throws {
    guard let value else { return }
    guard let id = configurationID, let sealing else {
      let reason = configurationID == nil ? "its configuration is quarantined" : "no key for secrets"
      return try visit(.skipped(kind: kind, path: row.path, reason: reason), row.position)
    }
    let kind = kind(sealing)
    let key = APIKey(name: InferenceStore.apiKeyName(of: id), isSealed: true, value: value, configurationID: id)
    try visit(.record(kind.record(kind.fields.said(key), path: row.path, original: .bytes([]))), row.position)
  }

  private struct APIKey: Sendable {
    var name: String
    var isSealed: Bool
    let value: String
    let configurationID: String
  }

  /// Compares whether the sealed text is the source's key. Neither text is in the comparison.
  private static func kind(_ sealing: SymmetricKey) -> RecordKind<APIKey> {
    RecordKind(
      kind, table: "secrets", [.required("name", \.name, .text), .required("is_sealed", \.isSealed, .bool)], key: { $0.name },
      parent: { .init(kind: ConfigurationRow.table, key: $0.configurationID) },
      find: { said, reader in
        var key = said.row
        guard let stored = try InferenceStore.sealedSecret(named: key.name, in: reader) else { return nil }
        let isNamed = try InferenceStore.apiKeyReference(of: key.configurationID, in: reader) == key.name
        let opened = try? stored.open(named: key.name, with: sealing)
        key.isSealed = isNamed && opened == key.value
        return key
      }, isReplaced: true,
      save: { key, _, tx in
        let (name, id) = (key.name, key.configurationID)
        try InferenceStore.setSecret(SealedSecret(key.value, named: name, with: sealing), named: name, in: tx)
        // An earlier import without a key for secrets left the reference empty.
        guard
          try tx.execute("UPDATE configuration SET api_key_reference = \(name) WHERE id = \(id) AND api_key_reference IS NOT \(name)") > 0
        else { return }
        // The server knows its own key, so the acknowledged revision stays acknowledged.
        try tx.execute(
          """
          UPDATE configuration SET acknowledged_revision = revision
          WHERE id = \(id) AND acknowledged_revision = revision - 1
          """)
      })
  }
}
