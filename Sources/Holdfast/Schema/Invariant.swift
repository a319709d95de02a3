/// Something that must hold in a healthy file: a query whose every row is a finding.
public struct Invariant: Sendable {
  /// Says what holds, for example "every playback state belongs to its track's collection".
  public let name: String
  /// The table that a finding is about.
  public let table: String
  /// Selects one row per finding; its first column says which row of `table` breaks the invariant.
  package let findings: BoundSQL

  /// The query runs in a read; one that would write throws then.
  public init(_ name: String, table: String, findings: BoundSQL) {
    self.name = name
    self.table = table
    self.findings = findings
  }
}
