import Holdfast
import HoldfastSync
import HoldfastSyncServer

/// A server with the space `anna`, whose epoch is `e1`.
struct ServerWorld {
  /// The server's time in milliseconds since 1970.
  static let now: Int64 = 1_800_000_000_000
  var server: SyncServer

  /// - Parameter change: of the limits.
  init(_ change: (inout SyncLimits) -> Void = { _ in }) throws {
    var limits = SyncLimits()
    change(&limits)
    server = SyncServer(try Store.inMemory(schemas: [SyncServer.schema]), limits: limits)
    try server.makeSpace("anna", epoch: "e1")
  }

  func push(_ rows: SyncRow..., epoch: String? = "e1", cursor: Int64 = 0, schema: Int = 1) throws -> String {
    try answer(SyncRequest(.push(rows), epoch: epoch, cursor: cursor, schema: schema))
  }

  func pull(epoch: String? = "e1", cursor: Int64 = 0, schema: Int = 1) throws -> String {
    try answer(SyncRequest(.pull, epoch: epoch, cursor: cursor, schema: schema))
  }

  private func answer(_ request: SyncRequest) throws -> String { try server.answer(request, in: "anna", now: Self.now).picture }

  /// All rows of the space, as a new device gets them.
  func rows() throws -> [SyncRow] {
    var server = server
    server.pageRows = .max
    server.pageBytes = .max
    let response = try server.answer(SyncRequest(.pull, epoch: nil, cursor: 0, schema: .max), in: "anna", now: Self.now)
    guard case .page(let rows, _, _) = response.outcome else { return [] }
    return rows.map(\.row)
  }
}

extension SyncResponse {
  /// Such as `page: 1 books/a, 2 books/b; cursor 2, more`, with the sequence number before each row.
  var picture: String {
    switch outcome {
    case .page(let rows, let cursor, let more): "page: \(Self.picture(rows)); cursor \(cursor)" + (more ? ", more" : "")
    case .pushed(let rows, let refused, let cursor):
      "pushed: \(Self.picture(rows))" + refused.map { "; \($0.name.key.text) \($0.code)" }.joined()
        + (cursor.map { "; cursor \($0)" } ?? "")
    case .branched(let fork): "branched" + (fork.map { " at \($0)" } ?? "")
    case .future: "future"
    case .oldSchema: "old schema"
    case .failed(let error): "failed: \(error.code.rawValue)"
    }
  }

  private static func picture(_ rows: [Stored]) -> String {
    rows.map { "\($0.sequence) \($0.row.name.table.text)/\($0.row.name.key.text)" }.joined(separator: ", ")
  }
}
