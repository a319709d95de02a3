package import Foundation
internal import GRDB

/// What `Store.bringBack` did, by table. Tables without such rows are left out.
public struct BringBackReport: Sendable, Codable, Equatable {
  /// The number of rows that were inserted.
  public internal(set) var inserted: [String: Int] = [:]
  /// The number of rows that were there with other values, and got those of the older state.
  public internal(set) var takenBack: [String: Int] = [:]
  /// The number of rows that the store has today with other values. They stay as they are.
  public internal(set) var kept: [String: Int] = [:]
  /// The number of rows that could not be inserted: another row has one of their unique values, or a row that they point at cannot come.
  public internal(set) var leftOut: [String: Int] = [:]
  /// The wanted row, where the store has it with other values: `before` are today's, and `after` those of the older state.
  package internal(set) var changes: [RowDifference] = []
  /// Today's values of these rows, to the byte.
  var today: [[ExactValue]] = []

  /// Without the values of rows, which an app may not want in what it encodes.
  private enum CodingKeys: String, CodingKey { case inserted, takenBack, kept, leftOut }
}

extension Store {
  /// `bringBack(_:where:from:)` from a file to which nothing writes. No row of the store is changed, except by the schema's own triggers,
  /// and the wanted row itself with `takesChanged`. One transaction.
  ///
  /// Rows belong to a row if they point at it, whatever their ON DELETE, also below a row that the store still has. Only columns that both
  /// states have are copied; another column gets its default. A row is there today if the store has one with its key (see
  /// `TableShape.key`); in a table without a key, if it has one with the same values. So a row whose number SQLite has given to another row
  /// since counts as there.
  ///
  /// - Parameters:
  ///   - takesChanged: whether the wanted row gets its older values where the store has it with other ones. Rows that belong to it keep
  ///     today's values in any case.
  ///   - isDry: whether the transaction is rolled back, so that the report says what would come.
  ///   - plan: what a person has seen of a dry run before.
  ///   - mark: runs before the commit of a transaction in which the row gets its older values. Other connections still see the state before.
  /// - Throws: also `.busy` when the wanted row is not as in `plan` any more; what `mark` throws; `.constraint` when rows that point at
  ///   each other in a circle cannot all come. The store is then unchanged.
  package func bringBack(
    _ table: String, where key: [String: SQLValue], from file: URL, takesChanged: Bool = false, isDry: Bool = false,
    as plan: BringBackReport? = nil, mark: () throws -> Void = {}
  ) throws -> BringBackReport {
    let old = try ConnectionFactory(file.path, options).still()
    return try write { tx in
      tx.rollsBack = isDry
      var run = try BringBack(old, tx, takesChanged: takesChanged)
      let report = try run.bringBack(table, where: key)
      if let plan, plan.today != report.today {
        throw StoreError(
          .busy, "the row has changed since the plan was made; nothing was changed",
          suggestion: "Try again: the plan then has today's values.")
      }
      if !isDry, !report.takenBack.isEmpty { try mark() }
      return report
    }
  }

  /// The texts of a column in an older state that begin with a text, as it is or in lower case: at most six, sorted. None when that state
  /// lacks the column. No numbers: 70 does not begin with 7.
  ///
  /// - Throws: `.notFound` when the file is missing; the errors of reading.
  package func bringable(_ table: String, _ column: String, beginningWith text: String, from file: URL) throws -> [String] {
    let old = try ConnectionFactory(file.path, options).still()
    let (table, column) = (table.lowercased(), column.lowercased())
    guard let shape = try TableShape.all(old.texts)[table], shape.columns.contains(where: { $0.lowercased() == column }) else { return [] }
    let id = BoundSQL.names([column])
    return try old.values(
      """
      SELECT \(sql: id) FROM \(sql: .names([shape.name]))
      WHERE typeof(\(sql: id)) = 'text' AND substr(\(sql: id), 1, length(\(text))) IN (\(text), \(text.lowercased()))
      ORDER BY 1 LIMIT 6
      """
    ) { try $0.text() }
  }
}

/// One run. Table names are in lower case.
private struct BringBack {
  private let old: RawConnection
  private let tx: Writer
  /// Without the tables that the store lacks.
  private let then: [String: TableShape]
  private let now: [String: TableShape]
  private var fates: [Place: Fate] = [:]
  /// How many rows with these values were met in a table without a key: such a table may hold equal rows.
  private var met: [Place: Int] = [:]
  private let takesChanged: Bool
  /// The rows that were asked for.
  private var wanted: Set<Place> = []
  /// Those among them that the store has with other values, and that get their older ones.
  private var changing: Set<Place> = []
  private var report = BringBackReport()

