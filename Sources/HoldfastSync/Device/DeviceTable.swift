internal import Foundation
internal import Holdfast

/// A row cannot stand in its table, for this reason.
struct Unfit: Error {
  let reason: String
}

/// A synced table as this store has it: its declaration, joined with its columns, keys and rules.
final class DeviceTable {
  struct Group {
    let number: Int64
    let name: ExactText
    let columns: [String]

    init(columns: [String]) {
      let name = SyncedTable.name(ofGroup: columns)
      (number, self.name, self.columns) = (SyncedTable.number(of: name), ExactText(name), columns)
    }
  }

  /// A foreign key. `to` is empty where the parent table is not in the store.
  struct Link {
    let child, parent: String
    let from, to: [String]
    let action: String
    let onUpdate: String
  }

  let name: String
  let number: Int64
  let key: RowKey
  /// The columns that travel, with those of the key, as the triggers note them.
  let columns: [String]
  /// Sorted by name.
  let groups: [Group]
  /// The columns that stay on this device, with their values for a row that arrives.
  let here: [String: SQLValue]
  let derived: Set<String>
  /// The columns that cannot be NULL.
  let needed: Set<String>
  /// What a column that cannot be NULL holds where a row does not give it.
  let blanks: [String: SQLValue]
  /// The declared defaults, in SQL.
  let defaults: [String: String]
  let unique: [UniqueRule]
  let conflictRule: String
  let record: RowRecord?
  /// `groups`, and each column alone, as it may have been in an earlier version.
  private let byNumber: [Int64: Group]
  /// `columns`, as rows name them.
  let names: [ExactText]
  private let known: Set<ExactText>
  /// All columns that are written: `columns`, then the derived ones, then those that stay here.
  let written: [String]
  /// `columns` in the order of their bytes, with their places in `written`.
  private let inOrder: [(name: ExactText, place: Int, isNeeded: Bool)]
  /// The places of the key's columns in `written`.
  private let keyPlaces: [Int]
  /// The places of the columns that stay here in `written`, and what they hold in a row that arrives.
  private let herePlaces: [(place: Int, column: String, value: SQLValue)]
  /// The columns of the record, in its order: their places in `written`, and what it reads where a row does not give them.
  private let read: [(column: String, place: Int?, blank: SQLValue)]
  /// The statement that wrote the last row, and which of `written` it gave.
  private var writing: (isGiven: [Bool], sql: BoundSQL)?
  /// The foreign keys from this table, and to it from synced tables.
  fileprivate(set) var parents: [Link] = []
  fileprivate(set) var children: [Link] = []

