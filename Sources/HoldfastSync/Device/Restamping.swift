internal import Holdfast

extension SyncRow {
  /// The row with its stamps that lie too far in the server's future made the latest that the server takes. Their order stays, and each exception
  /// stays later than the birth.
  ///
  /// Not the server's present: it may have an earlier edit of this device, with a stamp up to there, whose answer was lost.
  ///
  /// - Parameter now: the server's time in milliseconds since 1970.
  func stamped(again now: Int64, by node: Int64) -> SyncRow {
    let late = Set(exceptions.values.map(\.stamp) + [birth]).filter { $0.milliseconds > now + SyncResponse.tolerance }.sorted()
    guard isAlive, let earliest = late.first else { return self }
    // Of all stamps the birth is the earliest.
    let first = max((now + SyncResponse.tolerance) << Stamp.counterBits, earliest == birth ? 0 : birth.time &+ 1)
    let again = Dictionary(uniqueKeysWithValues: late.enumerated().map { ($1, Stamp(time: first &+ Int64($0), node: node)) })
    return SyncRow(
      name, generation: generation, birth: again[birth] ?? birth, values: values,
      exceptions: exceptions.mapValues { Exception(again[$0.stamp] ?? $0.stamp, $0.values) })
  }
}

extension Arrival {
  /// Stamps the unsent rows again whose stamps the server does not accept. No other device has seen these stamps.
  func stampAgain(_ now: Int64, by node: Int64) throws {
    for name in try tables.unsentNames(in: tx) {
      guard let local = try tables.local(name, in: tx) else { continue }
      let row = local.row.stamped(again: now, by: node)
      guard row != local.row else { continue }
      guard let table = tables[name.table] else {
        try tx.saveExtra(row, local.state)
        continue
      }
      try table.save(row, local.state, isNew: false, in: tx)
      if local.place == .parked { try table.save(parked: row, here: local.here, "its time was corrected", in: tx) }
    }
  }
}
