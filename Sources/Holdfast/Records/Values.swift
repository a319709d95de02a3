public import Foundation
internal import GRDBSQLite

/// Binds the values of one row to a statement. Each call binds the next value, in the order of `StoredRecord.columns`.
public struct Values: ~Copyable {
  let binder: Binder
  private var next: Int32 = 1

  /// Without an arena, SQLite copies each value.
  init(_ statement: OpaquePointer, _ arena: BindArena?) {
    binder = Binder(statement: statement, arena: arena)
    arena?.clear()
  }

  /// For a statement of a database that is not a store.
  package init(copyingInto statement: OpaquePointer) { self.init(statement, nil) }

  /// The number of values bound so far.
  var count: Int { Int(next) - 1 }

  /// Checks that every parameter was bound. Another one would keep the value of the statement's last use.
  ///
  /// - Throws: `.misuse` when the number of bound values is not the statement's number of parameters.
  func checkComplete(_ sql: String) throws {
    let parameters = Int(sqlite3_bind_parameter_count(binder.statement))
    guard count == parameters else {
      throw StoreError(.misuse, "\(count) values were given for \(parameters) parameters in: \(sql)")
    }
  }

  /// Binds text; nil is NULL. SQLite refuses text of 1 GB or more with `.invalidValue`.
  public mutating func text(_ value: String) throws { try binder.text(value, advance()) }
  public mutating func text(_ value: String?) throws {
    if let value { try text(value) } else { try null() }
  }

  /// Binds an INTEGER value; nil is NULL.
  public mutating func int64(_ value: Int64) throws { try binder.int64(value, advance()) }
  public mutating func int64(_ value: Int64?) throws {
    if let value { try int64(value) } else { try null() }
  }
  /// Binds an INTEGER value; nil is NULL.
  public mutating func int(_ value: Int) throws { try int64(Int64(value)) }
  public mutating func int(_ value: Int?) throws { try int64(value.map(Int64.init)) }
  /// Binds 0 or 1; nil is NULL.
  public mutating func bool(_ value: Bool) throws { try int64(value ? 1 : 0) }
  public mutating func bool(_ value: Bool?) throws { try int64(value.map { $0 ? 1 : 0 }) }

  /// Binds a number; nil is NULL. NaN throws `.invalidValue`, because SQLite would store NULL.
  public mutating func double(_ value: Double) throws { try binder.double(value, advance()) }
  public mutating func double(_ value: Double?) throws {
    if let value { try double(value) } else { try null() }
  }

  /// Binds a number that every export can write; nil is NULL. Infinity and NaN throw `.invalidValue`, because JSON has neither.
  public mutating func finite(_ value: Double?) throws {
    if let value { try Binder.checkFinite(value) }
    try double(value)
  }

  /// Binds a length in seconds; nil is NULL. Infinity and NaN throw `.invalidValue`.
  public mutating func seconds(_ value: Double?) throws {
    try Self.checkSeconds(value)
    try double(value)
  }

  /// Checks a value for ``seconds(_:)``: JSON, and so every export, has no infinity and no NaN.
  ///
  /// - Throws: `.invalidValue` for a duration that is not finite.
  public static func checkSeconds(_ value: Double?) throws {
    if let value, !value.isFinite { throw StoreError(.invalidValue, "a length of \(value) seconds cannot be stored") }
  }

  /// Binds an id as lowercase text; nil is NULL.
  public mutating func id(_ value: UUID) throws { try binder.id(value, advance()) }
  public mutating func id(_ value: UUID?) throws {
    if let value { try id(value) } else { try null() }
  }

  /// Binds a date as milliseconds since 1970; nil is NULL. Throws `.invalidValue` if it is not finite or outside the years 1 to 9999.
  public mutating func date(_ value: Date) throws { try binder.date(value, advance()) }
  public mutating func date(_ value: Date?) throws {
    if let value { try date(value) } else { try null() }
  }

  /// Binds a BLOB value; nil is NULL.
  public mutating func data(_ value: Data?) throws {
    if let value { try binder.data(value, advance()) } else { try null() }
  }

  /// Binds JSON text unchanged and undecoded; nil is NULL.
  public mutating func json<Content>(_ value: StoredJSON<Content>?) throws { try text(value?.text) }

  /// Binds NULL.
  public mutating func null() throws { try binder.null(advance()) }

