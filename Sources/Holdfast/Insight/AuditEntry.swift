public import Foundation

/// One entry of a store's audit: one change of one row, or one reading of a secret.
public struct AuditEntry: Sendable, Equatable, Identifiable {
  /// What happened to the row.
  public enum Operation: String, Sendable, Codable {
    case insert, update, delete
    /// A secret was read; see `Writer.recordAccess`.
    case read
    /// The audit of the table begins here: before it, or by a migration, rows may have changed without an entry.
    case base
    /// The entry told of a row that was purged. Its row and its values are gone; see `Store.purge`.
    case purged
  }

  /// Rises by time; never used again.
  public let id: Int64
  /// The time of the transaction by the store's clock. For a change by another program: the time by SQLite's clock.
  public let time: Date
  /// `Audit.actor` of the task that wrote; nil where it was not set.
  public let actor: String?
  /// The verb of the transaction, as in the store's metrics. Nil: another program made the change, or the transaction is under way.
  public let verb: String?
  /// The row's table.
  public let table: String
  /// The row's key as text; several columns are joined by `/`. Empty for a base and a purged entry.
  public let row: String
  /// What happened.
  public let operation: Operation
  /// The audited columns before: all for a deletion; the changed ones and the key for an update. Otherwise empty.
  public let before: [String: SQLValue]
  /// The audited columns after: all for an insertion; the changed ones and the key for an update. Otherwise empty.
  public let after: [String: SQLValue]
  /// Why a secret was read, where the app said it.
  public let reason: String?

  static let columns: BoundSQL = "id, time, actor, verb, kind, row, operation, before, after"

  init(row: inout StoredRow) throws {
    (id, time, actor, verb) = (try row.int64(), try row.date(), try row.textOrNil(), try row.textOrNil())
    (table, self.row) = (try row.text(), try row.text())
    guard let operation = Operation(rawValue: try row.text()) else { throw row.unexpected("an operation of the audit") }
    self.operation = operation
    before = try Self.values(&row)
    let after = try Self.values(&row)
    self.after = operation == .read ? [:] : after
    if operation == .read, case .text(let text)? = after["reason"] { reason = text } else { reason = nil }
  }

  private static func values(_ row: inout StoredRow) throws -> [String: SQLValue] {
    guard let text = try row.textOrNil() else { return [:] }
    guard let object = [String: JSONValue](json: text) else { throw row.unexpected("one JSON object") }
    return try object.mapValues { member in
      guard let value = SQLValue(audited: member) else { throw row.unexpected("values of the audit") }
      return value
    }
  }

  /// The entry as exports and commands write it. A BLOB is `{"blob": "00FF"}`, an infinite number `{"real": "inf"}`; every other value is
  /// JSON's own, a REAL with a point or an exponent.
  public var json: JSONValue {
    func values(_ values: [String: SQLValue]) -> JSONValue { .object(values.mapValues(\.audited)) }
    return .object([
      "id": .integer(id), "time": DateCodec.milliseconds(time).map { .string(DateCodec.iso8601($0, fraction: true)) } ?? .null,
      "actor": .text(actor), "verb": .text(verb), "table": .string(table), "row": .string(row), "operation": .string(operation.rawValue),
      "before": values(before), "after": values(after), "reason": .text(reason),
    ])
  }
}

extension SQLValue {
  /// A value of an entry, as a trigger wrote it; nil for any other JSON.
  init?(audited value: JSONValue) {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .string(let text): self = .text(text)
    case .object(let members):
      if let number = members.string("real").flatMap({ Double($0) }) {
        self = .real(number)
      } else if let bytes = members.string("blob").flatMap({ SHA256Hex.data(hex: $0) }) {
        self = .blob(bytes)
      } else {
        return nil
      }
    case .bool, .double, .array: return nil
    }
  }

  var audited: JSONValue {
    switch self {
    case .null: .null
    case .integer(let number): .integer(number)
    case .real(let number): number.isFinite ? .double(number) : .object(["real": .string("\(number)")])
    case .text(let text): .string(text)
    case .blob(let bytes): .object(["blob": .string(bytes.map { String(format: "%02X", $0) }.joined())])
    }
  }
}