  private enum Fate { case waiting, there, leftOut }

  /// Identifies a row of the older state.
  private struct Place: Hashable {
    let table: String
    let values: [ExactValue]
  }

  private struct Row {
    let place: Place
    let rowID: SQLValue?
    /// By column, in lower case.
    let values: [String: SQLValue]

    /// Nil when a value is NULL or missing: a foreign key then points nowhere.
    func values(of columns: [String]) -> [SQLValue]? {
      let found = columns.compactMap { values[$0.lowercased()] }
      return found.isEmpty || found.count < columns.count || found.contains(.null) ? nil : found
    }
  }

  init(_ old: RawConnection, _ tx: Writer, takesChanged: Bool) throws {
    (self.old, self.tx, self.takesChanged) = (old, tx, takesChanged)
    let now = try TableShape.all(tx.database.texts)
    self.now = now
    // A table without a common column cannot take a row.
    then = try TableShape.all(old.texts).filter { name, shape in
      let columns = Set(now[name]?.columns.map { $0.lowercased() } ?? [])
      return shape.columns.contains { columns.contains($0.lowercased()) }
    }
  }

  mutating func bringBack(_ table: String, where key: [String: SQLValue]) throws -> BringBackReport {
    let name = table.lowercased()
    guard then[name] != nil else { throw StoreError(.misuse, "the two states have no table \(table) in common") }
    let columns = key.keys.sorted()
    guard has(name, columns), !columns.isEmpty else {
      throw StoreError(.misuse, "the older state of \(table) lacks a column of \(columns.joined(separator: ", "))")
    }
    var waiting = try rows(of: name, columns, columns.map { key[$0] ?? .null })
    guard !waiting.isEmpty else { throw StoreError(.notFound, "the older state holds no such row of \(table)") }
    // Rows may point at each other in a circle. SQLite then looks only at the end.
    try tx.execute("PRAGMA defer_foreign_keys = ON")
    wanted = Set(waiting.map(\.place))
    var reached = wanted
    while let row = waiting.popLast() {
      try settle(row)
      // The last one is next, so the rows come in the order in which they were stored.
      waiting += try children(of: row).filter { reached.insert($0.place).inserted }.reversed()
    }
    return report
  }

  /// Decides about a row, and before it about the rows that it points at. Not a recursion: a chain of rows may be long.
  private mutating func settle(_ row: Row) throws {
    var chain = [row]
    deciding: while let row = chain.last {
      guard let shape = now[row.place.table], fates[row.place] == nil || fates[row.place] == .waiting else {
        chain.removeLast()
        continue
      }
      if fates[row.place] == nil, try isThere(row, shape) {
        fates[row.place] = .there
        chain.removeLast()
        continue
      }
      fates[row.place] = .waiting
      var canCome = true
      for reference in shape.references {
        guard let values = row.values(of: reference.from) else { continue }
        guard let table = now[reference.table]?.name, !reference.to.isEmpty else {
          canCome = false
          continue
        }
        let parent = try rows(of: reference.table, reference.to, values).first
        let fate = parent.flatMap { fates[$0.place] }
        if fate == .leftOut { canCome = false }
        if fate == .leftOut || fate == .waiting { continue }
        let stands = try tx.count("SELECT count(*) FROM \(sql: .names([table])) WHERE \(sql: .match(reference.to, values))") > 0
        if stands { continue }
        if fate == nil, let parent {
          chain.append(parent)
          continue deciding
        }
        canCome = false
      }
      chain.removeLast()
      let changes = changing.contains(row.place)
      let comes = try canCome && (changes ? update(row, shape) : insert(row, shape))
      fates[row.place] = comes || changes ? .there : .leftOut
      if !comes {
        report.leftOut[shape.name, default: 0] += 1
      } else if changes {
        report.takenBack[shape.name, default: 0] += 1
      } else {
        report.inserted[shape.name, default: 0] += 1
      }
    }
  }