  init(_ synced: SyncedTable, _ file: SQLTable, _ shape: SchemaShape, _ records: [any StoredRecord.Type], in reader: Reader) throws {
    func misuse(_ reason: String) -> StoreError { StoreError(.misuse, "the table \(synced.name) cannot be synced: \(reason)") }
    var found: [(name: String, type: String, isNotNull: Bool, isGenerated: Bool, fallback: String?)] = []
    try reader.rows(
      "SELECT name, upper(type), \"notnull\", hidden > 1, dflt_value FROM pragma_table_xinfo(\(synced.name)) ORDER BY cid"
    ) { row in
      found.append((try row.text(), try row.text(), try row.bool(), try row.bool(), try row.textOrNil()))
    }
    let rowID = file.rowIDColumn
    key = RowKey(
      columns: try synced.key.map { name in
        guard let column = found.first(where: { $0.name == name }), let kind = RowKey.Kind(rawValue: column.type), !column.isGenerated,
          column.isNotNull || name == rowID
        else { throw misuse("its key \(name) is not a column of type TEXT, INTEGER or BLOB that is NOT NULL") }
        return (name, kind)
      })
    let given = found.filter { !$0.isGenerated }
    let rules = try UniqueRule.all(of: synced.name, columns: given.map(\.name), in: reader)
    let isKey = { (rule: UniqueRule) in
      rule.condition == nil && Set(rule.columns.map(\.name)) == Set(synced.key) && rule.columns.allSatisfy { $0.collation == "BINARY" }
    }
    guard synced.key == [rowID] || rules.contains(where: isKey) else { throw misuse("its key is not unique, or not compared byte by byte") }
    unique = rules.filter { !isKey($0) }
    conflictRule = try reader.conflictRule(of: synced.name)
    (name, number, here, derived) = (synced.name, SyncedTable.number(of: synced.name), synced.here, synced.derived)
    columns = try synced.columns(shape)
    groups = synced.groups(of: columns).map(Group.init)
    guard Set(groups.map(\.number)).count == groups.count else {
      throw misuse("two groups of its columns have one number; rename a column")
    }
    let single = columns.filter { !synced.key.contains($0) }.map { Group(columns: [$0]) }
    byNumber = Dictionary((groups + single).map { ($0.number, $0) }) { first, _ in first }
    names = columns.map { ExactText($0) }
    known = Set(names)
    let written = columns + synced.derived.sorted() + synced.here.keys.sorted()
    self.written = written
    let own = records.filter { $0.table == synced.name }
    record = try own.first { synced.derived.isSubset(of: $0.columns) }.map { try RowRecord($0) }
    guard synced.derived.isEmpty || record != nil else { throw misuse("the schema has no record that computes its derived columns") }
    let zeros: [String: SQLValue] = ["TEXT": .text(""), "INTEGER": .integer(0), "REAL": .real(0), "BLOB": .blob(Data())]
    needed = Set(given.filter { $0.isNotNull || $0.name == rowID }.map(\.name))
    defaults = given.reduce(into: [:]) { $0[$1.name] = $1.fallback }
    blanks = given.filter(\.isNotNull).reduce(into: [:]) { blanks, column in
      if let fallback = column.fallback {
        // A default that is no constant of its own is known only when a row is inserted.
        blanks[column.name] = try? reader.value("SELECT \(raw: fallback)") { try $0.value() }
      } else if synced.derived.contains(column.name) {
        // For the record, which reads the column and computes another value.
        blanks[column.name] = zeros[column.type]
      }
    }
    inOrder = zip(names, columns).enumerated().map { [needed] in ($1.0, $0, needed.contains($1.1)) }.sorted { $0.name < $1.name }
    keyPlaces = synced.key.compactMap(written.firstIndex)
    herePlaces = written.enumerated().compactMap { place, column in synced.here[column].map { (place, column, $0) } }
    read = (record?.columns ?? []).map { [blanks] in ($0, written.firstIndex(of: $0), blanks[$0] ?? .null) }
  }

  /// The group of a cell; nil for one of several columns that only an earlier version had.
  func group(_ number: Int64) -> Group? { byNumber[number] }

  /// Whether this version knows the column, whether it travels or not.
  func has(_ column: String) -> Bool { known.contains(ExactText(column)) || here[column] != nil || derived.contains(column) }

  // MARK: Values

  /// The current texts of the columns that this version knows, without those that are NULL. Other versions may have other groups; of those
  /// that have a column, the latest counts.
  func texts(of row: SyncRow) -> RowValues { row.current.filter { known.contains($0.key) && $0.value != SyncRow.null } }

  /// The values of a row that arrived, one for each of `written`, with those that stay here and those that the record computes. Nil where the
  /// row does not give the column, and it cannot be NULL.
  ///
  /// - Throws: `Unfit` for a row that the table cannot hold, whatever else it holds.
  func values(of row: SyncRow, here kept: [String: SQLValue]) throws -> [SQLValue?] {
    var values = [SQLValue?](repeating: nil, count: written.count)
    for own in herePlaces { values[own.place] = kept[own.column] ?? own.value }
    let current = row.current
    var next = 0
    for column in inOrder {
      // Both are in order.
      while next < current.count, current[next].key < column.name { next += 1 }
      guard next < current.count, current[next].key == column.name, current[next].value != SyncRow.null else {
        if !column.isNeeded { values[column.place] = .null }
        continue
      }
      guard let value = SyncValue.value(of: current[next].value) else { throw Unfit(reason: "\(column.name.text) has no value of SQLite") }
      values[column.place] = value
    }
    guard let text = key.text(of: keyPlaces.map { values[$0] ?? .null }), ExactText(text) == row.name.key else {
      throw Unfit(reason: "its key is not that of its values")
    }
    guard let record else { return values }
    do {
      let given = read.map { column in column.place.flatMap { values[$0] } ?? column.blank }
      guard !derived.isEmpty else {
        try record.check(given)
        return values
      }
      let rebound = try record.rebound(given)
      for (column, value) in zip(read, rebound) where derived.contains(column.column) {
        if let place = column.place { values[place] = value }
      }
    } catch {
      throw Unfit(reason: StoreError(error).message)
    }
    return values
  }

