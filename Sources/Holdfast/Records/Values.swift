public import Foundation
internal import GRDBSQLite

/// The values of one row on their way into a statement: each call binds the next one, in the order of
/// `StoredRecord.columns`.
public struct Values: ~Copyable {
  private let statement: OpaquePointer
  private let arena: BindArena?
  private var next: Int32 = 1

  /// Without an arena SQLite copies each value.
  init(_ statement: OpaquePointer, _ arena: BindArena?) {
    self.statement = statement
    self.arena = arena
    arena?.clear()
  }

  /// For a statement of another database than a store's.
  package init(copyingInto statement: OpaquePointer) { self.init(statement, nil) }

  /// How many values have been bound.
  var count: Int { Int(next) - 1 }

  /// A parameter that was not bound would keep the value of the statement's last use.
  ///
  /// - Throws: `.misuse` when the statement has more parameters than values were bound.
  func checkComplete(_ sql: String) throws {
    let parameters = Int(sqlite3_bind_parameter_count(statement))
    guard count == parameters else {
      throw StoreError(.misuse, "\(count) values were given for \(parameters) parameters in: \(sql)")
    }
  }

  /// Binds text. Text of 1 GB or more is refused by SQLite with `.invalidValue`.
  public mutating func text(_ value: String) throws {
    let index = advance()
    let code: Int32? = value.utf8.withContiguousStorageIfAvailable { bind($0, at: index) }
    if let code { return try check(code) }
    var copy = value
    try check(copy.withUTF8 { bind($0, at: index) })
  }
  public mutating func text(_ value: String?) throws {
    if let value { try text(value) } else { try null() }
  }

  /// An INTEGER value; nil is NULL.
  public mutating func int64(_ value: Int64) throws { try check(sqlite3_bind_int64(statement, advance(), value)) }
  public mutating func int64(_ value: Int64?) throws {
    if let value { try int64(value) } else { try null() }
  }
  /// An INTEGER value.
  public mutating func int(_ value: Int) throws { try int64(Int64(value)) }
  /// 0 or 1.
  public mutating func bool(_ value: Bool) throws { try int64(value ? 1 : 0) }

  /// Binds a number. NaN throws `.invalidValue`: SQLite would store NULL in its place.
  public mutating func double(_ value: Double) throws {
    guard !value.isNaN else { throw StoreError(.invalidValue, "NaN cannot be stored") }
    try check(sqlite3_bind_double(statement, advance(), value))
  }
  public mutating func double(_ value: Double?) throws {
    if let value { try double(value) } else { try null() }
  }

  /// Binds a number that every export can tell. Infinity throws `.invalidValue`, as NaN does: JSON has neither.
  public mutating func finite(_ value: Double?) throws {
    if let value, !value.isFinite { throw StoreError(.invalidValue, "the number \(value) cannot be stored") }
    try double(value)
  }

  /// Binds a length of time in seconds. Infinity throws `.invalidValue`, as NaN does.
  public mutating func seconds(_ value: Double?) throws {
    try Self.checkSeconds(value)
    try double(value)
  }

  /// Checks what ``seconds(_:)`` will bind: JSON, and with it every export, has no infinity.
  ///
  /// - Throws: `.invalidValue` for a length that is not finite.
  public static func checkSeconds(_ value: Double?) throws {
    if let value, !value.isFinite { throw StoreError(.invalidValue, "a length of \(value) seconds cannot be stored") }
  }

  /// Binds an id as lowercase text.
  public mutating func id(_ value: UUID) throws {
    let index = advance()
    if let space = arena?.take(36) {
      IDCodec.write(value, to: space)
      try check(sqlite3_bind_text(statement, index, space.assumingMemoryBound(to: CChar.self), 36, nil))
    } else {
      next = index
      try text(IDCodec.lowercase(value))
    }
  }
  public mutating func id(_ value: UUID?) throws {
    if let value { try id(value) } else { try null() }
  }

  /// Binds a date as milliseconds since 1970. A date that is not finite, or outside the years 1 to 9999, throws `.invalidValue`.
  public mutating func date(_ value: Date) throws {
    guard let milliseconds = DateCodec.milliseconds(value) else {
      throw StoreError(.invalidValue, "a date outside the years 1 to 9999 cannot be stored")
    }
    try int64(milliseconds)
  }
  public mutating func date(_ value: Date?) throws {
    if let value { try date(value) } else { try null() }
  }

  /// A BLOB value; nil is NULL.
  public mutating func data(_ value: Data) throws {
    let index = advance()
    if value.isEmpty { return try check(sqlite3_bind_zeroblob(statement, index, 0)) }
    try check(value.withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count), transient) })
  }
  public mutating func data(_ value: Data?) throws {
    if let value { try data(value) } else { try null() }
  }
  /// The JSON text as it is; it is not decoded for this.
  public mutating func json<Content>(_ value: StoredJSON<Content>) throws { try text(value.text) }

  /// NULL.
  public mutating func null() throws { try check(sqlite3_bind_null(statement, advance())) }

  /// A value of any kind.
  public mutating func value(_ value: SQLValue) throws {
    switch value {
    case .null: try null()
    case .integer(let value): try int64(value)
    case .real(let value): try double(value)
    case .text(let value): try text(value)
    case .blob(let value): try data(value)
    }
  }

  @inline(__always)
  private mutating func advance() -> Int32 {
    let index = next
    next = index &+ 1
    return index
  }

  private func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
    guard let source = bytes.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, nil) }
    // A static bind of a copy in the arena spares SQLite one allocation per value.
    if let space = arena?.take(bytes.count) {
      space.copyMemory(from: source, byteCount: bytes.count)
      return sqlite3_bind_text(statement, index, space.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), nil)
    }
    return source.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(statement, index, $0, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
    }
  }

  // A bind that fails leaves the previous row's value in place; it must never go unseen.
  @inline(__always)
  private func check(_ code: Int32) throws {
    guard code == SQLITE_OK else { throw failure(code) }
  }

  @inline(never)
  private func failure(_ code: Int32) -> StoreError {
    code == SQLITE_RANGE
      ? StoreError(.misuse, "more values were bound than the statement has parameters")
      : StoreError(sqliteCode: code, message: String(cString: sqlite3_errstr(code)))
  }

  private var transient: sqlite3_destructor_type { unsafeBitCast(-1, to: sqlite3_destructor_type.self) }
}

/// Memory for the values of one row, reused for the next. One per connection.
///
/// Bound pointers stay valid until `clear()`, which runs when the next statement is bound: a statement that binds from
/// here is stepped to its end before anything else is bound.
final class BindArena {
  private static let capacity = 65_536
  private let base = UnsafeMutableRawPointer.allocate(byteCount: BindArena.capacity, alignment: 16)
  private var used = 0

  deinit { base.deallocate() }

  func clear() { used = 0 }

  /// `count` bytes, or nil when the row's values do not fit.
  func take(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count <= Self.capacity &- used else { return nil }
    defer { used &+= count }
    return base + used
  }
}
