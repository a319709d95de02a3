internal import Foundation
public import Holdfast
package import HoldfastHTTP

/// Syncs a store with the person's other devices, through a space on a server that the person owns.
///
/// ```swift
/// let sync = try StoreSync(library.store, server: .init(url, space: "anna") { try keychain.token() })
/// try await sync.connect(.merge)  // once
/// try sync.start()
/// for await status in sync.updates() { … }
/// ```
/// The schema says with `SchemaDeclaration.synced` which tables sync. Edits are noted in the transaction that makes them, also while nothing
/// runs. A started sync runs a round at once, after each commit that leaves something to send, when the server tells news, and every 30 seconds;
/// never two at a time. After a failure it waits, at first about 5 seconds and then longer, up to an hour, or as long as the server asks. A
/// failure loses nothing: `status().problem` says why, and the next round asks again.
///
/// It ends when this object is released. Only one holder in one process syncs a store at a time. In memory nothing keeps a second one away.
public final class StoreSync: Sendable {
  private let engine: SyncEngine
  private let running = Running()

  private var store: Store { engine.store }
  private var space: String { engine.server.space }

  /// Nothing runs yet.
  ///
  /// - Throws: `.misuse` for an address that others could read requests to, or that has a query or a fragment, and for a space without a name.
  public convenience init(_ store: Store, server: Server) throws {
    try self.init(store, server: server, pauses: HTTPPauses(), clock: ContinuousClock())
  }

  /// - Parameters:
  ///   - pauses: after failures.
  ///   - clock: measures the waits between rounds; the time of day comes from the store's own clock.
  package init(_ store: Store, server: Server, pauses: HTTPPauses, clock: any Clock<Duration>) throws {
    try server.transport.check()
    guard !server.space.isEmpty else { throw StoreError(.misuse, "the space has no name") }
    engine = SyncEngine(store, server: server, pauses: pauses, clock: clock)
  }

  deinit {
    running.cancel()
    engine.listeners.end()
  }

  /// The space that a store is connected to; nil for one that is not.
  public static func space(of store: Store) throws -> String? {
    try store.read(as: "sync.space") { reader in try SpaceState.space(in: reader) }
  }

  // MARK: Connecting

  /// Connects the store to the space: from now on its changes are noted. Asks nothing of the server. A second time it changes nothing.
  ///
  /// - Throws: `.wrongKind` for a store that is connected to another space; `.readOnly`; `.misuse` for a store that declares no synced table,
  ///   and for a declaration that does not fit its table.
  public func connect(_ first: FirstConnection) async throws {
    try await engine.inTurn { [store, space] in
      try await offTask { _ in
        try store.checkWritable()
        guard store.schemas.contains(where: { $0.declarations.contains { $0.synced != nil } }) else {
          throw StoreError(
            .misuse, "no table of this store syncs", suggestion: "Declare the tables that should with SchemaDeclaration.synced.")
        }
        try SyncDevice.connect(store, space: space, node: .random(in: 0...Stamp.largestNode), first: first)
      }
    }
  }

  /// Ends sync, and removes all that was noted for it, with the list `lost()`, the rows that are parked and what is kept beside them, and the
  /// count of what to forget. The tables keep their rows, and so does the server.
  ///
  /// - Parameter force: also while changes wait, which then never leave this device. Default false.
  /// - Throws: `.busy` while changes wait, also refused ones, or another process syncs the store; `.misuse` for a store that is not
  ///   connected; `.wrongKind`; `.readOnly`. Then everything is as before.
  public func disconnect(force: Bool = false) async throws {
    try await withSession { [store, running] session in
      try session.begin()
      try store.write(as: "sync.disconnect") { tx in
        let status = try SyncDevice.Status(in: tx)
        guard force || status.pending + status.refused == 0 else { throw StoreError.waiting(status, suggestion: "Finish, or force it.") }
        try store.dropSync(in: tx)
      }
      running.cancel()
    }
    await engine.listeners.tell()
  }

  // MARK: Running

  /// Begins to sync, and goes on until `stop()`. Where it has begun already, a round runs at once, also during a pause.
  ///
  /// - Throws: `.busy` when another process, or another holder here, syncs the store; `.misuse` for a store that is not connected;
  ///   `.wrongKind` for one that is connected to another space; `.readOnly`.
  public func start() throws {
    try engine.session.begin()
    if !running.begin({ [engine] in Task { await engine.loop() } }) { engine.bell.ring(.now) }
  }

  /// Stops, after a step under way, and lets others sync the store, also in a cancelled task. Changes are still noted.
  public func stop() async {
    await running.cancel()?.value
    // The task of a view that disappears is cancelled. Its turn would be, too, and the store would stay locked.
    let last = Task { [engine, running] in
      _ = try? await engine.inTurn { if !running.isRunning { engine.session.end() } }
    }
    await last.value
  }

