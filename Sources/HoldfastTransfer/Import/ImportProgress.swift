/// The progress of an import.
public struct ImportProgress: Sendable {
  /// The phases of an import.
  public enum Phase: String, Sendable, CaseIterable {
    case importing
    case verifying
    case finishing
  }
  /// The present phase. Each phase starts again at zero.
  public var phase: Phase
  /// The amount done in this phase, in the format's unit: bytes of a JSON file, rows of a database.
  public var done = 0
  /// The size of the source, in the unit of `done`.
  public var total: Int
  /// The number of records so far in this phase.
  public var records = 0
  /// Records per second so far in this phase; 0 at its start.
  public var recordsPerSecond = 0.0
}
