package import Holdfast

/// The state of one row, as devices and servers exchange it: a birth and exceptions.
///
/// The birth is one body, with a value for each column, under one stamp. An exception is a later value of one group of columns, under a stamp of
/// its own. `generation` counts insertions and deletions: an odd number is a row that is there, an even one a row that was deleted. Values are
/// opaque here: canonical JSON text (see `SyncValue`), compared by its bytes.
package struct SyncRow: Sendable, Hashable {
  /// A row by its table and its key as text.
  package struct Name: Sendable, Hashable, Comparable {
    package let table: ExactText
    package let key: ExactText

    package init(_ table: String, _ key: String) { (self.table, self.key) = (ExactText(table), ExactText(key)) }

    package static func < (first: Name, second: Name) -> Bool { (first.table, first.key) < (second.table, second.key) }
  }

  /// The values of one group of columns.
  package struct Exception: Sendable, Hashable {
    package let stamp: Stamp
    /// One for each column of the group, in the group's order.
    package let values: [ExactText]

    package init(_ stamp: Stamp, _ values: [ExactText]) { (self.stamp, self.values) = (stamp, values) }
  }

  package let name: Name
  /// At least 1.
  package var generation: Int64
  /// Of a deleted row `.zero`.
  package var birth: Stamp
  /// The birth's body by column, without those that are NULL and those that an exception has. Empty for a deleted row.
  package var values: RowValues
  /// By group: the names of its columns, joined by a comma. Each is later than the birth.
  package var exceptions: [ExactText: Exception]
  /// Whether the row was purged: every device should forget it. Only of a deleted row.
  package private(set) var forgets: Bool

  package init(
    _ name: Name, generation: Int64, birth: Stamp = .zero, values: RowValues = [:], exceptions: [ExactText: Exception] = [:],
    forgets: Bool = false
  ) {
    self.name = name
    self.generation = generation
    (self.birth, self.values, self.exceptions, self.forgets) = (birth, values, exceptions, forgets)
    settle()
  }

  /// Whether the row is there.
  package var isAlive: Bool { generation & 1 == 1 }

  /// The latest of its stamps; of a deleted row `.zero`.
  package var latest: Stamp { exceptions.values.reduce(birth) { max($0, $1.stamp) } }

  /// The current value of each column that the row knows; a column that is missing is NULL, or unknown to the version that wrote the row. Of two groups with a column, which only versions with other groups have, the later
  /// one counts.
  package var current: RowValues {
    guard !exceptions.isEmpty else { return values }
    let inOrder = exceptions.sorted { ($0.value.stamp, $0.key) < ($1.value.stamp, $1.key) }
    return inOrder.reduce(into: values) { current, exception in
      for (column, value) in zip(Self.columns(of: exception.key), exception.value.values) { current[column] = value }
    }
  }

  /// The columns of a group, by its name.
  package static func columns(of group: ExactText) -> [ExactText] {
    group.text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map {
      ExactText(String(decoding: $0, as: UTF8.self))
    }
  }

  /// Brings the row into its one form: a deleted row has nothing but its mark, and a living one has none; an exception is later than the birth, and its columns are not in the
  /// body, and neither is NULL: so the rows of versions with and without a column that nobody has filled are equal.
  private mutating func settle() {
    guard isAlive else {
      (birth, values, exceptions) = (.zero, [:], [:])
      return
    }
    forgets = false
    var elsewhere: Set<ExactText> = []
    for (group, exception) in exceptions {
      if exception.stamp > birth {
        elsewhere.formUnion(Self.columns(of: group))
      } else {
        exceptions[group] = nil
      }
    }
    values.removeAll { $0.value == Self.null || elsewhere.contains($0.key) }
  }

  /// The text of NULL.
  package static let null = ExactText("null")

  // MARK: Merging

  /// The row that both states lead to, on every device and server, in whatever order and however often they meet.
  ///
  /// The higher generation wins as a whole. In one generation the later birth wins, and for each group the later exception. Two different
  /// bodies of one birth are those of versions that know different columns: the body then has the columns of both. Where even one stamp has
  /// two values, which only copies of a file can make, the value with the greater bytes wins. Of two deleted rows one that was purged wins.
  ///
  /// Both must have one name. This is the join of a semilattice; `MergeLawTests` has the laws.
  package func merged(with other: SyncRow) -> SyncRow {
    guard generation == other.generation else { return generation > other.generation ? self : other }
    guard isAlive else { return forgets ? self : other }
    var row = birth < other.birth ? other : self
    if birth == other.birth { row.values.merge(other.values) { max($0, $1) } }
    row.exceptions = exceptions.merging(other.exceptions) { Self.later($0, $1) }
    row.settle()
    return row
  }

  private static func later(_ first: Exception, _ second: Exception) -> Exception {
    guard first.stamp == second.stamp else { return first.stamp > second.stamp ? first : second }
    return first.values.lexicographicallyPrecedes(second.values) ? second : first
  }
}
