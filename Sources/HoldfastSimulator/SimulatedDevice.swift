internal import Holdfast
internal import HoldfastSync
internal import HoldfastTesting

extension Simulated {
  // Unchecked because one thread uses a simulated world.
  /// A device's clock: the world's time, wrong by `skew` milliseconds.
  final class Clock: @unchecked Sendable {
    var now: Int64 = 0
    var skew: Int64 = 0
    var milliseconds: Int64 { now + skew }
  }

  /// A device: a store, and a process that syncs it.
  final class Device {
    /// What a copy of the device's file brings back.
    struct Copy {
      fileprivate let picture: StorePicture
      fileprivate let held: Set<Int>
      fileprivate let unsent: Set<String>
      let version: Int
    }

    let number: Int
    let clock = Clock()
    let fault = StatementFault()
    private let key: StoreKey?
    private(set) var version: Int
    private(set) var store: Store
    private(set) var sync: SyncDevice
    /// The request that waits for its answer, and its number.
    var waiting: (number: Int, request: SyncRequest)?
    /// Of the process: an answer to a former one is lost.
    private(set) var life = 0
    /// Of the file: raised when an older copy takes its place.
    private(set) var fileLife = 0
    /// The numbers of the rows in `World.acknowledged` that this state of the file has.
    var held: Set<Int> = []
    /// The words that were written here, and that the server had not taken when this device received something last.
    var unsent: Set<String> = []

    /// - Parameter existing: writes before the store is connected.
    init(
      _ number: Int, version: Int, skew: Int64 = 0, node: Int64, key: StoreKey? = nil, at now: Int64,
      first: StoreSync.FirstConnection = .merge,
      existing: (Writer) throws -> Void = { _ in }
    ) throws {
      (self.number, self.version, self.key) = (number, version, key)
      (clock.now, clock.skew) = (now, skew)
      store = try Self.open(version, fault)
      try store.write { tx in try existing(tx) }
      sync = try Self.start(store, node, key, clock, connecting: first)
      unsent = try words()
    }

    static var options: StoreOptions {
      var options = StoreOptions.testing
      options.metrics = false
      return options
    }

    private static func open(_ version: Int, _ fault: StatementFault) throws -> Store {
      var options = Self.options
      options.trace = { _ in fault.statement() }
      return try Store.inMemory(schemas: [Simulated.schema(version)], options: options)
    }

    private static func start(
      _ store: Store, _ node: Int64, _ key: StoreKey?, _ clock: Clock, connecting first: StoreSync.FirstConnection? = nil
    ) throws -> SyncDevice {
      if let first {
        try SyncDevice.connect(store, space: Server.space, node: node, first: first)
        // No trigger ever takes the time from SQLite.
        try store.write { tx in _ = try tx.execute("UPDATE holdfast_sync SET clock = \(clock.milliseconds)") }
      }
      return try SyncDevice(store, node: node, key: key, clock: { clock.milliseconds })
    }

    // MARK: What happens to a device

    /// The process ends and begins again.
    func restart(node: Int64) throws {
      fault.disarm()
      waiting = nil
      life += 1
      sync = try keepingDrafts { try Self.start(store, node, key, clock) }
    }

    func copy() throws -> Copy { Copy(picture: try StorePicture(of: store), held: held, unsent: unsent, version: version) }

    /// The file is replaced by a copy, perhaps one of another device.
    ///
    /// - Parameter app: the version of the app that opens the copy. Default: the device's. An app never opens the file of a newer one.
    /// - Returns: how many rows a migration has rewritten.
    @discardableResult
    func restore(_ copy: Copy, node: Int64, app: Int? = nil) throws -> Int {
      let opened = max(copy.version, app ?? version)
      let migrated = try copy.picture.migrated(from: copy.version, to: opened)
      if opened != version {
        version = opened
        store = try Self.open(version, fault)
        sync = try Self.start(store, node, key, clock, connecting: .merge)
      }
      try migrated.picture.restore(into: store)
      (held, unsent) = (copy.held, copy.unsent)
      fileLife += 1
      try restart(node: node)
      return migrated.rows
    }

    /// The app is replaced by a newer version. Returns how many rows its migrations have rewritten.
    @discardableResult
    func upgrade(node: Int64, app: Int = Simulated.newest) throws -> Int { try restore(copy(), node: node, app: app) }

    // MARK: Writing

