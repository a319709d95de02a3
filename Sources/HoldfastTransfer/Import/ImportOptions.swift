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
