import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastSync

/// A device whose server says what a test wants. Its clock stands still.
final class LoneDevice {
  final class Clock {
    var now: Int64 = 1_800_000_000_000
  }

  let store: Store
  let clock: Clock
  let sync: SyncDevice

  convenience init(_ schema: StoreSchema = SyncedNotes.schema) throws { try self.init(Store.inMemory(schemas: [schema])) }

  /// A store of these tables, of which some sync.
  convenience init(_ sql: String, syncing tables: String...) throws {
    try self.init(StoreSchema("lone", migrations: [Migration("lone/001", sql: sql)], declarations: tables.map { .synced($0) }))
  }

  /// A store that may be connected already.
  init(_ store: Store) throws {
    let clock = Clock()
    (self.store, self.clock) = (store, clock)
    try SyncDevice.connect(store, space: "anna", node: 1)
    sync = try SyncDevice(store, node: 1) { clock.now }
  }

  /// Writes at the device's time.
  func write(_ sql: BoundSQL) throws {
    try store.edit("UPDATE holdfast_sync SET clock = \(clock.now)")
    try store.edit(sql)
  }

  /// Answers a request with this.
  func answer(_ outcome: SyncResponse.Outcome, to request: SyncRequest, epoch: String = "e1", floor: Int64 = 0) throws {
    try sync.receive(SyncResponse(outcome, now: clock.now, epoch: epoch, floor: floor), to: request)
  }

  /// Begins a round, and gives the device these rows, all there are, each of a push of its own. Returns the rows that it then sends.
  @discardableResult
  func pull(_ rows: SyncRow...) throws -> [SyncRow] {
    sync.beginRound()
    guard let request = try sync.next() else { return [] }
    let stored = zip(rows, (request.cursor + 1)...).map { SyncResponse.Stored($0, at: $1) }
    try answer(.page(stored, cursor: request.cursor + Int64(rows.count), more: false), to: request)
    guard case .push(let sent)? = try sync.next()?.verb else { return [] }
    return sent
  }

  /// Answers the push that the device asks for now.
  func answerPush(_ outcome: SyncResponse.Outcome) throws {
    guard let request = try sync.next(), case .push = request.verb else {
      throw StoreError(.verificationFailed, "the device sends nothing")
    }
    try answer(outcome, to: request)
  }

  func next() throws -> SyncRequest { try #require(try sync.next()) }

  /// The keys of the rows that the device sends now.
  func sent() throws -> [String] {
    guard case .push(let rows)? = try sync.next()?.verb else { return [] }
    return rows.map(\.name.key.text)
  }

  /// The entries of the list of what was lost.
  func lost() throws -> [LostRow] { try store.read { try LostRow.all(in: $0) } }

  /// Such as `body: "mine", title: "old"`.
  func lostValues() throws -> [String] {
    try lost().map { entry in
      entry.row.current.sorted { $0.key < $1.key }.map { "\($0.key.text): \($0.value.text)" }.joined(separator: ", ")
    }
  }

  /// A row as the device has it.
  func row(_ table: String, _ key: String) throws -> SyncRow? {
    try store.read { reader in try sync.row(SyncRow.Name(table, key), in: reader) }
  }
}

extension SyncResponse.Outcome {
  /// A page of these rows, each with the number of its push.
  static func pageWith(_ rows: (SyncRow, Int64)..., cursor: Int64, more: Bool = false) -> SyncResponse.Outcome {
    .page(rows.map { SyncResponse.Stored($0.0, at: $0.1) }, cursor: cursor, more: more)
  }
}
