public import Foundation

extension Archive {
  /// The same as the blocking form, without blocking the caller.
  public func history(from: Date? = nil, to: Date? = nil) async throws -> [ArchiveEvent] {
    try await offTask { _ in try self.history(from: from, to: to) }
  }

  /// The same as the blocking form, without blocking the caller. A restore that has begun runs to its end, even when the task is cancelled.
  @discardableResult
  public func restore(to moment: Moment, at file: URL) async throws -> ArchivedCommit {
    try await offTask { _ in try self.restore(to: moment, at: file) }
  }
}