  /// The values that a row gives, by column, and those that a column has by itself.
  func named(_ values: [SQLValue?]) -> [String: SQLValue] {
    zip(written, values).reduce(into: blanks) { named, column in
      if let value = column.1 { named[column.0] = value }
    }
  }

  /// Inserts a row with these values, or updates the one with its key, whose columns that stay here keep their values. A column that the row
  /// does not give gets its default.
  func write(_ values: [SQLValue?], in tx: Writer) throws {
    if writing.map({ zip($0.isGiven, values).allSatisfy { $0 == ($1 != nil) } }) != true {
      let given = zip(written, values).filter { $0.1 != nil }.map(\.0)
      let keys = Set(key.columns.map(\.name))
      let changed = (columns + derived.sorted()).filter { !keys.contains($0) }.map { "\(quoted($0)) = excluded.\(quoted($0))" }
      let sql = """
        INSERT \(conflictRule) INTO \(quoted(name)) (\(given.map(quoted).joined(separator: ", ")))
        VALUES (\(given.map { _ in "?" }.joined(separator: ", ")))
        ON CONFLICT (\(key.list())) DO \(changed.isEmpty ? "NOTHING" : "UPDATE SET " + changed.joined(separator: ", "))
        """
      writing = (values.map { $0 != nil }, BoundSQL(raw: sql))
    }
    guard let writing else { return }
    try tx.execute(writing.sql) { bound in for case let value? in values { try bound.value(value) } }
  }

  /// What of a row the table and its cells do not hold: columns and groups that only other versions know, and the values that those
  /// hide. It travels again with the row. Nil where there is nothing.
  func unknown(of row: SyncRow) -> SyncRow? {
    let isKnown = row.values.allSatisfy { known.contains($0.key) }
    if row.exceptions.isEmpty, isKnown { return nil }
    let current = row.current
    let exceptions = row.exceptions.filter { name, exception in
      !groups.contains { $0.name == name } || zip(SyncRow.columns(of: name), exception.values).contains { current[$0] != $1 }
    }
    guard row.isAlive, !exceptions.isEmpty || !isKnown else { return nil }
    return SyncRow(
      row.name, generation: row.generation, birth: row.birth, values: row.values.filter { !known.contains($0.key) }, exceptions: exceptions)
  }
}

/// The synced tables of a store.
struct DeviceTables {
  /// By name.
  let all: [DeviceTable]
  private let byName: [ExactText: DeviceTable]
  /// The tables that do not sync, by name, and the foreign keys from them.
  let others: [String: SQLTable]
  private(set) var otherLinks: [DeviceTable.Link] = []
  /// Of a sealed space. Rows are plain here; only what is sent is sealed.
  var seal: SpaceSeal?

  /// - Throws: `.misuse` for a declaration that the store's tables do not fit.
  init(_ schemas: [StoreSchema], in reader: Reader) throws {
    let (files, shape) = (try reader.tables(), try reader.schemaShape())
    var all: [DeviceTable] = []
    for schema in schemas {
      for synced in schema.declarations.compactMap(\.synced) {
        guard let file = files.first(where: { $0.name == synced.name }) else {
          throw StoreError(.misuse, "the table \(synced.name) cannot be synced: there is none")
        }
        all.append(try DeviceTable(synced, file, shape, schema.records, in: reader))
      }
    }
    guard Set(all.map(\.number)).count == all.count else {
      throw StoreError(.misuse, "two synced tables have one number; one of them needs another name")
    }
    self.all = all.sorted { ExactText($0.name) < ExactText($1.name) }
    byName = Dictionary(all.map { (ExactText($0.name), $0) }) { first, _ in first }
    others = files.reduce(into: [:]) { $0[$1.name] = $1 }.filter { [byName] in byName[ExactText($0.key)] == nil }
    for file in files { for reference in file.references { link(reference, of: file.name, files) } }
    for table in all {
      try checkOthers(of: table)
      try checkUpdates(of: table)
    }
  }

  /// Nil for a table that this version does not know.
  subscript(_ name: ExactText) -> DeviceTable? { byName[name] }

  func named(_ name: String) -> DeviceTable? { byName[ExactText(name)] }

  func numbered(_ number: Int64) -> DeviceTable? { all.first { $0.number == number } }

