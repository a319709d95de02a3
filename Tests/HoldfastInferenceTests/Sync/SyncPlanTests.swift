import Foundation
import Holdfast
import HoldfastTransfer
import Testing

@testable import HoldfastInference

/// Events in, actions out: without a store, a network and a clock.
@Suite("What a sync decides") struct SyncPlanTests {
  private static let now = Date(timeIntervalSince1970: 1_000_000)
  private static let start = SyncPlan.Event.begun(.demand, SyncPlan.Situation(now: now))

  private static func plan(_ kinds: Set<SyncedKind> = [.telemetry], pulls: Bool = false) -> SyncPlan {
    var options = SyncOptions(deviceID: "device")
    (options.kinds, options.jitter) = (kinds, { 1 })
    if !pulls { (options.configurationPath, options.catalogPath) = (nil, nil) }
    return SyncPlan(options)
  }

  private static func row(_ number: Int, problem: String? = nil) -> Outbox.Row {
    let id = "\(number)"
    return Outbox.Row(
      rowID: Int64(number), id: id, revision: 1, place: Outbox.Place(since: 0, key: Data(id.utf8)), element: .string(id), problem: problem)
  }

  private static func read(_ numbers: Int...) -> SyncPlan.Event { .read(numbers.map { row($0) }) }

  private static func opened(
    _ outbox: Outbox = .telemetry, after cursor: Int? = nil, through end: Int = 9, batchSize: Int = 4
  ) -> SyncPlan.Event {
    .opened(outbox, Outbox.Opening(cursor: cursor.map { row($0).place }, end: row(end).place), batchSize: batchSize)
  }

  private static let empty = SyncPlan.Event.opened(.telemetry, nil, batchSize: 1)

  private static func status(_ status: Int, retryAfterSeconds: Double? = nil) -> SyncPlan.Event {
    .answered(APIResponse(status: status, retryAfterSeconds: retryAfterSeconds))
  }

