import Holdfast
import HoldfastTransfer

/// The routing policies of a configuration after the one in force, when another edition of it is imported. They are parts of
/// the configuration without a time of their own: the newer configuration keeps its policies, and only these.
enum FurtherRoutings {
  /// The report's note for a configuration that replaces an older one; nil when the older one has no further policies.
  static func note(on id: String, in reader: Reader) throws -> String? {
    let count = try reader.count("SELECT count(*) FROM routing_policies WHERE configuration_id = \(id) AND position > 0")
    return count > 0 ? "this configuration is newer: its routing policies replaced the stored ones" : nil
  }

  /// Called when a configuration is written. Its own policies are written after it, also policies that were deleted here: they
  /// belonged to another edition.
  static func remove(of id: String, in tx: Writer) throws {
    try tx.execute("DELETE FROM routing_policies WHERE configuration_id = \(id) AND position > 0")
    let owners = [id, String(PortableImport.key([id, ""]).dropLast())]
    try tx.forgetImported(kind: RoutingRow.table) { key in
      guard let slash = key.lastIndex(of: "/") else { return false }
      return owners.contains(String(key[..<slash])) && key[slash...] != "/0"
    }
  }

  /// Why a policy that the store lacks is not imported; nil when it may be. Called after its configuration was imported or skipped.
  static func absence(of id: String, _ modifiedAt: Int64?, in reader: Reader) throws -> String? {
    guard let modifiedAt else { return nil }
    let isOlder = try reader.count("SELECT count(*) FROM configuration WHERE id = \(id) AND updated_at > \(modifiedAt)") > 0
    return isOlder ? ImportReport.Newer.reason : nil
  }
}
