internal import Foundation
internal import Holdfast

extension SyncRun {
  private struct Refused: Error {}

  /// One random transaction of a person. Returns whether the device's store took it.
  func edit(_ device: Device) throws -> Bool {
    // Sometimes two edits have one time.
    if random.chance(80) { time.now += 1_000 }
    try setTime(of: device)
    do {
      try device.store.write { tx in
        let before = try broken(in: tx)
        try change(random.pick(tables), tx)
        guard try broken(in: tx).isSubset(of: before) else { throw Refused() }
      }
      return true
    } catch is Refused {
      return false
    } catch let error as StoreError where [.constraint, .invalidValue, .decoding].contains(error.code) {
      return false
    }
  }

  private func change(_ table: SyncedRows, _ tx: Writer) throws {
    guard var row = try table.randomRow(in: tx, &random) else { throw Refused() }
    let before = row
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<6:
      guard let group = table.groups.randomElement(using: &random), let column = group.randomElement(using: &random) else {
        throw Refused()
      }
      // The rows of the beginning have values that no row has now.
      let other = random.chance(50) ? table.first.randomElement(using: &random) : try table.randomRow(in: tx, &random)
      let all = Array(table.groups.joined())
      for column in random.chance(40) ? [column] : random.chance(60) ? group : all { row[column] = other?[column] }
      guard row != before else { throw Refused() }
      try table.update(before, to: row, tx)
    case 6, 7: try tx.execute("DELETE FROM \(sql: .names([table.synced.name])) WHERE \(sql: table.matches(row))")
    default:
      // At least one column of the key.
      let certain = random.pick(table.synced.key)
      for column in table.synced.key where column == certain || random.chance(30) {
        row[column] = try newKey(column, like: row[column] ?? .null, of: table, tx)
      }
      try table.insert(row, tx)
    }
  }

  /// A value for a column of a key: that of a row which it refers to, an id, or a text or number near the old one.
  private func newKey(_ column: String, like old: SQLValue, of table: SyncedRows, _ tx: Writer) throws -> SQLValue {
    if let parent = table.parents[column] {
      let values = try tx.values(
        "SELECT \(sql: .names([parent.column])) FROM \(sql: .names([parent.table])) ORDER BY 1"
      ) { row in try row.value() }
      return values.randomElement(using: &random) ?? old
    }
    switch old {
    case .text(let text):
      return IDCodec.parse(text) != nil ? .id(random.pick(ids)) : .text("\(text) \(Int.random(in: 0..<3, using: &random))")
    case .integer: return .integer(Int64.random(in: 0..<6, using: &random))
    default: return .blob(Data([UInt8.random(in: 0..<8, using: &random)]))
    }
  }
}
