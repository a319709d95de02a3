public import Holdfast
package import HoldfastSync

// Invariants:
// - A space's head is the number of the last push that changed one of its rows. Rows that one push changed have its number.
// - Head, digest, number and size of the rows change in the transaction that changes the rows.
// - A row is never removed, and what a row becomes is the merge of all that was ever pushed for it. So the floor of an answer is 0. What a
//   server owes to devices before it removes tombstones, the section "The floor" of SyncProtocol.md says.

/// The merging half of a sync server: the rows of its spaces in one store. It has no HTTP, no clock and no accounts.
///
/// A value around a store: copy it freely, use it from any thread. It keeps nothing of a device between two requests. The program around it
/// hands it the bodies of HTTP requests; see `answer(_:_:in:token:now:)`.
public struct SyncServer: SyncSpaces {
  /// The store, opened with `SyncServer.schema`. Open it with `.durable`: a device forgets what a push has acknowledged.
  public let store: Store
  /// The limits of each space that has none of its own.
  public var limits: SyncLimits
  let pushes = PushQueue()
  /// The most rows of a page, and the most bytes of their lines; see `SyncPage.most`.
  package var (pageRows, pageBytes) = SyncPage.most
  /// The most bytes of the lines in the answer to a push of several rows.
  package var answerBytes = SyncPush.answerBytes

  /// A server in a store that was opened with `schema`.
  public init(_ store: Store, limits: SyncLimits = SyncLimits()) {
    (self.store, self.limits) = (store, limits)
  }

  // MARK: Spaces

  /// Makes an empty space.
  ///
  /// - Parameter epoch: a name that no other server and no earlier state of this one has used for its spaces.
  /// - Throws: `.constraint` when there is a space of this name.
  package func makeSpace(_ name: String, epoch: String) throws {
    try store.write { tx in
      try tx.insert(StoredSpace(name, epoch: epoch))
    }
  }

  /// Begins a new epoch of a space, after the server's store was restored or rewound: devices of the epochs before then send again what the
  /// server has lost.
  ///
  /// - Throws: `.notFound`; `.constraint` for an epoch that the space has had.
  package func beginEpoch(_ epoch: String, in name: String) throws {
    try changeSpace(name) { space, _ in
      guard !space.lineage.contains(where: { $0.name == epoch }) else {
        throw StoreError(.constraint, "the space \(name) has had the epoch \(epoch)")
      }
      space.beginEpoch(epoch)
    }
  }

  /// Gives a space limits of its own; nil gives those of the server. Rows that are there stay.
  ///
  /// Where this changes the limits, a new epoch begins in the space: devices then send again at once what it has refused.
  /// - Throws: `.notFound`; the errors of a write.
  public func setLimits(_ limits: SyncLimits?, of name: String) throws {
    try changeSpace(name) { space, tx in
      guard space.limits != limits else { return }
      space.limits = limits
      space.beginEpoch(in: tx)
    }
  }

  /// Refuses devices with a schema below `version` from now on. 0 refuses none.
  ///
  /// - Throws: `.notFound`.
  public func requireSchema(_ version: Int, in name: String) throws {
    try changeSpace(name) { space, _ in space.minSchema = version }
  }

  /// The sum over the rows of a space that `SyncRow.digest(ofLine:)` describes.
  ///
  /// - Throws: `.notFound`.
  package func digest(of name: String) throws -> UInt64 {
    try store.read { reader in UInt64(bitPattern: try StoredSpace.find(name, reader).digest) }
  }

  private func changeSpace(_ name: String, as verb: StaticString = #function, _ change: (inout StoredSpace, Writer) throws -> Void) throws {
    try store.write(as: verb) { tx in
      var space = try StoredSpace.find(name, tx)
      try change(&space, tx)
      try tx.upsert(space)
    }
  }

  // MARK: Requests

  /// Answers one request.
  ///
  /// A space that is not there is the answer `.failed` with the code `.notFound`, under an empty epoch.
  /// - Parameter now: the server's time in milliseconds since 1970.
  /// - Throws: the errors of the store, such as `.diskFull`. Then nothing was applied, and the device may send the same request again.
  package func answer(_ request: SyncRequest, in name: String, now: Int64) throws -> SyncResponse {
    switch request.verb {
    case .pull: try store.read(as: "pull") { reader in try pull(request, in: name, now: now, reader) }
    case .push(let rows): try store.write(as: "push") { tx in try push(rows, of: request, in: name, now: now, tx) }
    }
  }
}
