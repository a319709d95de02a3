import Foundation
import Holdfast

extension DataSyncService {
  /// Sends what waits of one table, batch after batch. Returns what was refused and does not count yet.
  ///
  /// Where an attempt was given up because nothing of a long queue was taken, the next begins there, and comes to the beginning last: rows
  /// that are bad do not keep those behind them from being sent, however many they are, also where each attempt is a process of its own.
  func send(_ kind: SyncKind, _ report: inout SyncReport) async throws -> SyncRefusals {
    var refusals = SyncRefusals()
    let (given, last) = try await inference.store.read { (try kind.table.givenUp(in: $0), try kind.table.end(in: $0)) }
    guard let end = last else { return refusals }
    let begin = given ?? .start
    if given != nil { try await inference.store.write { try kind.table.giveUp(at: nil, in: $0) } }
    try await send(kind, from: begin, through: end, &refusals, &report)
    if begin != .start { try await send(kind, from: .start, through: begin, &refusals, &report) }
    return refusals
  }

  /// At the end of an attempt: counts what was refused of a table of which nothing was taken.
  ///
  /// - Parameter takesOthers: whether the server has taken something of another table.
  func count(_ refusals: SyncRefusals, of kind: SyncKind, takesOthers: Bool) async throws {
    guard let (first, reason) = refusals.rows.first else { return }
    let isOnly = refusals.rows.count == 1
    let counts = try await inference.store.write { tx in
      guard try takesOthers || isOnly && !kind.hasSetAside(besides: first, in: tx) else { return false }
      for (row, reason) in refusals.rows { try kind.refuse(row, because: reason, in: tx) }
      return true
    }
    if !counts { throw Self.refusesAll(kind, reason) }
  }

  private func send(
    _ kind: SyncKind, from begin: SentTable.Place, through end: SentTable.Place, _ refusals: inout SyncRefusals, _ report: inout SyncReport
  ) async throws {
    let most = min(try await batchSize(), kind.mostRows, Self.greatestBatch)
    let secretProperties = inference.secretProperties
    var (limit, after) = (most, begin)
    while true {
      try Task.checkCancellation()
      let stretch = SentTable.Stretch(after: after, through: end, limit: limit)
      let waiting = try await inference.store.read { try kind.rows(in: stretch, secretProperties, $0) }
      guard let last = waiting.last else { return }
      let rows = waiting.filter { $0.problem == nil }
      var (taken, lost): ([SyncKind.Row], [LostField]) = ([], [])
      if let first = rows.first {
        let body = kind.body(rows, now).canonicalText()
        let answer = try await client.send(APIRequest("POST", kind.path, body: Data(body.utf8)))
        switch kind.reading(answer, rows) {
        case .stop(let stop): throw stop
        case .split where rows.count > 1:
          // Those that cannot be read are counted once, with the rows beside them.
          limit = max(1, waiting.count / 2)
          continue
        case .split(let reason): refusals.add(first, reason, isAlone: true)
        case .decided(let accepted, let rejected, let conflicts):
          taken = rows.filter { accepted.contains(ExactText($0.id)) }
          for row in rows {
            if let reason = rejected[ExactText(row.id)] { refusals.add(row, reason, isAlone: rows.count == 1) }
          }
          lost = conflicts
          if !taken.isEmpty { limit = min(most, limit * 2) }
        }
      }
      if !taken.isEmpty {
        refusals.noteTaken()
        report.acknowledged[kind.table.name, default: 0] += taken.count
      }
      let damaged = waiting.filter { $0.problem != nil }
      if waiting.count > taken.count { report.refused[kind.table.name, default: 0] += waiting.count - taken.count }
      let refused = refusals.counted() + damaged.map { (row: $0, reason: $0.problem ?? "") }
      try await note(of: kind, taken, refused, lost, last.id)
      after = last.place
      if refusals.areHopeless, let reason = refusals.rows.last?.reason {
        let place = after
        try await inference.store.write { try kind.table.giveUp(at: place, in: $0) }
        throw Self.refusesAll(kind, reason)
      }
    }
  }

  /// One transaction for an exchange.
  private func note(
    of kind: SyncKind, _ taken: [SyncKind.Row], _ refused: [(row: SyncKind.Row, reason: String)], _ lost: [LostField], _ id: String
  ) async throws {
    try await inference.store.write { tx in
      if !taken.isEmpty { try kind.acknowledge(taken, in: tx) }
      for (row, reason) in refused { try kind.refuse(row, because: reason, in: tx) }
      try InferenceStore.note(lost, of: kind.table.name, id, in: tx)
    }
  }

  private static func refusesAll(_ kind: SyncKind, _ reason: String) -> SyncStop {
    SyncStop(
      StoreError(
        .inputOutput, "the server took nothing of \(kind.table.name) at \(kind.path): \(reason)",
        suggestion: "Nothing was set aside for that; it is tried again by itself."),
      isOfOnePath: true)
  }
}
