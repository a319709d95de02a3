public import Foundation
internal import GRDBSQLite
public import Holdfast

/// What must not stand in the copy of a database that an import keeps: keys of an API, for example.
///
/// Such a copy is a database with the same tables and rows, where other values stand in the place of those. It is made without the
/// file's free pages and logs, in which earlier values may stand, and is then read beside the source: all else must be equal. That the
/// texts are gone is proven without asking `blank` again: they are searched for in every byte of the copy's file and in every value, also
/// of SQLite's own tables. Where a column must not have the same value twice a number stands behind the second.
public struct SQLiteBlanks {
  /// What the copy is without, for people: `secrets`.
  public let what: String
  /// The texts themselves.
  public let texts: [Data]
  /// Gives what stands in the place of such values, by column; empty for a row without any.
  public let blank: @Sendable (SQLiteRow) -> [String: SQLValue]
  private let database: SQLiteSource?

  /// - Parameters:
  ///   - texts: what must stand nowhere in the copy, neither so, nor in JSON, nor in UTF-16, nor in base64. One of fewer than 8 bytes
  ///     stands in others by chance, and is not searched for.
  ///   - database: the source, where it is open already; nil opens it.
  ///   - blank: must give the same each time, and nothing for a row that has it already.
  public init(
    _ what: String, texts: [Data], in database: SQLiteSource? = nil, blank: @escaping @Sendable (SQLiteRow) -> [String: SQLValue]
  ) {
    self.what = what
    self.database = database
    self.texts = texts
    self.blank = blank
  }

  /// Why a source has no copy without such values: the reason is for people.
  struct NoCopy: Error {
    let reason: String
  }

  /// Writes the copy to a name that is not taken, and proves it.
  ///
  /// - Throws: `NoCopy` where SQLite alone cannot make one; `.verificationFailed` when it is not equal in all else, or one of the texts
  ///   stands in it; what copying and reading a database can throw.
  func copy(_ source: ImportSource, to target: URL) throws {
    let original = try database ?? SQLiteSource(source)
    if let table = try original.moduleTable() {
      throw NoCopy(reason: "\(table) is the work of a module, and may have \(what) in an index of its own")
    }
    do {
      try write(original, source, to: target)
    } catch let error as StoreError where error.code == .invalidSource {
      throw NoCopy(reason: error.message)
    }
  }

  private func write(_ original: SQLiteSource, _ source: ImportSource, to target: URL) throws {
    var scratch: ScratchDatabase?
    // What stands in rows whose blanks another row of the table has already.
    var numbered: [Place: [String: SQLValue]] = [:]
    let before = try hash(of: original) { row in
      var blanks = blank(row)
      guard !blanks.isEmpty else { return row }
      guard let id = row.rowID else {
        throw NoCopy(reason: "it has \(what) in \(row.table), which has no row ids")
      }
      let database = try scratch ?? ScratchDatabase(copying: source)
      scratch = database
      for (column, value) in blanks {
        do {
          try database.set(column, of: row, id, to: value)
        } catch let error as StoreError where (error.cause as? StoreError)?.code == .constraint {
          let other = Self.value(value, numbered: id)
          try database.set(column, of: row, id, to: other)
          numbered[Place(row), default: [:]][column] = other
          blanks[column] = other
        }
      }
      let blanked = row.with(blanks)
      guard try database.holds(blanked, id) else {
        throw NoCopy(reason: "it has \(what) in \(row.table), of which a row has values of other kinds than its columns")
      }
      return blanked
    }
    if let scratch { try scratch.finish(into: target) } else { try original.vacuum(into: target) }
    if let name = original.unknownCollation {
      // The index of the copy would be in another order.
      _ = try? DurableFile.remove(target)
      throw NoCopy(reason: "it has an index in an order of its app, \(name)")
    }
    scratch = nil
    chmod(target.path, 0o600)
    try DurableFile.flush(target)
    try DurableFile.flushFolder(of: target)
    try prove(target, of: source, tables: original.tables, hash: before, numbered)
  }

