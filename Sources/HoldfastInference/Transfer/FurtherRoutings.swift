import Holdfast
import HoldfastTransfer

/// The routing policies of a configuration behind the one in force, when another edition of it comes in. They are parts of it, and have no
/// time of their own: whichever configuration is newer has its own and no others.
enum FurtherRoutings {
  /// What the report says of a configuration that takes the place of an older one; nil where that has none of these.
  static func note(on id: String, in reader: Reader) throws -> String? {
    let count = try reader.count("SELECT count(*) FROM routing_policies WHERE configuration_id = \(id) AND position > 0")
    return count > 0 ? "its further routing policies, if any, are in the place of those of the older configuration" : nil
  }

  /// When a configuration is written. Its own come behind it, also those that were deleted here: then it was another one.
  static func remove(of id: String, in tx: Writer) throws {
    try tx.execute("DELETE FROM routing_policies WHERE configuration_id = \(id) AND position > 0")
    let owners = [id, id.escapedForKey]
    try tx.forgetImported(kind: RoutingRow.table) { key in
      guard let slash = key.lastIndex(of: "/") else { return false }
      return owners.contains(String(key[..<slash])) && key[slash...] != "/0"
    }
  }

  /// Why a policy that the store does not have stays out; nil where it may come in. Asked when its configuration has come in, or not.
  static func absence(of id: String, _ modifiedAt: Int64?, in reader: Reader) throws -> String? {
    guard let modifiedAt else { return nil }
    let isOlder = try reader.count("SELECT count(*) FROM configuration WHERE id = \(id) AND updated_at > \(modifiedAt)") > 0
    return isOlder ? "the store is newer" : nil
  }
}
