internal import Foundation
internal import Holdfast
internal import HoldfastSync
internal import HoldfastSyncServer

/// One run of `SyncConformance`: devices and a server, in a time that only the run moves. One thread uses it.
final class SyncRun {
  struct Device {
    let number: Int
    let store: Store
    let sync: SyncDevice
  }

  final class Time {
    /// 2026-02-01, later than what a filled library says.
    var now: Int64 = 1_769_904_000_000
  }

  private static let space = "conformance"
  private let schema: StoreSchema
  let server: SyncServer
  private let isSealed: Bool
  private let staying: [String: [String: SQLValue]]
  let log = LogLines()
  /// The bodies of requests and answers, while this is not nil.
  var recorded: [Data]?
  let devices: [Device]
  let tables: [SyncedRows]
  let time: Time
  var random: SeededGenerator
  /// Ids for copied rows. There are few, so that devices meet at one key.
  let ids: [UUID]

  init(_ schema: StoreSchema, _ stores: [Store], staying: [String: [String: SQLValue]], seed: UInt64) throws {
    let time = Time()
    var random = SeededGenerator(seed: seed)
    let isSealed = !seed.isMultiple(of: 2)
    var options = StoreOptions.testing
    options.logger = log.logger
    // Files, whose bytes can be read.
    let open = isSealed ? Store.temporary : Store.inMemory
    server = SyncServer(try open([SyncServer.schema], options))
    try server.makeSpace(Self.space, epoch: "first")
    tables = try SyncedRows.all(of: schema, in: stores[0])
    var bytes = SeededGenerator(seed: ~seed)
    let key = try !isSealed ? nil : StoreKey(Data((0..<32).map { _ in UInt8(truncatingIfNeeded: bytes.next()) }))
    devices = try stores.enumerated().map { number, store in
      let node = Int64(number) + 1
      try SyncDevice.connect(store, space: Self.space, node: node)
      return Device(number: number, store: store, sync: try SyncDevice(store, node: node, key: key, clock: { time.now }))
    }
    ids = (0..<8).map { _ in random.id() }
    (self.schema, self.isSealed, self.staying, self.time, self.random) = (schema, isSealed, staying, time, random)
  }

  func run() throws {
    try checkFilled()
    try settle()
    try check()
    var edits = 0
    for _ in 0..<12 {
      for device in devices {
        for _ in 0..<Int.random(in: 1...4, using: &random) where try edit(device) { edits += 1 }
      }
      for device in devices where random.chance(50) { try exchange(device) }
    }
    guard edits > 0 else { throw Self.failed("the store took no edit: `fill` writes too few rows") }
    try settle()
    try check()
    if isSealed { try checkMarks() }
  }

  // MARK: Sync

  func exchange(_ device: Device) throws {
    device.sync.beginRound()
    while let request = try device.sync.next() {
      try setTime(of: device)
      let response = try server.answer(request, in: Self.space, now: time.now)
      recorded?.append(contentsOf: [request.body, response.body])
      try device.sync.receive(response, to: request)
    }
    if let error = device.sync.status.lastError { throw Self.failed("device \(device.number): \(error)") }
    let broken = try device.store.read { reader in try reader.count("SELECT count(*) FROM pragma_foreign_key_check") }
    guard broken == 0 else { throw Self.failed("device \(device.number) has \(broken) rows that refer to none") }
  }

  /// All devices meet the server until nothing waits. A device repairs what a push has brought only at its next pull, so nothing may wait
  /// twice.
  private func settle() throws {
    var calm = 0
    for _ in 0..<30 {
      time.now += 1_000
      for device in devices { try exchange(device) }
      calm = try isSettled() ? calm + 1 : 0
      if calm == 2 { return }
    }
    let waiting = devices.map { "\($0.sync.status.pending)" }
    throw Self.failed("the devices do not come to rest; rows that wait on each: \(waiting.joined(separator: ", "))")
  }

  private func isSettled() throws -> Bool {
    let digest = try server.digest(of: Self.space)
    return try devices.allSatisfy { device in
      let status = device.sync.status
      return try status.pending + status.refused == 0 && device.store.read { try device.sync.digest(in: $0) } == digest
    }
  }

  /// Triggers take the time from here.
  func setTime(of device: Device) throws {
    try device.store.write { tx in _ = try tx.execute("UPDATE holdfast_sync SET clock = \(time.now)") }
  }

  // MARK: Checks

  private func check() throws {
    for table in tables {
      let all = try devices.map { device in try device.store.read { reader in try table.travelling(in: reader) } }
      for (device, rows) in zip(devices, all).dropFirst() where rows != all[0] {
        throw Self.failed("\(table.synced.name) of device 0 and of device \(device.number): \(Self.difference(all[0], rows))")
      }
      for device in devices {
        guard let row = try device.store.read({ reader in try table.rowNotDerived(in: reader) }) else { continue }
        throw Self.failed("\(table.synced.name) of device \(device.number) has derived columns that are not derived: \(row)")
      }
    }
    for device in devices.dropFirst() { try checkStaying(device) }
    if isSealed { try checkSealed() }
    for device in devices {
      let findings = try device.store.integrityCheck().findings.map(\.message)
      guard findings.isEmpty else { throw Self.failed("device \(device.number): \(findings)") }
      let refused = try device.store.read { reader in
        try reader.values("SELECT reason FROM holdfast_sync_parked WHERE reason LIKE '%CHECK constraint%' ORDER BY reason") {
          try $0.text()
        }
      }
      guard refused.isEmpty else { throw Self.failed("device \(device.number) cannot hold what the merge has made: \(refused)") }
    }
  }

  /// Whether the first device has something to keep to itself.
  private func checkFilled() throws {
    for (name, values) in staying {
      guard let table = tables.first(where: { $0.synced.name == name }) else { throw Self.failed("\(name) is no table that syncs") }
      for (column, value) in values where table.first.allSatisfy({ $0[column] ?? value == value }) {
        throw Self.failed("`fill` leaves \(column) of \(name) as in a row that arrives, or there is no such column")
      }
    }
  }

  /// No edit of this run writes a column that stays, so each other device has what a row that arrives gets.
  private func checkStaying(_ device: Device) throws {
    for table in tables {
      guard let values = staying[table.synced.name] else { continue }
      for row in try device.store.read({ try table.rows(in: $0) }) {
        for (column, value) in values where row[column] != value {
          let found = row[column] ?? .null
          throw Self.failed("\(column) of \(table.synced.name) has left its device: device \(device.number) has \(found), not \(value)")
        }
      }
    }
  }

  /// The first rows that only one device has.
  private static func difference(_ first: [[SQLValue]], _ second: [[SQLValue]]) -> String {
    func only(_ rows: [[SQLValue]], _ others: [[SQLValue]]) -> String {
      let others = Set(others)
      return rows.first { !others.contains($0) }.map { "\($0)" } ?? "nothing else"
    }
    return "\(only(first, second)), and \(only(second, first))"
  }

  func broken(in reader: Reader) throws -> Set<String> {
    Set(
      try schema.invariants.flatMap { invariant in
        try reader.values(invariant.findings) { row in "\(invariant.name): \(try row.value())" }
      })
  }

  static func failed(_ message: String) -> StoreError { StoreError(.verificationFailed, message) }
}