  /// Reads the copy once: whether it is equal in all else, has nothing that would be blanked, and none of the texts.
  ///
  /// What a row spreads over several pages is in no piece of the file, so values are searched, too.
  private func prove(
    _ file: URL, of source: ImportSource, tables: [String], hash before: String, _ numbered: [Place: [String: SQLValue]]
  ) throws {
    let copy = try SQLiteSource(own: file)
    let needles = ByteNeedles(texts)
    var (isBlank, inRow): (Bool, String?) = (true, nil)
    let after = try hash(of: copy) { row in
      let found = blank(row)
      if !found.isEmpty {
        let own = numbered[Place(row)] ?? [:]
        if found.keys.contains(where: { own[$0] == nil }) { isBlank = false }
      }
      if !needles.isEmpty, inRow == nil, row.values.contains(where: { $0.bytes.map(needles.stand) == true }) {
        inRow = row.path.description
      }
      return row
    }
    guard tables == copy.tables, before == after, isBlank else {
      throw StoreError(.verificationFailed, "\(file.path) is not \(source.url.path) without \(what)")
    }
    guard !needles.isEmpty else { return }
    let inFile = try ([""] + StoreFiles.sidecars).contains { suffix in
      let url = URL(fileURLWithPath: file.path + suffix)
      return try FileManager.default.fileExists(atPath: url.path) && needles.stand(inFileAt: url)
    }
    guard let place = try inFile ? "the file" : inRow ?? copy.place(of: needles) else { return }
    throw StoreError(
      .verificationFailed, "\(what) of \(source.url.path) would stand in \(place) of its copy; nothing was imported",
      suggestion: "Take them out of the file, or import a copy without them.")
  }

  /// A row, in the source and in the copy.
  private struct Place: Hashable {
    var table: String
    var rowID: Int64?

    init(_ row: SQLiteRow) { (table, rowID) = (row.table, row.rowID) }
  }

  private static func value(_ value: SQLValue, numbered number: Int64) -> SQLValue {
    switch value {
    case .text(let text): .text("\(text) \(number)")
    case .blob(let bytes): .blob(bytes + Data(" \(number)".utf8))
    default: value
    }
  }

  /// Of all columns, rows and values, in their order.
  private func hash(of source: SQLiteSource, _ blanked: (SQLiteRow) throws -> SQLiteRow) throws -> String {
    var hash = RowHash()
    for table in source.tables {
      hash.add(table)
      for column in try source.columns(of: table) { hash.add(column) }
      try source.rows(of: table) { hash.add(try blanked($0)) }
    }
    return hash.finish()
  }
}

/// A hash of rows: of each value's kind and its bytes.
private struct RowHash {
  private var sum = SHA256Sum()
  private var bytes: [UInt8] = []

  mutating func add(_ text: String) {
    add(0, UInt64(text.utf8.count))
    bytes += text.utf8
  }

  mutating func add(_ row: SQLiteRow) {
    add(row.rowID == nil ? 1 : 2, UInt64(bitPattern: row.rowID ?? Int64(row.number)))
    for (index, value) in row.values.enumerated() {
      switch value {
      case .null: add(3, 0)
      case .integer(let value): add(4, UInt64(bitPattern: value))
      case .real(let value): add(5, value.bitPattern)
      case .text(let text):
        add(6, UInt64(text.utf8.count))
        bytes += text.utf8
      case .blob(let blob):
        add(row.brokenTexts.contains(index) ? 7 : 8, UInt64(blob.count))
        bytes += blob
      }
    }
    guard bytes.count >= 1 << 16 else { return }
    sum.add(bytes)
    bytes.removeAll(keepingCapacity: true)
  }

  private mutating func add(_ kind: UInt8, _ number: UInt64) {
    bytes.append(kind)
    withUnsafeBytes(of: number) { bytes += $0 }
  }

  consuming func finish() -> String {
    sum.add(bytes)
    return sum.hex
  }
}

extension SQLiteRow {
  /// What SQLite calls the kinds of its values.
  fileprivate var kinds: [String] {
    values.enumerated().map { index, value in
      switch value {
      case .null: "null"
      case .integer: "integer"
      case .real: "real"
      case .text: "text"
      case .blob: brokenTexts.contains(index) ? "text" : "blob"
      }
    }
  }

