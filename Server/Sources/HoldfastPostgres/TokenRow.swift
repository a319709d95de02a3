internal import Foundation
internal import HoldfastSyncServer

/// The statements about rows of `sync_token`.
enum TokenRow {
  private static let columns = "hash, name, space, role, created_at"

  static func select(hash: String) -> PostgresStatement {
    PostgresStatement("SELECT \(columns) FROM sync_token WHERE hash = $1", .text(hash))
  }

  /// By name.
  static let selectAll = PostgresStatement("SELECT \(columns) FROM sync_token ORDER BY name")

  /// Those of a space, by name.
  ///
  /// - Parameter locks: a call that revokes one of them waits for the end of the transaction.
  static func select(of space: String, locks: Bool = false) -> PostgresStatement {
    PostgresStatement("SELECT \(columns) FROM sync_token WHERE space = $1 ORDER BY name\(locks ? " FOR UPDATE" : "")", .text(space))
  }

  /// Writes a token, unless there is one of its name or text. The result has a row if it was written.
  static func insert(_ token: StoredToken) -> PostgresStatement {
    PostgresStatement(
      "INSERT INTO sync_token (\(columns)) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING RETURNING created_at", .text(token.hash),
      .text(token.name), .text(token.space), .text(token.role.rawValue),
      .number(Int64((token.createdAt.timeIntervalSince1970 * 1_000).rounded())))
  }

  static func token(_ row: PostgresResult.Row) throws -> StoredToken {
    guard let role = SyncToken.Role(rawValue: try row.text(3)) else { throw PostgresError(.failed, "a token has no role") }
    let created = Date(timeIntervalSince1970: Double(try row.number(4)) / 1_000)
    return StoredToken(hash: try row.text(0), name: try row.text(1), space: try row.text(2), role: role, createdAt: created)
  }
}
