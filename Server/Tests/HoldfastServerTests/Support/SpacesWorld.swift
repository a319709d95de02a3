import Foundation
import Holdfast
import HoldfastPostgres
import HoldfastSyncServer
import Testing

/// The two kinds of store.
enum StoreKind: String, CaseIterable, Sendable {
  case file, database

  /// A new store.
  func make() async throws -> any SyncSpaces {
    switch self {
    case .file: SyncServer(try Store.temporary(schemas: [SyncServer.schema], options: .testing))
    case .database: try await Cluster.ofThisProcess().makeSpaces().spaces
    }
  }
}

/// A store of one kind with the space `anna` and a token, without HTTP.
struct SpacesWorld: Sendable {
  let spaces: any SyncSpaces
  let token: String

  init(_ kind: StoreKind) async throws { try await self.init(kind.make()) }

  init(_ spaces: any SyncSpaces) async throws {
    self.spaces = spaces
    try await spaces.makeSpace("anna")
    token = try await spaces.makeToken(for: "anna", .writes, name: nil)
  }

  /// A store that has the space and the token.
  init(_ spaces: any SyncSpaces, token: String) { (self.spaces, self.token) = (spaces, token) }

  var epoch: String { get async throws { try await spaces.space("anna").epoch } }

  /// Such as `200 rows a, b; cursor 1`.
  func push(_ rows: String..., epoch: String? = nil, cursor: Int64 = 0, token: String? = nil) async throws -> String {
    try await push(rows, epoch: epoch, cursor: cursor, token: token)
  }

  func push(_ rows: [String], epoch: String? = nil, cursor: Int64 = 0, token: String? = nil) async throws -> String {
    let epoch = if let epoch { epoch } else { try await self.epoch }
    let head = #"{"cursor":\#(cursor),"epoch":"\#(epoch)","rows":\#(rows.count),"schema":1}"#
    return try await ask(.push, ([head] + rows).map { $0 + "\n" }.joined(), token)
  }

  /// A push that reads no epoch from the store before.
  func ask(_ row: String, epoch: String) async throws -> String {
    try await ask(.push, #"{"cursor":0,"epoch":"\#(epoch)","rows":1,"schema":1}"# + "\n" + row + "\n", nil)
  }

  func pull(epoch: String? = nil, cursor: Int64 = 0, token: String? = nil, schema: Int = 1) async throws -> String {
    let epoch = if let epoch { epoch } else { try await self.epoch }
    return try await ask(.pull, #"{"cursor":\#(cursor),"epoch":"\#(epoch)","schema":\#(schema)}"# + "\n", token)
  }

  /// The rows' lines in the order of pushes.
  func lines() async throws -> [Substring] {
    let answer = await spaces.answer(.pull, Data("{\"cursor\":0,\"schema\":9}\n".utf8), in: "anna", token: token, now: ServerWorld.now)
    return String(decoding: answer.body, as: UTF8.self).split(separator: "\n").dropFirst().map { $0 }
  }

  private func ask(_ verb: SyncServer.Verb, _ body: String, _ token: String?) async throws -> String {
    let answer = await spaces.answer(verb, Data(body.utf8), in: "anna", token: token ?? self.token, now: ServerWorld.now)
    let objects = try String(decoding: answer.body, as: UTF8.self).split(separator: "\n").map {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] ?? [:]
    }
    let rows = objects.dropFirst().map { "\($0["q"] ?? "")\($0["k"] ?? "")" }.joined(separator: " ")
    let members = ["cursor", "fork"].compactMap { name in objects.first?[name].map { " \(name) \($0)" } }.joined()
    let refused = (objects.first?["refused"] as? [[String]] ?? []).map { " \($0[1]) \($0[2])" }.joined()
    let more = objects.first?["more"] as? Bool == true ? " more" : ""
    return "\(answer.status)" + (rows.isEmpty ? "" : " " + rows) + refused + members + more
  }
}

/// The code of the error that `body` throws; nil when it throws none, or another.
func code(_ body: () async throws -> Void) async -> StoreError.Code? {
  do { try await body() } catch { return (error as? StoreError)?.code }
  return nil
}