  /// The rows whose `tbl` and `key` a query gives, without those of tables that this version does not know.
  func names(_ query: BoundSQL, in reader: Reader) throws -> [SyncRow.Name] {
    try reader.values(query) { row in
      let (number, key) = (try row.int64(), try row.text())
      return numbered(number).map { SyncRow.Name($0.name, key) }
    }.compactMap(\.self)
  }

  private mutating func link(_ reference: SQLTable.Reference, of child: String, _ files: [SQLTable]) {
    let parent = files.first { $0.name.lowercased() == reference.parent.lowercased() }
    // As the parent spells them.
    let spelled = reference.to.map { to in parent?.columns.first { $0.name.lowercased() == to.lowercased() }?.name ?? to }
    let to = spelled.isEmpty ? parent?.primaryKey ?? [] : spelled
    let link = DeviceTable.Link(
      child: child, parent: parent?.name ?? reference.parent, from: reference.from, to: to, action: reference.action,
      onUpdate: reference.onUpdate)
    guard let table = named(child) else { return otherLinks.append(link) }
    table.parents.append(link)
    named(link.parent)?.children.append(link)
  }

  /// Refuses a table that does not sync, and whose rows would make it impossible to delete what others have deleted; or cannot be kept while a row
  /// is parked; or would take synced rows along.
  private func checkOthers(of table: DeviceTable) throws {
    var (parents, seen) = ([table.name], Set([table.name]))
    while let parent = parents.popLast() {
      for link in otherLinks where link.parent == parent {
        let child = others[link.child]
        guard yields(link, to: link.action) else {
          throw StoreError(
            .misuse, "the table \(table.name) cannot be synced: \(link.child), which is not, holds its rows back",
            suggestion: "Declare ON DELETE CASCADE, or SET NULL for columns that can be NULL, or sync \(link.child), too.")
        }
        guard let child, ([child.name] + child.given).allSatisfy(SyncRow.isName) else {
          throw StoreError(
            .misuse,
            "the table \(table.name) cannot be synced: \(link.child), which refers to it, has a name with a comma, a quote or a "
              + "letter beyond ASCII")
        }
        guard link.action == "CASCADE", seen.insert(link.child).inserted else { continue }
        if let other = all.first(where: { $0.parents.contains { $0.parent == link.child } }) {
          throw StoreError(
            .misuse,
            "the table \(other.name) cannot be synced: it refers to \(link.child), which is not, and whose rows go with those of \(table.name)"
          )
        }
        parents.append(link.child)
      }
    }
  }

  /// Whether the rows of a table that does not sync let their parent be deleted or changed, with this action.
  private func yields(_ link: DeviceTable.Link, to action: String) -> Bool {
    let needed = others[link.child]?.columns.filter(\.isNotNull).map(\.name) ?? []
    return action == "CASCADE" || action == "SET NULL" && !link.from.contains(where: needed.contains)
  }

  /// Refuses foreign keys to columns of a table that another device may change: those that would hold the change back, of a table that does not
  /// sync, also over another such table; and those with which SQLite would change rows that sync, without an edit that travels.
  private func checkUpdates(of table: DeviceTable) throws {
    let columns = Set(table.columns).union(table.derived).subtracting(table.key.columns.map(\.name))
    let isKept = ["NO ACTION", "RESTRICT"]
    if let link = table.children.first(where: { !columns.isDisjoint(with: $0.to) && !isKept.contains($0.onUpdate) }) {
      throw StoreError(
        .misuse,
        "the table \(link.child) cannot be synced: ON UPDATE \(link.onUpdate) would change it, and other devices would not learn of it",
        suggestion: "Refer to the key of \(table.name), or leave ON UPDATE out.")
    }
    var changing = [(table: table.name, columns: columns)]
    var seen: Set<[String]> = []
    while let parent = changing.popLast() {
      for link in otherLinks where link.parent == parent.table && !parent.columns.isDisjoint(with: link.to) {
        guard yields(link, to: link.onUpdate) else {
          throw StoreError(
            .misuse,
            "the table \(table.name) cannot be synced: \(link.child), which is not, refers to a column of \(link.parent) that other devices "
              + "change, and holds the change back",
            suggestion: "Declare ON UPDATE CASCADE, or SET NULL for columns that can be NULL, or refer to the key of \(table.name).")
        }
        if seen.insert([link.child] + link.from).inserted { changing.append((link.child, Set(link.from))) }
      }
    }
  }
}
