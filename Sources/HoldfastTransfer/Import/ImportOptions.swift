/// How an import runs.
public struct ImportOptions: Sendable {
  /// Default false. True: everything happens and is verified, and is then rolled back.
  public var dryRun = false
  /// Default true. False: no copy of the source is kept beside it.
  public var keepsCopy = true
  /// An earlier import, by its id, whose quarantined records are tried again with this source: the same one, its copy, or a repaired one.
  /// A record that is written now at the place where one stood leaves the quarantine, with its fields that are not refused again; all else
  /// stays there. So repair a source in place: neither delete nor move records. A field at a place without a record, and a record that is in
  /// the store already, have to be discarded. Default nil.
  public var retries: String?
  /// Told every 512 records and at the ends of phases, on the importing thread.
  public var onProgress: (@Sendable (ImportProgress) -> Void)?
  /// Asked before every record. True ends the import with `.cancelled` and the store as before. Default: the task's own.
  public var isCancelled: @Sendable () -> Bool = { Task.isCancelled }

  /// Cancelled with the task, without progress, not a dry run, and trying nothing again.
  public init() {}
}