  private static func accepted(_ numbers: Int...) -> SyncPlan.Event {
    let ids = numbers.map { "\"\($0)\"" }.joined(separator: ",")
    return .answered(APIResponse(status: 200, body: Data(#"{"accepted":[\#(ids)],"syncedIds":[\#(ids)]}"#.utf8)))
  }

  private static func words(_ action: SyncPlan.Action) -> String {
    func name(_ place: Outbox.Place) -> String { place.key.isEmpty ? "the start" : String(decoding: place.key, as: UTF8.self) }
    func names(_ rows: [Outbox.Row]) -> String { "[" + rows.map(\.id).joined(separator: " ") + "]" }
    switch action {
    case .attempt(let occasion): return "attempt \(occasion)"
    case .get(let path): return "get \(path)"
    case .merge(.configuration(let said)): return "merge \(said.row.id)"
    case .merge(.models(let said)): return "merge \(said.map(\.row.id))"
    case .open(let outbox): return "open \(outbox)"
    case .read(_, let stretch): return "read \(stretch.limit) after \(name(stretch.after)) through \(name(stretch.through))"
    case .post(_, let rows): return "post \(names(rows))"
    case .write(_, let verdict): return "write \(names(verdict.taken)), refused \(names(verdict.refused))"
    case .setCursor(_, let place): return "cursor \(place.map(name) ?? "none")"
    case .noteSuccess: return "success"
    case .noteFailure(_, let seconds): return "failure, pause \(seconds)"
    case .end(let ending):
      switch ending.result {
      case .success(let report): return "end \(report.acknowledged.values.sorted()), next in \(ending.nextSeconds)"
      case .failure(let error): return "end \(error.code.rawValue), next in \(ending.nextSeconds)"
      }
    }
  }

  /// What a plan answers to each event.
  private static func expect(
    _ plan: SyncPlan, _ table: [(event: SyncPlan.Event, actions: String)], _ location: SourceLocation = #_sourceLocation
  ) {
    var plan = plan
    let answers = table.map { plan.handle($0.event).map(words).joined(separator: "; ") }
    #expect(answers == table.map(\.actions), sourceLocation: location)
  }

  @Test("an attempt pulls page after page, then sends batch after batch of each table")
  func whole() {
    let page = #"{"models":[{"id":"m","name":"M","framework":"MLX","updatedAt":1}],"totalCount":2}"#
    Self.expect(
      Self.plan([.telemetry, .models], pulls: true),
      [
        (Self.start, "get /v1/configuration"),
        (Self.status(404), "get /v1/models?page=1&pageSize=100"),
        (.answered(APIResponse(status: 200, body: Data(page.utf8))), #"merge ["m"]"#),
        (.merged(.models, 1), "get /v1/models?page=2&pageSize=100"),
        (Self.status(404), "open telemetry"),
        (Self.opened(), "read 4 after the start through 9"),
        (Self.read(1, 2, 3, 4), "post [1 2 3 4]"),
        (Self.accepted(1, 2, 4), "write [1 2 4], refused [3]; read 4 after 4 through 9"),
        (.read([]), "open models"),
        (Self.empty, "success; end [3], next in 300.0"),
      ])
  }

  @Test("what is refused whole is halved down to the bad row; what cannot be read is not sent, and counts")
  func halves() {
    Self.expect(
      Self.plan(),
      [
        (Self.start, "open telemetry"), (Self.opened(), "read 4 after the start through 9"),
        (.read([Self.row(1), Self.row(2, problem: "damaged"), Self.row(3), Self.row(4)]), "post [1 3 4]"),
        (Self.status(400), "read 2 after the start through 9"),
        (.read([Self.row(1), Self.row(2, problem: "damaged")]), "post [1]"),
        (Self.status(400), "write [], refused [2]; read 2 after 2 through 9"),
        (Self.read(3, 4), "post [3 4]"),
        (Self.accepted(3, 4), "write [3 4], refused [1]; read 4 after 4 through 9"),
        (.read([]), "success; end [2], next in 300.0"),
      ])
  }

  @Test("the refusal of an only row counts by itself unless another is set aside", arguments: [[], [1], [2], [1, 2]] as [[Int64]])
  func only(setAside: [Int64]) {
    let opening = Outbox.Opening(end: Self.row(9).place, setAside: setAside)
    let counts = !setAside.contains(2)
    Self.expect(
      Self.plan(),
      [
        (Self.start, "open telemetry"), (.opened(.telemetry, opening, batchSize: 4), "read 4 after the start through 9"),
        (Self.read(1), "post [1]"), (Self.status(400), "write [], refused []; read 4 after 1 through 9"),
        (
          .read([]),
          counts ? "write [], refused [1]; success; end [], next in 300.0" : "failure, pause 5.0; end input_output, next in 5.0"
        ),
      ])
  }

  @Test("refusals of a table of which nothing was taken count when another table's rows were taken")
  func others() {
    Self.expect(
      Self.plan([.telemetry, .models]),
      [
        (Self.start, "open telemetry"), (Self.opened(batchSize: 1), "read 1 after the start through 9"), (Self.read(1), "post [1]"),
        (Self.status(400), "write [], refused []; read 1 after 1 through 9"), (.read([]), "open models"),
        (Self.opened(.models), "read 4 after the start through 9"), (Self.read(5), "post [5]"),
        (Self.accepted(5), "write [5], refused []; read 4 after 5 through 9"),
        (.read([]), "write [], refused [1]; success; end [1], next in 300.0"),
      ])
  }

  @Test("after twenty rows refused one by one the turn is given up; the next begins behind them, and comes to them last")
  func givesUp() {
    var plan = Self.plan()
    _ = [Self.start, Self.opened(batchSize: 1)].map { plan.handle($0) }
    for number in 1...19 { _ = [Self.read(number), Self.status(400)].map { plan.handle($0) } }
    Self.expect(
      plan,
      [
        (Self.read(20), "post [20]"),
        (Self.status(400), "write [], refused []; cursor 20; failure, pause 5.0; end input_output, next in 5.0"),
        (Self.start, "open telemetry"),
        (Self.opened(after: 20, through: 21), "cursor none; read 4 after 20 through 21"),
        (Self.read(21), "post [21]"),
        (Self.accepted(21), "write [21], refused []; read 4 after 21 through 21"),
        (.read([]), "read 4 after the start through 20"),
        (.read([]), "success; end [1], next in 300.0"),
      ])
  }

  @Test("a path that fails holds up no other; a server that fails ends the attempt")
  func failures() {
    Self.expect(
      Self.plan([.telemetry, .models]),
      [
        (Self.start, "open telemetry"), (Self.opened(), "read 4 after the start through 9"), (Self.read(1), "post [1]"),
        (Self.status(404), "open models"),
        (Self.opened(.models), "read 4 after the start through 9"), (Self.read(5), "post [5]"),
        (Self.accepted(5), "write [5], refused []; read 4 after 5 through 9"),
        (.read([]), "failure, pause 300.0; end input_output, next in 300.0"),
        (Self.start, "open telemetry"), (Self.opened(), "read 4 after the start through 9"), (Self.read(1), "post [1]"),
        (Self.status(401), "failure, pause 10.0; end permission_denied, next in 10.0"),
      ])
  }

  @Test("pauses double up to an hour; a server's own holds for a day at most, and an answer without any failure begins anew")
  func pauses() {
    var plan = Self.plan()
    func pause(_ event: SyncPlan.Event) -> Double? {
      _ = plan.handle(Self.start)
      for case .noteFailure(_, let seconds) in plan.handle(event) { return seconds }
      return nil
    }
    let none = SyncPlan.Event.failed(URLError(.notConnectedToInternet))
    #expect((1...11).map { _ in pause(none) } == [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600])
    #expect(pause(Self.empty) == nil && pause(none) == 5)
    for (asked, kept) in [(40.0, 40.0), (0, 10), (-1, 20), (1e300, 86_400)] {
      _ = [Self.start, Self.opened(), Self.read(1)].map { plan.handle($0) }
      guard case .noteFailure(_, kept)? = plan.handle(Self.status(429, retryAfterSeconds: asked)).first else {
        Issue.record("asked for \(asked)")
        return
      }
      if asked == 40 { #expect(pause(Self.empty) == nil && pause(none) == 5) }
    }
  }

  @Test("by itself an attempt keeps a pause that is not over, but none of more than a day, which a wrong clock has set")
  func keepsPauses() {
    func situation(_ seconds: Double) -> SyncPlan.Situation {
      SyncPlan.Situation(now: Self.now, retryAt: Self.now.addingTimeInterval(seconds))
    }
    Self.expect(
      Self.plan(),
      [
        (.begun(.timer, situation(40)), "end [], next in 40.0"), (.begun(.threshold, situation(400)), "end [], next in 300.0"),
        (.begun(.timer, situation(0)), "open telemetry"), (.begun(.timer, situation(86_401)), "open telemetry"),
        (.begun(.demand, situation(40)), "open telemetry"),
      ])
  }

  @Test("a batch of events begins an attempt; what the last one left does not count")
  func threshold() {
    Self.expect(
      Self.plan(),
      [
        (.waiting(events: 3, batchSize: 4), ""), (.waiting(events: 4, batchSize: nil), ""),
        (.waiting(events: 4, batchSize: 4), "attempt threshold"),
        (.begun(.threshold, SyncPlan.Situation(now: Self.now, pendingEvents: 5)), "open telemetry"),
        (Self.opened(), "read 4 after the start through 9"), (Self.read(1, 2), "post [1 2]"),
        (Self.accepted(1, 2), "write [1 2], refused []; read 4 after 2 through 9"), (.read([]), "success; end [2], next in 300.0"),
        (.waiting(events: 6, batchSize: 4), ""), (.waiting(events: 7, batchSize: 4), "attempt threshold"),
      ])
  }
}
