import Foundation
import Holdfast
import HoldfastHTTP

/// All decisions of a `DataSyncService`: what to pull and send next, which refusals count, when an attempt ends and when the
/// next may begin.
///
/// A value without a clock, a store or a network. The service performs the actions of an event in order. In an attempt the last action is
/// `end`, or causes the next event. If an action throws, the event is `failed`, and the remaining actions are dropped.
struct SyncPlan: Sendable {
  enum Event: Sendable {
    /// The number of waiting events. A request takes `batchSize`; nil when it could not be read.
    case waiting(events: Int, batchSize: Int?)
    /// An attempt begins; no other is running.
    case begun(Occasion, Situation)
    case answered(APIResponse)
    /// The number of new or changed rows.
    case merged(Outbox, Int)
    /// A table's turn begins; without an opening no row waits.
    case opened(Outbox, Outbox.Opening?, batchSize: Int)
    case read([Outbox.Row])
    case failed(any Error)
  }

  /// An action of the service. `get` and `post` cause `answered`, `merge` causes `merged`, `open` causes `opened`, and `read`
  /// causes `read`.
  enum Action: Sendable {
    /// Begins an attempt, after a running one.
    case attempt(Occasion)
    case get(String)
    case merge(SyncPull.Pulled)
    case open(Outbox)
    case read(Outbox, Outbox.Stretch)
    case post(Outbox, [Outbox.Row])
    case write(Outbox, Outbox.Verdict)
    case setCursor(Outbox, Outbox.Place?)
    case noteSuccess
    case noteFailure(StoreError, pauseSeconds: Double)
    case end(Ending)
  }

  /// The reason for an attempt. On demand no pause is kept; at the threshold nothing is pulled.
  enum Occasion: Sendable {
    case demand, timer, threshold
  }

  /// The state when an attempt begins. A value that could not be read is nil, or 0.
  struct Situation: Sendable {
    var now: Date
    var analytics: InferenceConfiguration.Analytics?
    var pendingEvents = 0
    var retryAt: Date?
  }

  /// The result of an attempt, and how long the timer then waits. An attempt during a pause does nothing.
  struct Ending: Sendable {
    var result: Result<SyncReport, StoreError>
    var nextSeconds: Double
  }

  private enum Step: Sendable {
    case pull(SyncPull)
    case send(Outbox)
  }

  private struct Attempt: Sendable {
    var isByItself = false
    var pendingEvents = 0
    var intervalSeconds = 300.0
    /// The remaining steps, the current one first.
    var steps: ArraySlice<Step> = []
    var turn: SyncTurn?
    /// Turns with refusals that do not count yet.
    var refused: [SyncTurn] = []
    var report = SyncReport()
    /// Errors of paths that failed while others continued.
    var pathErrors: [StoreError] = []
    var failedPulls = 0
  }

  private let options: SyncOptions
  private var attempt = Attempt()
  private var failuresInARow = 0
  /// How many events the last automatic attempt has left.
  private var left = 0

  init(_ options: SyncOptions) { self.options = options }

  mutating func handle(_ event: Event) -> [Action] {
    switch event {
    case .waiting(let events, let batchSize):
      // Events that were left, because of the consent or the server, do not make every new event start an attempt.
      guard let threshold = options.threshold.map({ max(1, $0) }) ?? batchSize, events - left >= threshold else { return [] }
      return [.attempt(.threshold)]
    case .begun(let occasion, let situation): return begin(occasion, situation)
    case .answered(let answer): return attempt.turn == nil ? pulled(answer) : sent(answer)
    case .merged(let outbox, let count):
      if count > 0 { attempt.report.pulled[outbox.table, default: 0] += count }
      return doStep()
    case .opened(let outbox, let opening, let batchSize):
      guard let opening else { return next() }
      let turn = SyncTurn(outbox, opening, batchSize: batchSize)
      attempt.turn = turn
      return (opening.cursor == nil ? [] : [.setCursor(outbox, nil)]) + [.read(outbox, turn.stretch)]
    case .read(let rows): return read(rows)
    case .failed(let error):
      // No answer, or the request failed: it is unknown what has arrived.
      let message = "the server gave no answer: \(error.localizedDescription.prefix(200))"
      return end(with: error as? StoreError ?? .server(message, cause: error))
    }
  }

  // MARK: The steps of an attempt

  private mutating func begin(_ occasion: Occasion, _ situation: Situation) -> [Action] {
    let interval = options.intervalSeconds(of: situation.analytics)
    attempt = Attempt(isByItself: occasion != .demand, pendingEvents: situation.pendingEvents, intervalSeconds: interval)
    // Only a wrong clock can have set a longer pause: ignore it.
    let pause = situation.retryAt?.timeIntervalSince(situation.now) ?? 0
    if attempt.isByItself, pause > 0, pause <= HTTPPauses.greatestSeconds {
      return [.end(Ending(result: .success(SyncReport()), nextSeconds: min(interval, pause)))]
    }
    // The pull comes first, so that the merged state is sent.
    if occasion != .threshold { attempt.steps += SyncPull.all(options).map { .pull($0) } }
    attempt.steps += Outbox.allCases.filter { options.kinds.contains($0.kind) }.map { .send($0) }
    return doStep()
  }