  /// The same row with other values in some columns.
  package func with(_ values: [String: SQLValue]) -> SQLiteRow {
    guard !values.isEmpty else { return self }
    var all = self.values
    var broken = brokenTexts
    for (column, value) in values {
      guard let index = shape.index(of: column) else { continue }
      all[index] = value
      // What is left of bytes that are no text may be one.
      guard broken.contains(index), case .blob(let bytes) = value, let text = String(validating: bytes, as: UTF8.self) else { continue }
      all[index] = .text(text)
      broken.removeAll { $0 == index }
    }
    return SQLiteRow(shape: shape, rowID: rowID, number: number, values: all, brokenTexts: broken)
  }
}

/// A copy of a source in which values are changed, and which is thrown away.
private final class ScratchDatabase {
  private let connection: RawConnection
  private var handle: OpaquePointer { connection.handle }
  private let copy: PrivateCopy
  private let path: String
  private var triggers: [String] = []

  init(copying source: ImportSource) throws {
    copy = try PrivateCopy(of: source)
    path = source.url.path
    connection = try ConnectionFactory.plain(copy.url.path, writable: true)
    // What a trigger would change is not blanked, and a CHECK may want a key. After a crash there is no such file.
    for pragma in ["ignore_check_constraints = 1", "synchronous = 0"] { try run("PRAGMA \(pragma)") }
    let names = try texts("SELECT name FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
    triggers = try texts("SELECT sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
    for name in names { try run("DROP TRIGGER \(SQLiteRow.quoted(name))") }
    try run("BEGIN IMMEDIATE")
  }

  /// Whatever a column would do with a value that stands there already: it fails.
  func set(_ column: String, of row: SQLiteRow, _ id: Int64, to value: SQLValue) throws {
    let mark = row.isBrokenText(column) ? "CAST(? AS TEXT)" : "?"
    try run(
      "UPDATE OR ABORT \(SQLiteRow.quoted(row.table)) SET \(SQLiteRow.quoted(column)) = \(mark) WHERE rowid = ?", [value, .integer(id)])
  }

  /// Whether the row has values of these kinds: all values of a row that is changed become what the types of their columns say, and in a
  /// file whose schema was damaged they may have been others.
  func holds(_ row: SQLiteRow, _ id: Int64) throws -> Bool {
    let columns = row.columns.map { "typeof(\(SQLiteRow.quoted($0)))" }.joined(separator: ", ")
    var kinds: [String] = []
    try step("SELECT \(columns) FROM \(SQLiteRow.quoted(row.table)) WHERE rowid = ?", [.integer(id)]) { statement in
      kinds = (0..<sqlite3_column_count(statement)).map { sqlite3_column_text(statement, $0).map { String(cString: $0) } ?? "" }
    }
    return kinds == row.kinds
  }

  /// Writes all to a new file.
  func finish(into target: URL) throws {
    try run("COMMIT")
    for trigger in triggers { try run(trigger) }
    try run("VACUUM INTO ?", [.text(target.path)])
  }

  private func run(_ sql: String, _ bindings: [SQLValue] = []) throws { try step(sql, bindings) { _ in } }

  private func texts(_ sql: String) throws -> [String] {
    var texts: [String] = []
    try step(sql, []) { if let text = sqlite3_column_text($0, 0) { texts.append(String(cString: text)) } }
    return texts
  }

  private func step(_ sql: String, _ bindings: [SQLValue], _ body: (OpaquePointer) -> Void) throws {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK, let statement else { throw failure() }
    defer { sqlite3_finalize(statement) }
    var values = Values(copyingInto: statement)
    for binding in bindings { try values.value(binding) }
    while true {
      switch sqlite3_step(statement) {
      case SQLITE_ROW: body(statement)
      case SQLITE_DONE: return
      default: throw failure()
      }
    }
  }

  private func failure() -> StoreError {
    let error = connection.failure()
    switch error.code {
    case .diskFull, .inputOutput, .permissionDenied, .deviceLocked: return error
    // An index that lacks rows, for example: reading tables does not need it, and changing them does.
    default: return StoreError(.invalidSource, "\(path) cannot be copied: \(error.message)", cause: error)
    }
  }
}
