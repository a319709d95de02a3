import Foundation
import HoldfastTesting

@testable import HoldfastFuzz

/// A remote API of every table that fails in every way, and keeps what it accepts. What ends in `SyncDriver.poison` it never takes;
/// anything else it rejects twice at most.
final class FailingAPI: @unchecked Sendable {
  // Guarded by `lock`.
  private var random: SeededGenerator
  private var arrived: [String: Int] = [:]
  private var rejections: [String: Int] = [:]
  private var brought: [String: String] = [:]
  private var held: [String: String] = [:]
  private var isConfiguration = false
  private var isWell = false
  private let lock = NSLock()

  /// How often each row was accepted, by id in lower case.
  var arrivals: [String: Int] { lock.withLock { arrived } }

  /// The data that were accepted last, by id.
  var newest: [String: String] { lock.withLock { held } }

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  /// It fails no more.
  func heal() { lock.withLock { isWell = true } }

  func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
    struct Row: Decodable {
      var id: String
      var data: String?
    }
    struct Batch: Decodable {
      var events: [Row]?
      var preferences: [Row]?
      var models: [Row]?
      var sessions: [Row]?
      var generations: [Row]?
    }
    let one = request.path.hasSuffix("/configuration") ? try? JSONDecoder().decode(Row.self, from: request.body) : nil
    guard let batch = try? JSONDecoder().decode(Batch.self, from: request.body) else { return .respond(404) }
    let lists = [batch.events, batch.preferences, batch.models, batch.sessions, batch.generations, one.map { [$0] }]
    let rows = lists.flatMap { $0 ?? [] }
    guard !rows.isEmpty else { return .respond(404) }
    let ids = rows.map(\.id)
    return lock.withLock {
      isConfiguration = one != nil
      for row in rows { brought[row.id] = row.data }
      return isWell ? taking(ids) : failing(ids)
    }
  }

  private func failing(_ ids: [String]) -> LoopbackServer.Answer {
    switch Int.random(in: 0..<41, using: &random) {
    case 0, 1: return .cut
    case 2: return .respond(500)
    case 3: return .respond(503, headers: ["Retry-After": "1"])
    case 4: return .respond(429, headers: ["Retry-After": "1"])
    case 5: return .respond(401)
    case 6: return .respond(200, body: "<html>")
    case 7: return .cutAnswer
    case 8: return .hang
    case 9, 10: return ids.count > 1 ? .respond(413) : taking(ids)
    case 11, 12: return ids.count > 1 ? .respond(400) : taking(ids)
    case 13, 14: return after(ids, .cut)
    case 15: return after(ids, .cutAnswer)
    case 16: return after(ids, .respond(500))
    case 17..<24: return takingSome(ids)
    case 24: return .respond(403)
    default: return taking(ids)
    }
  }

  /// Accepts, and says something else.
  private func after(_ ids: [String], _ answer: LoopbackServer.Answer) -> LoopbackServer.Answer {
    _ = taking(ids)
    return answer
  }

  private func taking(_ ids: [String]) -> LoopbackServer.Answer {
    take(ids.filter { !$0.hasSuffix(SyncDriver.poison) }, of: ids)
  }

  private func takingSome(_ ids: [String]) -> LoopbackServer.Answer {
    var accepted: [String] = []
    for id in ids where !id.hasSuffix(SyncDriver.poison) {
      if rejections[id, default: 0] < 2, Bool.random(using: &random) {
        rejections[id, default: 0] += 1
      } else {
        accepted.append(id)
      }
    }
    return take(accepted, of: ids)
  }

  private func take(_ accepted: [String], of ids: [String]) -> LoopbackServer.Answer {
    for id in accepted {
      arrived[id.lowercased(), default: 0] += 1
      held[id] = brought[id]
    }
    let rejected = Set(ids).subtracting(accepted).sorted()
    if isConfiguration { return .respond(200, body: #"{"success":\#(rejected.isEmpty),"syncedAt":0.0}"#) }
    func list(_ ids: [String]) -> String { "[" + ids.map { #""\#($0)""# }.joined(separator: ",") + "]" }
    // Of events it names what it takes in one way, of all else in another; and ids that are UUIDs in letters of either kind.
    let taken = list(Bool.random(using: &random) ? accepted : accepted.map { $0.lowercased() })
    return .respond(200, body: #"{"accepted":\#(taken),"syncedIds":\#(taken),"rejected":\#(list(rejected))}"#)
  }
}
