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

/// How an import runs.
public struct ImportOptions: Sendable {
  /// Default false. True: everything happens and is verified, and is then rolled back.
  public var dryRun = false
  /// Told every 512 records and at the ends of phases, on the importing thread.
  public var onProgress: (@Sendable (ImportProgress) -> Void)?
  /// Asked before every record. True ends the import with `.cancelled` and the store as before. Default: the task's own.
  public var isCancelled: @Sendable () -> Bool = { Task.isCancelled }

  /// Cancelled with the task, without progress, and not a dry run.
  public init() {}
}