  /// Whether the store has the row as it should be.
  private mutating func isThere(_ row: Row, _ shape: TableShape) throws -> Bool {
    let shared = shape.columns.filter { row.values[$0.lowercased()] != nil }
    let values = shared.map { row.values[$0.lowercased()] ?? .null }
    let table = BoundSQL.names([shape.name])
    if let key = row.values(of: shape.key) {
      let select: BoundSQL = "SELECT \(sql: .names(shared)) FROM \(sql: table) WHERE \(sql: .match(shape.key, key))"
      guard let today = try tx.value(select, { row in try shared.map { _ in try row.value() } }) else { return false }
      if today.map(ExactValue.init) == values.map(ExactValue.init) { return true }
      if wanted.contains(row.place) {
        func shown(_ names: [String], _ values: [SQLValue]) -> [String: JSONValue] {
          Dictionary(zip(names, values.map { TablePair.shown("", $0) })) { first, _ in first }
        }
        report.changes.append(
          RowDifference(kind: .changed, key: shown(shape.key, key), before: shown(shared, today), after: shown(shared, values)))
        report.today.append(today.map(ExactValue.init))
        if takesChanged {
          changing.insert(row.place)
          return false
        }
      }
      report.kept[shape.name, default: 0] += 1
      return true
    }
    let same = Place(table: row.place.table, values: values.map(ExactValue.init))
    met[same, default: 0] += 1
    let count = try tx.count("SELECT count(*) FROM \(sql: table) WHERE \(sql: .match(shared, values, exactly: true))")
    return count >= met[same, default: 0]
  }

  /// Returns false when a unique value of the row belongs to another row.
  private func insert(_ row: Row, _ shape: TableShape) throws -> Bool {
    let values = shape.columns.compactMap { column in row.values[column.lowercased()].map { (column: column, value: $0) } }
    // Also where the table declares that a new row replaces an old one.
    return try tx.insertAgain(values, rowID: row.rowID, into: shape, onConflict: "ON CONFLICT DO NOTHING")
  }

  /// The same for a row that the store has, which keeps its number.
  private func update(_ row: Row, _ shape: TableShape) throws -> Bool {
    guard let key = row.values(of: shape.key) else { return false }
    let stays = Set((shape.key + [shape.rowID].compactMap { $0 }).map { $0.lowercased() })
    let values = shape.columns.filter { !stays.contains($0.lowercased()) }.compactMap { column -> BoundSQL? in
      row.values[column.lowercased()].map { "\(raw: quoted(column)) = \($0)" }
    }
    guard !values.isEmpty else { return false }
    let update: BoundSQL = "UPDATE OR ABORT \(sql: .names([shape.name])) SET \(sql: .joined(values, separator: ", "))"
    do {
      return try tx.savepoint { try tx.execute("\(sql: update) WHERE \(sql: .match(shape.key, key))") > 0 }
    } catch let error as StoreError where error.isOfTakenValue && (error.table ?? shape.name) == shape.name {
      return false
    }
  }

  // MARK: The older state

  private func has(_ table: String, _ columns: [String]) -> Bool {
    guard let shape = then[table] else { return false }
    let known = Set((shape.columns + shape.identity).map { $0.lowercased() })
    return columns.allSatisfy { known.contains($0.lowercased()) }
  }

  /// The rows that point at this one.
  private func children(of row: Row) throws -> [Row] {
    var found: [Row] = []
    for (name, shape) in then.sorted(by: { $0.key < $1.key }) {
      for reference in shape.references where reference.table == row.place.table {
        guard let values = row.values(of: reference.to) else { continue }
        found += try rows(of: name, reference.from, values)
      }
    }
    return found
  }

  /// The rows of the older state with these values. None when it lacks the table or a column.
  private func rows(of table: String, _ columns: [String], _ values: [SQLValue]) throws -> [Row] {
    guard let shape = then[table], has(table, columns), !columns.isEmpty else { return [] }
    let (identity, rowID, names) = (shape.identity, shape.rowID, shape.columns)
    let selected: BoundSQL = "SELECT \(sql: .names(identity + names)) FROM \(sql: .names([shape.name]))"
    return try old.values("\(sql: selected) WHERE \(sql: .match(columns, values)) ORDER BY \(sql: .names(identity))") { row in
      let place = try identity.map { _ in try row.value() }
      var read: [String: SQLValue] = [:]
      for name in names { read[name.lowercased()] = try row.value() }
      return Row(place: Place(table: table, values: place.map(ExactValue.init)), rowID: rowID == nil ? nil : place.first, values: read)
    }
  }
}

/// A value that is equal only to one that SQLite stores alike, byte for byte.
enum ExactValue: Hashable {
  case text(ExactText)
  case other(SQLValue)

  /// The value itself.
  var value: SQLValue {
    switch self {
    case .text(let text): .text(text.text)
    case .other(let value): value
    }
  }

  init(_ value: SQLValue) {
    switch value {
    case .text(let text): self = .text(ExactText(text))
    default: self = .other(value)
    }
  }
}
