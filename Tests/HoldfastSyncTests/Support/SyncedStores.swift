import Holdfast
import HoldfastSync
import HoldfastSyncServer
import HoldfastTesting

/// Stores in files, each with its own schema, and a server, in a time that only writing moves.
final class SyncedStores {
  let folder: TemporaryFolder
  let server: SyncServer
  private(set) var devices: [(store: Store, sync: SyncDevice)] = []
  private var now: Int64 = 1_800_000_000_000

  init(_ schemas: [StoreSchema]) throws {
    folder = try TemporaryFolder()
    server = SyncServer(try Store.inMemory(schemas: [SyncServer.schema]))
    try server.makeSpace("s", epoch: "e")
    for schema in schemas { try join(schema) }
  }

  private func open(_ number: Int, _ schema: StoreSchema) throws -> (store: Store, sync: SyncDevice) {
    let store = try Store.open(at: folder.file("\(number).sqlite"), schemas: [schema], options: .testing)
    try SyncDevice.connect(store, space: "s", node: Int64(number + 1))
    return (store, try SyncDevice(store, node: Int64(number + 1), clock: { [unowned self] in self.now }))
  }

  /// Connects a new device.
  func join(_ schema: StoreSchema) throws { devices.append(try open(devices.count, schema)) }

  /// Opens a device's store again.
  func reopen(_ number: Int, _ schema: StoreSchema) throws {
    try devices[number].store.close()
    devices[number] = try open(number, schema)
  }

  func write(_ number: Int, after seconds: Int64 = 1, _ sql: BoundSQL) throws {
    now += seconds * 1_000
    try devices[number].store.write { tx in
      try tx.execute("UPDATE holdfast_sync SET clock = \(now)")
      try tx.execute(sql)
    }
  }

  /// A round of one device. Returns how many rows it has sent.
  @discardableResult
  func exchange(_ number: Int) throws -> Int { try server.exchange(devices[number].sync, at: now) }

  /// Returns how many rows the devices have sent.
  @discardableResult
  func settle() throws -> Int { try server.settle(devices.map(\.sync), at: now) }

  /// What all devices show; nil where they differ.
  func shown(_ sql: BoundSQL, columns: Int = 1) throws -> [String]? {
    let rows = try devices.map { try $0.store.rows(sql, columns: columns) }
    return Set(rows).count == 1 ? rows.first : nil
  }
}

extension SyncServer {
  /// A round of a device with the space `s`. Returns how many rows it has sent.
  func exchange(_ device: SyncDevice, at now: Int64) throws -> Int {
    var sent = 0
    device.beginRound()
    while let request = try device.next() {
      if case .push(let rows) = request.verb { sent += rows.count }
      try device.receive(answer(request, in: "s", now: now), to: request)
    }
    return sent
  }

  /// Three rounds of each device, one after the other. Returns how many rows they have sent.
  @discardableResult
  func settle(_ devices: [SyncDevice], at now: Int64) throws -> Int {
    var sent = 0
    for _ in 0..<3 { for device in devices { sent += try exchange(device, at: now) } }
    return sent
  }
}