    /// A transaction of the app. Returns the generations that it gave to rows; nil when a constraint refused it.
    func write(words new: () -> Set<String> = { [] }, _ body: (Writer) throws -> Void) throws -> [SyncRow.Name: Int64]? {
      try setTime()
      do {
        let changed = try store.write { tx in
          let before = try generations(in: tx)
          try body(tx)
          return try generations(in: tx).filter { before[$0.key] != $0.value }
        }
        // A word that the person has overwritten or deleted is not missed.
        unsent = try unsent.union(new()).intersection(words())
        return changed
      } catch let error as StoreError where error.code == .constraint {
        return nil
      }
    }

    /// Triggers take the time from here: the server's, as far as the device knows it.
    func setTime() throws {
      try store.write { tx in _ = try tx.execute("UPDATE holdfast_sync SET clock = \(clock.milliseconds) + \"offset\"") }
    }

    // MARK: Looking

    private static let names = Dictionary(uniqueKeysWithValues: Simulated.tables.map { (SyncedTable.number(of: $0.name), $0.name) })

    /// The tables that this version has.
    var known: [Table] { Simulated.tables.filter { version > 1 || $0.name != "labels" } }

    func count(_ sql: BoundSQL) throws -> Int { try store.read { reader in try reader.count(sql) } }

    /// The columns `tbl` and `key` of a register.
    private static func name(_ row: inout StoredRow) throws -> SyncRow.Name {
      let table = try row.int64()
      return SyncRow.Name(names[table] ?? "table \(table)", try row.text())
    }

    /// Rows that wait for being sent.
    var pending: Int {
      get throws {
        try count(
          "SELECT (SELECT count(*) FROM holdfast_sync_row WHERE dirty = 1) + (SELECT count(*) FROM holdfast_sync_extra WHERE dirty = 1)")
      }
    }

    func generations(in reader: Reader) throws -> [SyncRow.Name: Int64] {
      let registers = try reader.values("SELECT tbl, key, generation FROM holdfast_sync_row") { row in
        (try Self.name(&row), try row.int64())
      }
      return Dictionary(uniqueKeysWithValues: registers)
    }

    func parked() throws -> Set<SyncRow.Name> {
      try store.read { reader in
        Set(try reader.values("SELECT tbl, key FROM holdfast_sync_parked") { row in try Self.name(&row) })
      }
    }

    /// The rows that stand in the tables, with the values of the columns that travel.
    func rows() throws -> [SyncRow.Name: RowValues] {
      try store.read { reader in
        var rows: [SyncRow.Name: RowValues] = [:]
        for table in known {
          let columns = try reader.values("SELECT name FROM pragma_table_info(\(table.name))") { row in try row.text() }
            .filter { !table.unsynced.contains($0) }
          try reader.rows("SELECT \(sql: .names(columns)) FROM \(sql: .names([table.name]))") { row in
            let values = Dictionary(uniqueKeysWithValues: try columns.map { ($0, try row.value()) })
            let key = table.key.map { Self.text(of: values[$0] ?? .null, isPart: table.key.count > 1) }.joined(separator: "/")
            rows[SyncRow.Name(table.name, key)] = RowValues(values.map { (ExactText($0.key), SyncValue.text(of: $0.value)) })
          }
        }
        return rows
      }
    }

    private static func text(of value: SQLValue, isPart: Bool) -> String {
      guard case .text(let text) = value else { return if case .integer(let number) = value { "\(number)" } else { "\(value)" } }
      return isPart ? text.replacing("%", with: "%25").replacing("/", with: "%2F") : text
    }

    /// All words in the tables, among what is parked and in the list of what was lost.
    func words() throws -> Set<String> {
      let newest: BoundSQL = version > 1 ? " UNION ALL SELECT mood FROM children UNION ALL SELECT name FROM labels" : ""
      let texts = try store.rows(
        """
        SELECT title FROM items UNION ALL SELECT notes FROM items UNION ALL SELECT opened FROM items UNION ALL SELECT note FROM children
        UNION ALL SELECT body FROM holdfast_sync_parked UNION ALL SELECT body FROM holdfast_sync_lost\(sql: newest)
        """)
      return Set(texts.flatMap { Self.words(in: $0) })
    }

    /// The words in a text: a "v" and six digits.
    static func words(in text: String) -> [String] {
      let bytes = Array(text.utf8)
      return bytes.indices.compactMap { start in
        guard bytes[start] == UInt8(ascii: "v"), start + 7 <= bytes.count else { return nil }
        let digits = bytes[(start + 1)..<(start + 7)]
        return digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
          ? String(decoding: bytes[start..<(start + 7)], as: UTF8.self) : nil
      }
    }
  }
}
