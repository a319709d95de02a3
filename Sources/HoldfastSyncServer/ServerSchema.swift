public import Holdfast
internal import HoldfastSync

extension SyncServer {
  /// The tables of a server.
  ///
  /// - `sync_space`: `lineage` is a JSON list of `[epoch, head at its beginning]`, the present epoch last. `digest` is the sum of the rows'
  ///   digests as a signed number. `limits` is NULL for those of the server.
  /// - `sync_row`: `body` is the row's line; see `SyncRow.line`.
  /// - `sync_token`: `hash` is the SHA-256 of the token, in lowercase hexadecimal. The token itself is nowhere.
  /// - `sync_pushes`: how many pushes have changed a row, in all spaces together; see `pushCount()`.
  public static let schema = StoreSchema(
    "holdfast-server",
    migrations: [
      Migration(
        "holdfast-server/001-spaces",
        sql: """
          CREATE TABLE sync_space (
            space TEXT NOT NULL PRIMARY KEY,
            lineage TEXT NOT NULL,
            head INTEGER NOT NULL,
            digest INTEGER NOT NULL,
            rows INTEGER NOT NULL,
            bytes INTEGER NOT NULL,
            min_schema INTEGER NOT NULL DEFAULT 0,
            limits TEXT
          ) STRICT;
          CREATE TABLE sync_row (
            space TEXT NOT NULL REFERENCES sync_space (space),
            tbl TEXT NOT NULL,
            key TEXT NOT NULL,
            sequence INTEGER NOT NULL,
            body TEXT NOT NULL,
            PRIMARY KEY (space, tbl, key)
          ) STRICT, WITHOUT ROWID;
          CREATE INDEX sync_row_by_push ON sync_row (space, sequence);
          CREATE TABLE sync_token (
            hash TEXT NOT NULL PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            space TEXT NOT NULL REFERENCES sync_space (space),
            role TEXT NOT NULL CHECK (role IN ('reads', 'writes')),
            created_at INTEGER NOT NULL
          ) STRICT;
          CREATE TABLE sync_pushes (
            place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1),
            number INTEGER NOT NULL
          ) STRICT;
          INSERT INTO sync_pushes (place, number) VALUES (1, 0);
          """)
    ],
    records: [Space.self, StoredLine.self, StoredToken.self],
    invariants: [
      Invariant(
        "the head of a space is at least the number of each push", table: "sync_space",
        findings: """
          SELECT space FROM sync_space WHERE head < (SELECT ifnull(max(sequence), 0) FROM sync_row WHERE sync_row.space = sync_space.space)
          """),
      Invariant(
        "a space counts its rows and their bytes", table: "sync_space",
        findings: """
          SELECT space FROM sync_space WHERE (rows, bytes) IS NOT
            (SELECT count(*), ifnull(sum(length(CAST(body AS BLOB))), 0) FROM sync_row WHERE sync_row.space = sync_space.space)
          """),
    ])
}

/// One epoch of a space. In JSON `["e1",0]`.
struct Epoch: Hashable, Codable {
  var name: String
  /// The space's head when the epoch began.
  var head: Int64

  init(name: String, head: Int64) { (self.name, self.head) = (name, head) }

  init(from decoder: any Decoder) throws {
    var parts = try decoder.unkeyedContainer()
    (name, head) = (try parts.decode(String.self), try parts.decode(Int64.self))
  }

  func encode(to encoder: any Encoder) throws {
    var parts = encoder.unkeyedContainer()
    try parts.encode(name)
    try parts.encode(head)
  }
}

/// A row of `sync_space`.
struct Space: StoredRecord, Codable {
  static let table = "sync_space"
  static let key = ["space"]

  var space: String
  var lineage: [Epoch]
  var head: Int64
  var digest: Int64
  var rows: Int64
  var bytes: Int64
  var minSchema: Int
  var limits: SyncLimits?

  /// The present epoch.
  var epoch: String { lineage.last?.name ?? "" }

  static func notFound(_ name: String) -> StoreError { StoreError(.notFound, "there is no space \(name)") }

  /// - Throws: `.notFound`.
  static func find(_ name: String, _ reader: Reader) throws -> Space {
    guard let space = try reader.first(Space.self, "WHERE space = \(name)") else { throw notFound(name) }
    return space
  }

  /// The answer to a request that the space's state refuses; nil for one that it takes.
  func refusal(of request: SyncRequest) -> SyncResponse.Outcome? {
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

/// A row of `sync_row`.
struct StoredLine: StoredRecord {
  static let table = "sync_row"
  static let columns = ["space", "tbl", "key", "sequence", "body"]
  static let key = ["space", "tbl", "key"]

  let space: String
  let row: SyncRow
  let sequence: Int64
  let line: String

  init(_ row: SyncRow, in space: String, at sequence: Int64, line: String) {
    (self.row, self.space, self.sequence, self.line) = (row, space, sequence, line)
  }

  /// - Throws: `.decoding` for a line that is not this row.
  init(row: inout StoredRow) throws {
    space = try row.text()
    let name = SyncRow.Name(try row.text(), try row.text())
    sequence = try row.int64()
    line = try row.text()
    do {
      self.row = try SyncRow(line: line)
    } catch {
      throw Self.damaged(name, cause: error)
    }
    guard self.row.name == name else { throw Self.damaged(name) }
  }

  private static func damaged(_ name: SyncRow.Name, cause: (any Error)? = nil) -> StoreError {
    var error = StoreError(.decoding, "the line of \(name.table.text) \(name.key.text) is not this row", cause: cause)
    (error.table, error.column, error.row) = (table, "body", name.key.text)
    return error
  }

  func encode(into values: inout Values) throws {
    try values.text(space)
    try values.text(row.name.table.text)
    try values.text(row.name.key.text)
    try values.int64(sequence)
    try values.text(line)
  }

  /// The row as an answer has it.
  var stored: SyncResponse.Stored { SyncResponse.Stored(row, at: sequence) }
}
