import Holdfast
import HoldfastSync

extension SyncRow {
  /// A living row of `books`, with values as JSON. Times are milliseconds since 1970.
  static func book(
    _ key: String, generation: Int64 = 1, at time: Int64 = 1, _ values: [String: String] = [:], later: [String: (Int64, [String])] = [:]
  ) -> SyncRow {
    SyncRow(
      Name("books", key), generation: generation, birth: .at(time),
      values: RowValues(values.map { (ExactText($0), ExactText($1)) }),
      exceptions: Dictionary(uniqueKeysWithValues: later.map { (ExactText($0), Exception(.at($1.0), $1.1.map { ExactText($0) })) }))
  }

  /// The row of `books` after it was deleted.
  static func deletedBook(_ key: String, generation: Int64 = 2, forgets: Bool = false) -> SyncRow {
    SyncRow(Name("books", key), generation: generation, forgets: forgets)
  }
}

extension Stamp {
  /// The stamp of node 0 at so many milliseconds since 1970.
  static func at(_ milliseconds: Int64) -> Stamp { Stamp(time: milliseconds << counterBits, node: 0) }
}
