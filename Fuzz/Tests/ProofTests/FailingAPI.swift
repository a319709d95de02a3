import Foundation

@testable import HoldfastFuzz
@testable import HoldfastTesting

/// A remote API of every table that fails in every way, and keeps what it accepts. What ends in `SyncDriver.poison` it never takes;
/// anything else it rejects twice at most. What it has itself, a configuration and two models, is of a newer edition each time.
final class FailingAPI: @unchecked Sendable {
  /// How it answers.
  enum Way: String {
    case well, cut, cutAnswer, hang
    case noJSON = "no JSON"
    case bad = "400"
    case unauthorized = "401"
    case forbidden = "403"
    case tooMany = "429"
    case failed = "500"
    case away = "503"
    // Where rows are sent only.
    case tooLarge = "413"
    case partly
    case takenAndCut = "taken, cut"
    case takenAndCutAnswer = "taken, cutAnswer"
    case takenAndFailed = "taken, 500"
  }

  private static let once: [Way] = [.cut, .cutAnswer, .hang, .noJSON, .bad, .unauthorized, .forbidden, .tooMany, .failed, .away]
  // With more failures more is recorded than goes out, and the events that wait keep the other tables' rows from being sent.
  private static let toPages = once + Array(repeating: .well, count: 90)
  private static let toRows =
    once + [.cut, .bad, .tooLarge, .tooLarge, .takenAndCut, .takenAndCut, .takenAndCutAnswer, .takenAndFailed]
    + Array(repeating: .partly, count: 12) + Array(repeating: .well, count: 70)

  /// The models that it has, a page for each.
  static let catalog = ["catalog-1", "catalog-2"]

  // Guarded by `lock`.
  private var random: SeededGenerator
  private var arrived: [String: Int] = [:]
  private var rejections: [String: Int] = [:]
  private var brought: [String: String] = [:]
  private var held: [String: String] = [:]
  private var counts: [String: Int] = [:]
  private var edition = 0
  private var isConfiguration = false
  private var isWell = false
  private let hasPages: Bool
  private let lock = NSLock()

  /// How often each row was accepted, by id in lower case.
  var arrivals: [String: Int] { lock.withLock { arrived } }

  /// The data that were accepted last, by id.
  var newest: [String: String] { lock.withLock { held } }

  /// How often it answered in each way, before it was well.
  var ways: [String: Int] { lock.withLock { counts } }

  /// What each of `ways` is when it came to everything.
  static var allWays: Set<String> { Set(Set(toRows).map { "POST \($0.rawValue)" } + Set(toPages).map { "GET \($0.rawValue)" }) }

  /// How many editions it has given.
  var editions: Int { lock.withLock { edition } }

  init(seed: UInt64, hasPages: Bool = true) {
    random = SeededGenerator(seed: seed)
    self.hasPages = hasPages
  }

  /// It fails no more.
  func heal() { lock.withLock { isWell = true } }

  func answer(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
    request.method == "GET" ? page(request.path) : answerToRows(request)
  }

  private func answerToRows(_ request: LoopbackServer.Request) -> LoopbackServer.Answer {
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
      let way = way(Self.toRows)
      return switch way {
      case .tooLarge where ids.count > 1: counted("POST", way, .respond(413))
      case .bad where ids.count > 1: counted("POST", way, .respond(400))
      // Of one row it would be a refusal.
      case .tooLarge, .bad, .well: counted("POST", .well, taking(ids))
      case .partly: counted("POST", way, takingSome(ids))
      case .takenAndCut: counted("POST", way, after(ids, .cut))
      case .takenAndCutAnswer: counted("POST", way, after(ids, .cutAnswer))
      case .takenAndFailed: counted("POST", way, after(ids, .respond(500)))
      default: counted("POST", way, Self.failing(way))
      }
    }
  }

  private func page(_ path: String) -> LoopbackServer.Answer {
    guard hasPages else { return .respond(404) }
    return lock.withLock {
      let way = way(Self.toPages)
      return counted("GET", way, way == .well ? page(of: path) : Self.failing(way))
    }
  }

  /// Each edition is newer than all before, and says its number in every field.
  private func page(of path: String) -> LoopbackServer.Answer {
    edition += 1
    let time = 776_092_800 + edition
    guard path.hasPrefix("/v1/models") else {
      let data = #"{"generation":{"defaults":{"maxTokens":\#(edition)},"maxContextLength":\#(edition)},"allowUserOverride":true}"#
      return .respond(200, body: #"{"id":"default","data":\#(data),"version":"1.0","lastModified":\#(time)}"#)
    }
    let id = Self.catalog[path.contains("page=1&") ? 0 : 1]
    let model =
      #"{"id":"\#(id)","name":"\#(edition)","license":"\#(edition)","framework":"MLX","format":"mlx","updatedAt":\#(time)}"#
    return .respond(200, body: #"{"models":[\#(model)],"totalCount":\#(Self.catalog.count)}"#)
  }

  private func way(_ ways: [Way]) -> Way { isWell ? .well : ways.randomElement(using: &random) ?? .well }

  private func counted(_ method: String, _ way: Way, _ answer: LoopbackServer.Answer) -> LoopbackServer.Answer {
    if !isWell { counts["\(method) \(way.rawValue)", default: 0] += 1 }
    return answer
  }

  private static func failing(_ way: Way) -> LoopbackServer.Answer {
    switch way {
    case .cut: .cut
    case .cutAnswer: .cutAnswer
    case .hang: .hang
    case .noJSON: .respond(200, body: "<html>")
    case .tooMany, .away: .respond(Int(way.rawValue) ?? 0, headers: ["Retry-After": "1"])
    default: .respond(Int(way.rawValue) ?? 0)
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
