/// How much of the log a checkpoint moves into the file.
public enum Checkpoint: Sendable {
  /// The pages that can be moved without waiting for a reader or another writer.
  case passive
  /// Every page; the next commit starts the log again at its beginning. Waits for readers up to the busy timeout.
  case restart
  /// Every page; the log is cut to zero bytes. Waits for readers up to the busy timeout.
  case truncate
}
