/// Options for an import.
public struct ImportOptions: Sendable {
  /// Whether to roll back at the end. Default false. True: everything is written and verified, and then rolled back.
  public var dryRun = false
  /// Whether a copy of the source is kept beside it. Default true.
  public var keepsCopy = true
  /// The id of an earlier import whose quarantined records are tried again. The source must be the same file, its copy, or a repaired copy.
  /// When a record at a quarantined record's place is now written, that record leaves the quarantine, with its fields unless they are
  /// refused again. All other entries stay. So repair records in place: neither delete nor move them. A field whose place has no record,
  /// and a record that the store has already, must be discarded instead. Default nil.
  public var retries: String?
  /// Called at every 512 records and at the ends of phases, on the importing thread. Default nil.
  public var onProgress: (@Sendable (ImportProgress) -> Void)?
  /// Called before every record and before the commit. True: the import ends with `.cancelled`, the store unchanged. Default: whether the task is cancelled.
  public var isCancelled: @Sendable () -> Bool = { Task.isCancelled }

  /// Makes the default options.
  public init() {}

  /// These options, for an import that also ends when `isCancelled` returns true.
  func cancelled(by isCancelled: @escaping @Sendable () -> Bool) -> ImportOptions {
    var options = self
    let given = options.isCancelled
    options.isCancelled = { isCancelled() || given() }
    return options
  }
}
