/// How far an import is.
public struct ImportProgress: Sendable {
  /// What the import is doing.
  public enum Phase: String, Sendable, CaseIterable {
    case importing
    case verifying
    case finishing
  }
  /// Each begins again at zero.
  public var phase: Phase
  /// In the format's unit: bytes of a JSON file, rows of a database.
  public var done: Int
  /// The size of the source, in the unit of `done`.
  public var total: Int
  /// Records so far in this phase.
  public var records: Int
  /// Records a second so far in this phase; 0 at its start.
  public var recordsPerSecond: Double
}
