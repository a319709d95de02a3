/// How much of the log a checkpoint moves into the file.
public enum Checkpoint: Sendable {
  /// What can be moved without waiting for anybody.
  case passive
  /// Everything, and the log starts again at its beginning. Waits for readers up to the busy timeout.
  case restart
  /// Everything, and the log is cut to nothing. Waits for readers up to the busy timeout.
  case truncate
}
