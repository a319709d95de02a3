/// A condition that holds in every healthy file. Each row of its query is a finding.
public struct Invariant: Sendable {
  /// The condition in words, for example "every playback state belongs to its track's collection".
  public let name: String
  /// The table that findings name.
  public let table: String
  /// Selects one row per finding; its first column names the row of `table` that breaks the condition.
  package let findings: BoundSQL
  /// Mends the findings after a merge; nil where no merge can break the condition.
  package let repair: BoundSQL?

  /// Makes an invariant. Its query runs in a read: a query that would write throws then.
  ///
  /// Two devices may each keep a condition, and break it together: one deletes the track that the other plays. Such a condition has a
  /// `repair`.
  ///
  /// ```swift
  /// Invariant(
  ///   "the last read book is one of the list", table: "lists",
  ///   findings: "SELECT id FROM lists WHERE last_read_id NOT IN (SELECT id FROM books)",
  ///   repair: "UPDATE lists SET last_read_id = NULL WHERE last_read_id NOT IN (SELECT id FROM books)")
  /// ```
  /// A device repairs only when it has pulled everything from the server. It runs the repair while there are findings and the repair changes
  /// rows, at most ten times. The changes are edits of that device, and travel. What a repair writes must depend only on values that sync:
  /// otherwise two devices repair one row differently. A repair that a constraint refuses changes nothing, and sync goes on.
  /// - Parameter repair: one statement. Nothing but sync runs it: opening, `heal` and the integrity check do not.
  public init(_ name: String, table: String, findings: BoundSQL, repair: BoundSQL? = nil) {
    (self.name, self.table, self.findings, self.repair) = (name, table, findings, repair)
  }
}