  /// Binds a value of any type.
  public mutating func value(_ value: SQLValue) throws {
    switch value {
    case .null: try null()
    case .integer(let value): try int64(value)
    case .real(let value): try double(value)
    case .text(let value): try text(value)
    case .blob(let value): try data(value)
    }
  }

  /// Leaves the next `count` values to the derived form of a record. Returns the number of the first.
  mutating func skip(_ count: Int) -> Int32 {
    defer { next += Int32(count) }
    return next
  }

  @inline(__always)
  private mutating func advance() -> Int32 {
    let index = next
    next = index &+ 1
    return index
  }
}

/// Binds values to a statement's parameters by their numbers, from 1 on. `Values` binds one after the other; the derived form of a record
/// binds each where its coding key is.
struct Binder {
  let statement: OpaquePointer
  /// Nil: SQLite copies each value.
  let arena: BindArena?

  @inline(__always)
  func text(_ value: String, _ index: Int32) throws {
    let code: Int32? = value.utf8.withContiguousStorageIfAvailable { bind($0, at: index) }
    if let code { return try check(code) }
    var copy = value
    try check(copy.withUTF8 { bind($0, at: index) })
  }

  @inline(__always)
  func int64(_ value: Int64, _ index: Int32) throws { try check(sqlite3_bind_int64(statement, index, value)) }

  @inline(__always)
  func integer(_ value: some FixedWidthInteger, _ index: Int32) throws {
    guard let stored = Int64(exactly: value) else { throw StoreError(.invalidValue, "the number \(value) cannot be stored") }
    try int64(stored, index)
  }

  func double(_ value: Double, _ index: Int32) throws {
    guard !value.isNaN else { throw StoreError(.invalidValue, "NaN cannot be stored") }
    try check(sqlite3_bind_double(statement, index, value))
  }

  static func checkFinite(_ value: Double) throws {
    guard value.isFinite else { throw StoreError(.invalidValue, "the number \(value) cannot be stored") }
  }

  @inline(__always)
  func id(_ value: UUID, _ index: Int32) throws {
    guard let space = arena?.take(36) else { return try text(IDCodec.lowercase(value), index) }
    IDCodec.write(value, to: space)
    try check(sqlite3_bind_text(statement, index, space.assumingMemoryBound(to: CChar.self), 36, nil))
  }

  func date(_ value: Date, _ index: Int32) throws {
    guard let milliseconds = DateCodec.milliseconds(value) else {
      throw StoreError(.invalidValue, "a date outside the years 1 to 9999 cannot be stored")
    }
    try int64(milliseconds, index)
  }

  func data(_ value: Data, _ index: Int32) throws {
    if value.isEmpty { return try check(sqlite3_bind_zeroblob(statement, index, 0)) }
    try check(value.withUnsafeBytes { sqlite3_bind_blob(statement, index, $0.baseAddress, Int32(clamping: $0.count), transient) })
  }

  @inline(__always)
  func null(_ index: Int32) throws { try check(sqlite3_bind_null(statement, index)) }

  private func bind(_ bytes: UnsafeBufferPointer<UInt8>, at index: Int32) -> Int32 {
    guard let source = bytes.baseAddress else { return sqlite3_bind_text(statement, index, "", 0, nil) }
    // A static bind of a copy in the arena saves SQLite one allocation per value.
    if let space = arena?.take(bytes.count) {
      space.copyMemory(from: source, byteCount: bytes.count)
      return sqlite3_bind_text(statement, index, space.assumingMemoryBound(to: CChar.self), Int32(clamping: bytes.count), nil)
    }
    return source.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
      sqlite3_bind_text64(statement, index, $0, UInt64(bytes.count), transient, UInt8(SQLITE_UTF8))
    }
  }

  // After a failed bind, the value of the previous row is still bound. So every failure must throw.
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

/// Memory for the values of one row, reused for the next row. One per connection.
///
/// Bound pointers stay valid until `clear()`, which runs when the next statement is bound. So a statement that binds from here must be
/// stepped to its end before another one is bound.
final class BindArena {
  private static let capacity = 65_536
  private let base = UnsafeMutableRawPointer.allocate(byteCount: BindArena.capacity, alignment: 16)
  private var used = 0

  deinit { base.deallocate() }

  func clear() { used = 0 }

  /// Returns `count` bytes; nil when the arena is full.
  func take(_ count: Int) -> UnsafeMutableRawPointer? {
    guard count <= Self.capacity &- used else { return nil }
    defer { used &+= count }
    return base + used
  }
}
