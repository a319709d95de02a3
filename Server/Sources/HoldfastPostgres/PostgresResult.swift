internal import CPostgres

/// What a statement returned: rows whose values are in PostgreSQL's binary form.
///
/// Nothing changes it after libpq has made it, so every thread may read it.
final class PostgresResult: @unchecked Sendable {
  private let result: OpaquePointer

  /// Takes the result over, and frees it at the end.
  init(_ result: OpaquePointer) { self.result = result }

  deinit { PQclear(result) }

  /// The number of rows.
  var count: Int { Int(PQntuples(result)) }

  /// The statement's name and number of rows, such as `COMMIT` or `DELETE 1`.
  var tag: String { String(cString: PQcmdStatus(result)) }

  /// The rows, by number.
  var rows: [Row] { (0..<PQntuples(result)).map { Row(result: self, number: $0) } }

  struct Row {
    fileprivate let result: PostgresResult
    fileprivate let number: Int32

    func isNull(_ column: Int32) -> Bool { PQgetisnull(result.result, number, column) == 1 }

    /// - Throws: `PostgresError` for NULL.
    func bytes<T>(_ column: Int32, _ read: (UnsafeRawBufferPointer) throws -> T) throws -> T {
      guard column < PQnfields(result.result), !isNull(column), let start = PQgetvalue(result.result, number, column) else {
        throw wrong(column)
      }
      return try read(UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result.result, number, column))))
    }

    /// - Throws: `PostgresError` for NULL and for bytes that are not UTF-8.
    func text(_ column: Int32) throws -> String {
      try bytes(column) { bytes in
        guard let text = String(validating: bytes, as: UTF8.self) else { throw wrong(column) }
        return text
      }
    }

    /// The text, unless it is NULL.
    func optionalText(_ column: Int32) throws -> String? { isNull(column) ? nil : try text(column) }

    /// - Throws: `PostgresError` for NULL and for another type than `bigint`.
    func number(_ column: Int32) throws -> Int64 {
      try bytes(column) { bytes in
        guard bytes.count == 8 else { throw wrong(column) }
        return bytes.reduce(0) { $0 << 8 | Int64($1) }
      }
    }

    private func wrong(_ column: Int32) -> PostgresError {
      PostgresError(.failed, "the value in column \(column + 1) of an answer is not of the kind that was asked for")
    }
  }
}
