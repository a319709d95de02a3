public import Foundation

/// The rows of one list in an order that people gave them. The column `position` holds numbers with gaps, so most changes write one row. Of
/// two rows at one position, the row with the lower `id` comes first.
///
/// ```swift
/// let entries = OrderedRows("collection_tracks", of: "entry", where: "collection_id = \(id)")
/// try entries.move(entryID, before: otherID, in: tx)
/// ```
public struct OrderedRows: Sendable {
  private let table: String
  private let noun: String
  private let condition: BoundSQL

  /// - Parameters:
  ///   - table: a table with the columns `id` and `position`, and an index of the columns that `condition` compares, then of these two.
  ///   - noun: the name of a row in errors, such as `entry`.
  ///   - condition: selects the list's rows; by default the whole table is one list.
  public init(_ table: String, of noun: String, where condition: BoundSQL = "true") {
    self.table = table
    self.noun = noun
    self.condition = condition
  }

  /// Positions for new rows before a row, or at the end. Existing rows are moved only when there is no room between them.
  ///
  /// - Throws: `.notFound` when `other` is not in the list.
  public func positions(for count: Int, before other: UUID? = nil, in tx: Writer) throws -> [Int64] {
    let gap = try gap(before: other, tx)
    guard count > 0 else { return [] }
    if let free = gap.positions(for: count) { return free }
    let rows = try all(tx)
    let place = rows.firstIndex { $0.id == other } ?? rows.count
    var existing: [Int64?] = rows.map(\.position)
    existing.insert(contentsOf: repeatElement(nil, count: count), at: place)
    var assigned = SparseOrder.assign(existing: existing)
    let free = Array(assigned[place..<place + count])
    assigned.removeSubrange(place..<place + count)
    try respread(rows, to: assigned, tx)
    return free
  }

  /// The position for one new row, as `positions(for:before:in:)` gives it.
  public func position(before other: UUID? = nil, in tx: Writer) throws -> Int64 {
    try positions(for: 1, before: other, in: tx).first ?? 0
  }

  /// Moves a row before another row, or to the end. Returns false, and writes nothing, when the row is there already.
  ///
  /// - Throws: `.notFound` when one of the two is not in the list.
  @discardableResult
  public func move(_ id: UUID, before other: UUID?, in tx: Writer) throws -> Bool {
    let position = try position(of: id, tx)
    let gap = try gap(before: other, tx)
    if id == other || id == gap.lower?.id { return false }
    if let free = gap.positions(for: 1)?.first {
      try respread([(id, position)], to: [free], tx)
      return true
    }
    var rows = try all(tx).filter { $0.id != id }
    rows.insert((id, position), at: rows.firstIndex { $0.id == other } ?? rows.count)
    try respread(rows, to: SparseOrder.assign(existing: rows.map(\.position)), tx)
    return true
  }

  // MARK: Rows

  private typealias Place = (id: UUID, position: Int64)

  private func position(of id: UUID, _ reader: Reader) throws -> Int64 {
    let found = try reader.value("SELECT position FROM \(raw: table) WHERE id = \(id) AND \(sql: condition)") { row in try row.int64() }
    guard let found else { throw StoreError(.notFound, "there is no \(noun) \(IDCodec.lowercase(id)) in this list") }
    return found
  }

  /// The gap before `other`, with the row before it; without `other`, the gap after the last row.
  private func gap(before other: UUID?, _ reader: Reader) throws -> Gap {
    let upper = try other.map { try position(of: $0, reader) }
    let isBelow: BoundSQL = if let other, let upper { "AND (position, id) < (\(upper), \(other))" } else { "" }
    let lower = try reader.value(
      "SELECT id, position FROM \(raw: table) WHERE \(sql: condition) \(sql: isBelow) ORDER BY position DESC, id DESC LIMIT 1"
    ) { row in (try row.id(), try row.int64()) }
    return Gap(lower: lower, upper: upper)
  }

  private func all(_ reader: Reader) throws -> [Place] {
    try reader.values("SELECT id, position FROM \(raw: table) WHERE \(sql: condition) ORDER BY position, id") { row in
      (try row.id(), try row.int64())
    }
  }

  private func respread(_ rows: [Place], to positions: [Int64], _ tx: Writer) throws {
    for (row, position) in zip(rows, positions) where row.position != position {
      try tx.execute("UPDATE \(raw: table) SET position = \(position) WHERE id = \(row.id)")
    }
  }

  private struct Gap {
    /// Nil before the first row.
    var lower: Place?
    /// Nil behind the last row.
    var upper: Int64?

    /// `count` free positions in the gap; nil when the gap has fewer.
    func positions(for count: Int) -> [Int64]? {
      let bounds = (lower.map { [$0.position] } ?? [], upper.map { [$0] } ?? [])
      let assigned = SparseOrder.assign(existing: bounds.0 + Array(repeating: nil, count: count) + bounds.1)
      guard lower == nil || assigned.first == lower?.position, upper == nil || assigned.last == upper else { return nil }
      return Array(assigned.dropFirst(bounds.0.count).dropLast(bounds.1.count))
    }
  }
}
