internal import HoldfastSyncServer

/// The statements about rows of `sync_row`.
enum LineRows {
  /// The rows behind a cursor, by push, table and key: as many as fill a page, and one more, by which `SyncPage` sees that it is full. The
  /// first push is whole, and one row of the second push follows.
  ///
  /// A page of long lines is cut here, so that the database does not send a thousand of them for a page of a few.
  static func page(of space: String, after cursor: Int64) -> PostgresStatement {
    PostgresStatement(
      """
      SELECT space, tbl, key, sequence, body FROM (
        SELECT *, sum(octet_length(body)) OVER order_of_pushes AS bytes, first_value(sequence) OVER order_of_pushes AS first,
          lag(sequence, 1, sequence) OVER order_of_pushes AS previous
        FROM (SELECT * FROM sync_row WHERE space = $1 AND sequence > $2 ORDER BY sequence, tbl, key LIMIT \(mostRows)) AS next
        WINDOW order_of_pushes AS (ORDER BY sequence, tbl, key ROWS UNBOUNDED PRECEDING)
      ) AS summed WHERE bytes - octet_length(body) <= \(SyncPage.most.bytes) OR previous = first ORDER BY sequence, tbl, key
      """, .text(space), .number(cursor))
  }

  /// A push has at most 1,000 rows, so these are one whole push and the beginning of the next.
  private static let mostRows = SyncPage.most.rows + 1

  /// The rows of these names, in any order. `body` is NULL behind the first 64 MB.
  static func named(_ names: [(table: String, key: String)], in space: String) -> PostgresStatement {
    PostgresStatement(
      """
      SELECT space, tbl, key, sequence, CASE WHEN sum(octet_length(body)) OVER (ROWS UNBOUNDED PRECEDING) <= 67108864 THEN body END
      FROM unnest($2::text[], $3::bytea[]) AS named (tbl, key) JOIN sync_row USING (tbl, key) WHERE space = $1
      """, .text(space), .texts(names.map(\.table)), .byteStrings(names.map { Array($0.key.utf8) }))
  }

  /// A part of all rows, by table and key; see `SpaceCopy.part`.
  static func part(of space: String, after last: SyncLine?) -> PostgresStatement {
    PostgresStatement(
      """
      SELECT space, tbl, key, sequence, body FROM (
        SELECT *, sum(octet_length(body)) OVER (ORDER BY tbl, key ROWS UNBOUNDED PRECEDING) AS bytes FROM (
          SELECT * FROM sync_row WHERE space = $1 AND (tbl, key) > ($2, $3) ORDER BY tbl, key LIMIT \(SpaceCopy.part.rows)
        ) AS next
      ) AS summed WHERE bytes - octet_length(body) < \(SpaceCopy.part.bytes) ORDER BY tbl, key
      """, .text(space), .text(last?.table ?? ""), .bytes(Array((last?.key ?? "").utf8)))
  }

  /// Writes rows of one space in place of those of the same names. Each name may be there once.
  static func upsert(_ lines: some Sequence<SyncLine>, in space: String) -> PostgresStatement {
    PostgresStatement(
      """
      INSERT INTO sync_row (space, tbl, key, sequence, body)
      SELECT $1, tbl, key, sequence, body FROM unnest($2::text[], $3::bytea[], $4::bigint[], $5::text[]) AS new (tbl, key, sequence, body)
      ON CONFLICT (space, tbl, key) DO UPDATE SET sequence = excluded.sequence, body = excluded.body
      """, .text(space), .texts(lines.map(\.table)), .byteStrings(lines.map { Array($0.key.utf8) }), .numbers(lines.map(\.sequence)),
      .texts(lines.map(\.line)))
  }

  /// Nil when `body` is NULL.
  static func line(_ row: PostgresResult.Row) throws -> SyncLine? {
    guard let body = try row.optionalText(4) else { return nil }
    return SyncLine(space: try row.text(0), table: try row.text(1), key: try row.text(2), sequence: try row.number(3), line: body)
  }
}
