internal import Holdfast
internal import HoldfastSync
internal import HoldfastSyncServer

extension Simulated {
  /// A server's store with one space.
  final class Server {
    /// What a copy of the server's file brings back.
    struct Copy {
      fileprivate let picture: StorePicture
      fileprivate let held: Set<Int>
      fileprivate let lineage: [String]
    }

    static let space = "s"
    /// The process ended within a push.
    struct Ended: Error {}

    private let store: Store
    private let fault = StatementFault()
    private var server: SyncServer
    /// The limits of the space. Not a part of a copy: whoever changes them begins a new epoch.
    var limits: SyncLimits {
      get { server.limits }
      set { server.limits = newValue }
    }
    /// The statement of the next push at which the process ends, if the push has so many. Nil: none.
    var endsAt: Int?
    private var epochs = 1
    /// Nil for a plain space. The server itself does not have it.
    let seal: SpaceSeal?
    private var lineage = ["e1"]
    /// The numbers of the rows in `World.acknowledged` that this state of the server has.
    var held: Set<Int> = []
    /// Nil: there are none.
    var replicas: Replicas?

    init(key: StoreKey? = nil) throws {
      seal = key.map { SpaceSeal($0, space: Self.space) }
      var options = StoreOptions.testing
      options.trace = { [fault] _ in fault.statement() }
      store = try Store.inMemory(schemas: [SyncServer.schema], options: options)
      server = SyncServer(store)
      try server.makeSpace(Self.space, epoch: "e1")
    }

    /// - Parameter pageRows: the most rows of a page, unless one push has more.
    /// - Throws: `Ended` where the process has ended, and has begun again.
    func answer(_ request: SyncRequest, at now: Int64, pageRows: Int = 1_000) throws -> SyncResponse {
      server.pageRows = pageRows
      guard let statement = endsAt, case .push = request.verb else { return try server.answer(request, in: Self.space, now: now) }
      endsAt = nil
      try fault.arm(store, at: statement)
      defer { fault.disarm() }
      do {
        return try server.answer(request, in: Self.space, now: now)
      } catch  where fault.wasReached {
        server = SyncServer(store, limits: limits)
        throw Ended()
      }
    }

    /// Refuses devices with an older schema. 0 refuses none.
    func requireSchema(_ version: Int) throws { try server.requireSchema(version, in: Self.space) }

    /// How many epochs of the server are later than this one.
    func epochs(after epoch: String) -> Int { lineage.firstIndex(of: epoch).map { lineage.count - 1 - $0 } ?? 0 }

    func copy() throws -> Copy { Copy(picture: try StorePicture(of: store), held: held, lineage: lineage) }

    /// The store as it was, in the epoch in which it was: as if nothing had come between.
    func rewind(to copy: Copy) throws {
      try copy.picture.restore(into: store)
      server = SyncServer(store, limits: limits)
      (held, lineage) = (copy.held, copy.lineage)
    }

    /// The store as it was, and a new epoch.
    func begin(from copy: Copy) throws {
      try rewind(to: copy)
      try beginEpoch()
    }

    func beginEpoch() throws {
      epochs += 1
      lineage.append("e\(epochs)")
      try server.beginEpoch("e\(epochs)", in: Self.space)
    }

    /// A backup is restored.
    func restore(_ copy: Copy) throws {
      try begin(from: copy)
      guard replicas != nil else { return }
      let restored = try self.copy()
      replicas?.beginAnew(restored)
    }

    /// All rows of the space, as a new device would get them, opened.
    func rows(at now: Int64) throws -> [SyncRow.Name: SyncRow] {
      var request = SyncRequest(.pull, epoch: nil, cursor: 0, schema: 1_000)
      var rows: [SyncRow.Name: SyncRow] = [:]
      while true {
        let response = try answer(request, at: now)
        switch response.outcome {
        case .branched where request.epoch != response.epoch: request.epoch = response.epoch
        case .page(let page, let cursor, let more):
          for stored in page {
            let row = try seal?.opened(stored.row) ?? stored.row
            rows[row.name] = row
          }
          guard more else { return rows }
          (request.epoch, request.cursor) = (response.epoch, cursor)
        default: throw Violation("a pull from the beginning got \(response)")
        }
      }
    }

    func digest() throws -> UInt64 { try server.digest(of: Self.space) }

    /// Throws where the device's digest is not the server's.
    func checkDigest(of device: Device) throws {
      let (own, others) = try (device.store.read { reader in try device.sync.digest(in: reader) }, digest())
      guard own == others else { throw Violation("digest \(own) of device \(device.number), \(others) of the server") }
    }
  }
}
