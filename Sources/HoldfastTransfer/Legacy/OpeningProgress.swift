import Foundation
import Holdfast

/// The progress of an opening that also imports a legacy file.
public enum OpeningProgress: Sendable {
  /// How many migrations of the store have run, and how many will have run at the end. Told before each migration and after the last. A new
  /// store runs all of them.
  case migrating(done: Int, total: Int)
  /// How far the import of the legacy file is.
  case importing(ImportProgress)
}

/// Tells the progress of one opening, and keeps the answer.
final class OpeningSteps: @unchecked Sendable {
  // Guarded by `lock`.
  private var progress: (@Sendable (OpeningProgress) -> Bool)?
  private var declined = false
  private let lock = NSLock()

  init(_ progress: (@Sendable (OpeningProgress) -> Bool)?) { self.progress = progress }

  /// Whether an answer was false. Then nothing is imported at this opening.
  var isDeclined: Bool { lock.withLock { declined } }

  private func tell(_ step: OpeningProgress) {
    guard let progress = lock.withLock({ self.progress }), !progress(step) else { return }
    lock.withLock { declined = true }
  }

  /// Ends the reports of this opening. The store keeps its options, and a later restore may run migrations again.
  func end() { lock.withLock { progress = nil } }

  func telling(_ options: StoreOptions) -> StoreOptions {
    var told = options
    told.onMigration = { [self] done, total in
      options.onMigration?(done, total)
      tell(.migrating(done: done, total: total))
    }
    return told
  }

  var importOptions: ImportOptions {
    var options = ImportOptions()
    options.onProgress = { [self] in tell(.importing($0)) }
    options.isCancelled = { [self] in isDeclined || Task.isCancelled }
    return options
  }
}
