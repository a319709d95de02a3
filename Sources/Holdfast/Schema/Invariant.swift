/// A condition that holds in every healthy file. Each row of its query is a finding.
public struct Invariant: Sendable {
  /// The condition in words, for example "every playback state belongs to its track's collection".
  public let name: String
  /// The table that findings name.
  public let table: String
  /// Selects one row per finding; its first column names the row of `table` that breaks the condition.
  package let findings: BoundSQL

  /// Makes an invariant. Its query runs in a read: a query that would write throws then.
  public init(_ name: String, table: String, findings: BoundSQL) {
    self.name = name
    self.table = table
    self.findings = findings
  }
}