  /// Runs rounds until nothing waits to be sent and everything of the server is here. Started or not.
  ///
  /// - Throws: the reason why not. `.permissionDenied` when the server does not accept the token, or the token only reads; `.notFound` without such a space;
  ///   `.newerSchema` when the server needs a newer version of the app; `.invalidValue` when it has refused rows; `.inputOutput` for no answer
  ///   in time, and for one that is too large, cut off or foreign; `.keyNeeded` without the key of a sealed space, `.wrongKey` with another one,
  ///   `.notSealed` with a key in a space that is not sealed, `.verificationFailed` where only some rows do not open; `.busy` when rows keep
  ///   coming; `.busy`, `.misuse`, `.wrongKind` and `.readOnly` as `start()`;
  ///   `CancellationError`. What was not confirmed still waits.
  public func finish() async throws {
    var status = Status()
    // Rows that an app writes all the time, or that only a newer version of it can send, would keep it here.
    for _ in 1...Self.mostRounds {
      do {
        try await engine.inTurn { [engine, running] in
          defer { if !running.isRunning { engine.session.end() } }
          try await engine.round()
        }
      } catch let failure as SyncEngine.Failure {
        await engine.listeners.tell()
        throw failure.error
      }
      await engine.listeners.tell()
      status = try await offTask { [engine] _ in try engine.listeners.status() }
      guard status.pending == 0 else { continue }
      guard status.refused == 0 else {
        throw StoreError(
          .invalidValue, "the server has refused \(status.refused) row\(status.refused == 1 ? "" : "s")",
          suggestion: "Make the rows smaller, or their keys shorter, or give the space more room; they are kept here.")
      }
      return
    }
    throw StoreError(.busy, "\(status.pending) row\(status.pending == 1 ? "" : "s") still wait to be sent", recoveryOptions: [.retry])
  }

  private static let mostRounds = 100

  /// Begins a full resync: the next round pulls everything, and sends what the server does not have. For a server whose rows were lost or
  /// doubted.
  ///
  /// - Throws: as `start()`.
  public func resync() async throws {
    try await withSession { session in try session.with { try $0.resync() } }
    engine.bell.ring(.now)
  }

  /// Forgets the rows that other devices have purged, which `status().forgetting` counts. Asks nothing of the server.
  ///
  /// It does here what `Store.purge` did there, and takes as long: the whole past of this store goes, all snapshots and the archive, which begin
  /// anew; and so does what the quarantine, the audit, the imports and `lost()` tell of the rows. The rows themselves are gone since their
  /// deletion arrived. No other device does this by itself, because it cannot be undone. That rows were purged is the server's word, also in
  /// a sealed space: ask the person.
  ///
  /// - Returns: what was removed; nil where there was nothing to forget, and then nothing has changed.
  /// - Throws: the errors of `Store.purge`; `.misuse` for a store that is not connected; `.wrongKind`. When it throws, or the process ends,
  ///   the rows still count; call it again.
  @discardableResult
  public func forget() async throws -> PurgeReport? {
    let report = try await engine.inTurn { [store, space] in
      try await offTask { _ in
        try store.read(as: "sync.forget") { reader in try SpaceState.check(space, in: reader) }
        return try store.forgetPurged()
      }
    }
    await engine.listeners.tell()
    return report
  }

  private func withSession(_ body: @escaping @Sendable (SyncSession) throws -> Void) async throws {
    try await engine.inTurn { [engine, running] in
      defer { if !running.isRunning { engine.session.end() } }
      try await offTask { _ in try body(engine.session) }
    }
  }

  // MARK: Looking

  /// The present status. Zeros for a store that is not connected. Blocks the caller for a short read.
  public func status() throws -> Status { try engine.listeners.status() }

  /// The present status, and then the newest after each round and each change that waits to be sent. It ends with this object, and when
  /// a started sync finds the store closed.
  public func updates() -> AsyncStream<Status> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { engine.listeners.add($0) }
  }

  /// The values of this device that lost, oldest first, until they are restored or discarded. Blocks the caller.
  public func lost() throws -> [Lost] {
    try store.read(as: "sync.lost") { reader in
      try SpaceState.check(space, in: reader)
      return try LostRow.all(in: reader).map(Lost.init)
    }
  }

  /// Writes lost values into their row, or inserts the lost row, and takes them off the list. It is an edit of now, and travels. Blocks the caller.
  ///
  /// - Throws: `.notFound` where the entry is gone, or its row was deleted and only some of its values are known; `.constraint` where the table
  ///   refuses the row, or keeps it parked; `.newerSchema` for a table or a column that this version does not know; `.readOnly`. Then nothing
  ///   has changed, and the entry stays.
  public func restore(_ lost: Lost) throws {
    try store.write(as: "sync.restore") { tx in
      try SpaceState.check(space, in: tx)
      try DeviceTables(store.schemas, in: tx).restore(lost.id, in: tx)
    }
  }

  /// Takes lost values off the list. Blocks the caller.
  public func discard(_ lost: Lost) throws {
    try store.write(as: "sync.discard") { tx in
      try SpaceState.check(space, in: tx)
      try tx.execute("DELETE FROM holdfast_sync_lost WHERE id = \(lost.id)")
    }
  }
}

extension StoreError {
  fileprivate static func waiting(_ status: SyncDevice.Status, suggestion: String) -> StoreError {
    StoreError(
      .busy, "\(status.pending) row\(status.pending == 1 ? "" : "s") wait to be sent, and the server has refused \(status.refused)",
      suggestion: suggestion)
  }
}

/// The loop of a started `StoreSync`.
private final class Running: @unchecked Sendable {
  // Guarded by `lock`.
  private var task: Task<Void, Never>?
  private let lock = NSLock()

  var isRunning: Bool { lock.withLock { task != nil } }

  /// Returns false, and begins nothing, where it runs already.
  func begin(_ task: () -> Task<Void, Never>) -> Bool {
    lock.withLock {
      guard self.task == nil else { return false }
      self.task = task()
      return true
    }
  }

  /// Returns the loop that was cancelled, and that may still end a step.
  @discardableResult
  func cancel() -> Task<Void, Never>? {
    lock.withLock {
      defer { task = nil }
      task?.cancel()
      return task
    }
  }
}
