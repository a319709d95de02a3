public import Holdfast
internal import HoldfastSync

/// One epoch of a space. In JSON `["e1",0]`.
public struct SyncEpoch: Sendable, Hashable, Codable {
  /// Its name, which no other epoch of the space has.
  public var name: String
  /// The space's head when the epoch began.
  public var head: Int64

  init(name: String, head: Int64) { (self.name, self.head) = (name, head) }

  /// Reads the list of both.
  public init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    (name, head) = (try parts.decode(String.self), try parts.decode(Int64.self))
  }

  /// Writes the list of both.
  public func encode(to encoder: any Encoder) throws {
    var parts = encoder.unkeyedContainer()
    try parts.encode(name)
    try parts.encode(head)
  }
}

/// All that a store has of a space, apart from its rows: a row of `sync_space`.
public struct StoredSpace: StoredRecord, Codable, Hashable {
  /// `sync_space`.
  public static let table = "sync_space"
  /// The name.
  public static let key = ["space"]

  /// Its name.
  public var space: String
  /// Its epochs, the present one last. None: the space is being taken from another store, and is here only in part.
  public var lineage: [SyncEpoch]
  /// The number of the last push that changed a row.
  public var head: Int64
  /// The sum of its rows' digests, as a signed number.
  public var digest: Int64
  /// Its rows, deleted ones among them.
  public var rows: Int64
  /// The size of the rows' lines in bytes.
  public var bytes: Int64
  /// The least schema of a device that the space takes; 0 takes all.
  public var minSchema: Int
  /// Its own limits; nil for those of the server.
  public var limits: SyncLimits?

  /// An empty space.
  public init(_ name: String, epoch: String) {
    self.init(space: name, lineage: [SyncEpoch(name: epoch, head: 0)], head: 0, digest: 0, rows: 0, bytes: 0, minSchema: 0, limits: nil)
  }

  /// A space as a store has it.
  public init(
    space: String, lineage: [SyncEpoch], head: Int64, digest: Int64, rows: Int64, bytes: Int64, minSchema: Int, limits: SyncLimits?
  ) {
    (self.space, self.lineage, self.head, self.digest) = (space, lineage, head, digest)
    (self.rows, self.bytes, self.minSchema, self.limits) = (rows, bytes, minSchema, limits)
  }

  /// The present epoch.
  public var epoch: String { lineage.last?.name ?? "" }

  /// Begins a new epoch, whose name no other server and no earlier state of this one has used.
  public mutating func beginEpoch(_ name: String) { lineage.append(SyncEpoch(name: name, head: head)) }

  /// The error for a space that is not there: `.notFound`.
  public static func notFound(_ name: String) -> StoreError { StoreError(.notFound, "there is no space \(name)") }

  /// The error for a name that a space has: `.constraint`.
  public static func taken(_ name: String, cause: (any Error)? = nil) -> StoreError {
    StoreError(.constraint, "there is a space \(name) already", cause: cause)
  }

  /// Whether only a part of its rows is here: `take` has begun, and not ended.
  var isPartial: Bool { lineage.isEmpty }

  /// What stands in place of the counts and the lineage of this space until all of its rows are taken.
  var begun: StoredSpace {
    StoredSpace(space: space, lineage: [], head: head, digest: 0, rows: 0, bytes: 0, minSchema: minSchema, limits: limits)
  }

  /// The error for a space of which only a part is here: `.busy`.
  var partial: StoreError {
    StoreError(
      .busy, "only a part of the space \(space) is here: it is being moved, or its move was interrupted",
      suggestion: "Wait for the move. Where none runs, remove the space here with holdfast-server space remove, then move it again.")
  }

  /// - Throws: `.notFound`; `.busy` for a space of which only a part is here.
  static func find(_ name: String, _ reader: Reader) throws -> StoredSpace {
    let space = try findAny(name, reader)
    guard !space.isPartial else { throw space.partial }
    return space
  }

  /// - Throws: `.notFound`.
  static func findAny(_ name: String, _ reader: Reader) throws -> StoredSpace {
    guard let space = try reader.first(StoredSpace.self, "WHERE space = \(name)") else { throw notFound(name) }
    return space
  }

  /// The answer to a request that the space's state refuses; nil for one that it takes.
  func refusal(of request: SyncRequest) -> SyncResponse.Outcome? {
    // The token of an identity provider may reach it.
    if isPartial { return .failed(partial) }
    if let epoch = request.epoch {
      guard let place = lineage.firstIndex(where: { $0.name == epoch }) else { return .branched(fork: nil) }
      let later = lineage[place...].dropFirst()
      if let next = later.first { return .branched(fork: next.head) }
      // The store was rewound, and nobody began an epoch. What the device saw last is not what comes next under these numbers.
      guard request.cursor <= head else { return .branched(fork: nil) }
    } else if request.verb != .pull || request.cursor != 0 {
      return .branched(fork: nil)
    }
    return request.schema < minSchema ? .oldSchema : nil
  }
}
