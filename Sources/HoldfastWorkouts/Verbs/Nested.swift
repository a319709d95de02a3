import Foundation
import Holdfast

/// A record that belongs to a row of another table, and has a place there.
protocol Nested {
  static var table: String { get }
  /// The column with the parent's id.
  static var parentColumn: String { get }
  /// The columns that `init(loading:)` reads.
  static var loadedColumns: [String] { get }
  init(loading row: inout StoredRow) throws
}

extension Exercise: Nested {
  static var table: String { ExerciseRow.table }
  static var parentColumn: String { "workout_id" }
}

extension ExerciseSet: Nested {
  static var table: String { SetRow.table }
  static var parentColumn: String { "exercise_id" }
}

/// The rows of a table, grouped by their parents, each list in order.
///
/// Rows are read as they are stored, which is nearly always in order: following an index from row to row would cost as much as
/// all the rest. If rows are not in order, the children of their parents are read again by the index.
struct Gathered<Child: Nested> {
  /// One list for each parent: first the requested parents, then others whose rows were read.
  var lists: [[Child]]
  /// The places of the parents with rows, in the order of storing.
  private(set) var met: [Int] = []
  private var parents: [UUID]
  /// The position of the last row in each list; nil for an empty list.
  private var positions: [Int64?]
  /// Only made when a row's parent is not next to the previous row's parent: hashing costs more than comparing.
  private var places: [UUID: Int] = [:]

  /// `condition` selects the rows of these parents; empty for all.
  init(of parents: [UUID], _ condition: BoundSQL, in reader: Reader) throws {
    self.parents = parents
    lists = Array(repeating: [], count: parents.count)
    positions = Array(repeating: nil, count: parents.count)
    let disordered = try gather(condition, reader)
    guard !disordered.isEmpty else { return }
    for place in disordered { lists[place] = [] }
    let column = Child.parentColumn
    _ = try gather(
      "WHERE \(raw: column) IN \(disordered.map { self.parents[$0] }) ORDER BY \(raw: column), position, id", reader)
  }

  /// Returns the places of the parents whose rows were not in order.
  private mutating func gather(_ condition: BoundSQL, _ reader: Reader) throws -> Set<Int> {
    var disordered: Set<Int> = []
    var place: Int?
    var room = 0
    let columns = Child.loadedColumns.joined(separator: ", ")
    try reader.rows(
      "SELECT \(raw: columns), \(raw: Child.parentColumn), position FROM \(raw: Child.table) \(sql: condition)", of: Child.table
    ) { row in
      // Decoded first, because an error names the row by its first column.
      let child = try Child(loading: &row)
      let (parent, position) = (try row.id(), try row.int64())
      let own: Int
      if let place, parents[place] == parent {
        own = place
      } else {
        // Expects as many rows as the previous parent had.
        room = place.map { lists[$0].count } ?? 0
        own = find(parent, near: place ?? -1)
        place = own
      }
      if lists[own].isEmpty {
        if positions[own] == nil { met.append(own) }
        lists[own].reserveCapacity(room)
      } else if let last = positions[own], position <= last {
        // Two devices gave two rows one position; they are ordered by id.
        disordered.insert(own)
      }
      positions[own] = position
      lists[own].append(consume child)
    }
    return disordered
  }

  private mutating func find(_ parent: UUID, near place: Int) -> Int {
    if place + 1 < parents.count, parents[place + 1] == parent { return place + 1 }
    if place > 0, parents[place - 1] == parent { return place - 1 }
    if places.isEmpty {
      places.reserveCapacity(parents.count)
      for (place, id) in parents.enumerated() { places[id] = place }
    }
    if let place = places[parent] { return place }
    places[parent] = parents.count
    parents.append(parent)
    lists.append([])
    positions.append(nil)
    return parents.count - 1
  }
}