  private mutating func next() -> [Action] {
    attempt.turn = nil
    attempt.steps = attempt.steps.dropFirst()
    return doStep()
  }

  private mutating func doStep() -> [Action] {
    switch attempt.steps.first {
    case .pull(let pull)?: pull.question.map { [.get($0)] } ?? next()
    case .send(let outbox)?: [.open(outbox)]
    case nil: finish()
    }
  }

  private mutating func stop(_ outcome: SyncOutcome) -> [Action] {
    switch outcome {
    case .pathFailed(let error):
      attempt.pathErrors.append(error)
      if attempt.turn == nil { attempt.failedPulls += 1 }
    case .serverFailed(let error, let seconds): return end(with: error, retryAfterSeconds: seconds)
    case .decided, .split: break
    }
    return next()
  }

  private mutating func pulled(_ answer: APIResponse) -> [Action] {
    // With one of these statuses, the server has no data of this kind.
    guard case .pull(var pull)? = attempt.steps.first, let path = pull.question, ![204, 404, 405, 501].contains(answer.status) else {
      return next()
    }
    if let failure = SyncOutcome.failure(of: answer, at: path) { return stop(failure) }
    guard answer.status == 200 else { return stop(.pathFailed(.server("the server refused \(path) (\(answer.status))"))) }
    do throws(StoreError) {
      let pulled = try pull.read(answer.tree)
      attempt.steps = [.pull(pull)] + attempt.steps.dropFirst()
      return [.merge(pulled)]
    } catch { return stop(.pathFailed(error)) }
  }

  // MARK: Sending

  private mutating func read(_ rows: [Outbox.Row]) -> [Action] {
    guard var turn = attempt.turn else { return next() }
    guard turn.take(rows) else {
      if !turn.refusals.isEmpty { attempt.refused.append(turn) }
      return next()
    }
    attempt.turn = turn
    if rows.isEmpty { return [.read(turn.outbox, turn.stretch)] }
    return turn.sendable.isEmpty ? settle(Outbox.Verdict()) : [.post(turn.outbox, turn.sendable)]
  }

  private mutating func sent(_ answer: APIResponse) -> [Action] {
    guard var turn = attempt.turn else { return next() }
    switch turn.outbox.outcome(of: answer, to: turn.sendable) {
    case .decided(let verdict): return settle(verdict)
    case .split:
      turn.halve()
      attempt.turn = turn
      return [.read(turn.outbox, turn.stretch)]
    case let failure: return stop(failure)
    }
  }

  private mutating func settle(_ answered: Outbox.Verdict) -> [Action] {
    guard var turn = attempt.turn else { return next() }
    let verdict = turn.settle(answered)
    attempt.turn = turn
    let (table, refused) = (turn.outbox.table, turn.count - verdict.taken.count)
    if !verdict.taken.isEmpty { attempt.report.acknowledged[table, default: 0] += verdict.taken.count }
    if refused > 0 { attempt.report.refused[table, default: 0] += refused }
    let write = Action.write(turn.outbox, verdict)
    guard turn.isHopeless else { return [write, .read(turn.outbox, turn.stretch)] }
    return [write, .setCursor(turn.outbox, turn.stretch.after)] + stop(.pathFailed(turn.takesNothing(turn.refusals.last)))
  }

  // MARK: The end

  private mutating func finish() -> [Action] {
    var actions: [Action] = []
    for turn in attempt.refused {
      if turn.refusalsCount(takesOthers: !attempt.report.acknowledged.isEmpty) {
        actions.append(.write(turn.outbox, Outbox.Verdict(refused: turn.refusals)))
      } else {
        attempt.pathErrors.append(turn.takesNothing(turn.refusals.first))
      }
    }
    if let error = attempt.pathErrors.first { return actions + end(with: error, isOfOnePath: true) }
    failuresInARow = 0
    noteLeft(attempt.report.acknowledged[Outbox.telemetry.table] ?? 0)
    return actions + [.noteSuccess, .end(Ending(result: .success(attempt.report), nextSeconds: attempt.intervalSeconds))]
  }

  /// If the server accepted something, it is available: an error of one path does not delay the other paths, which are sent at
  /// the next interval. The same holds if only pulling failed and nothing waits.
  private mutating func end(with error: StoreError, retryAfterSeconds: Double? = nil, isOfOnePath: Bool = false) -> [Action] {
    let isThere = !attempt.report.acknowledged.isEmpty || isOfOnePath && attempt.failedPulls == attempt.pathErrors.count
    failuresInARow = isThere ? 1 : failuresInARow + 1
    // If the server asks for no pause, or for a time in the past, the usual pause applies.
    let pause = options.pauses.seconds(
      afterFailures: failuresInARow, least: isThere && isOfOnePath ? attempt.intervalSeconds : 0, retryAfterSeconds: retryAfterSeconds)
    noteLeft(0)
    let ending = Ending(result: .failure(error), nextSeconds: min(attempt.intervalSeconds, pause))
    return [.noteFailure(error, pauseSeconds: pause), .end(ending)]
  }

  private mutating func noteLeft(_ sent: Int) { if attempt.isByItself { left = max(0, attempt.pendingEvents - sent) } }
}
