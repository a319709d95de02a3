import Holdfast

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
  /// What reports, the ledger and the quarantine call the source, for a source whose file is temporary. Default nil: its path.
  package var sourceName: String?
  /// Called at every 512 records and at the ends of phases, on the importing thread. Default nil.
  public var onProgress: (@Sendable (ImportProgress) -> Void)?
  /// Called before every record and before the commit. True: the import ends with `.cancelled`, the store unchanged. Default: whether the task is cancelled.
  public var isCancelled: @Sendable () -> Bool = { Task.isCancelled }

  /// Makes the default options.
  public init() {}

  /// Runs an import with these options without blocking the caller: the async form of any blocking import.
  ///
  /// `body` runs on a thread of its own, and passes the options that it is given to the import. When the task is cancelled, the import ends
  /// with `.cancelled` at its next record, as if `isCancelled` had said so; that closure runs on `body`'s thread, where `Task.isCancelled`
  /// is always false. Throws the errors of `body`.
  public func importing(_ body: @escaping @Sendable (ImportOptions) throws -> ImportReport) async throws -> ImportReport {
    try await offTask { isCancelled in
      var options = self
      options.isCancelled = { isCancelled() || self.isCancelled() }
      return try body(options)
    }
  }
}
