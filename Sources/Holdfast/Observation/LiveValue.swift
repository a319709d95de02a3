// Platform: Observation is newer than the oldest system that Holdfast runs on.
public import Observation

/// The newest value of `Updates`, or of another sequence such as `Store.archiveUpdates()`, for views: SwiftUI redraws when the value changes.
///
/// ```swift
/// @State private var shelf = LiveValue(library.collectionUpdates())
/// ```
/// Watching begins when this object is made and ends when it is released. The store is read on other threads; the main actor only receives
/// finished values.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor @Observable
public final class LiveValue<Value: Sendable> {
  /// The newest value; nil until the first read has finished.
  public private(set) var value: Value?
  /// The error that ended the watching; nil while it goes on, and when the sequence ended without one.
  public private(set) var error: StoreError?

  @ObservationIgnored private var task: Task<Void, Never>?

  /// Starts watching. Watching ends when this object is released.
  public init<Source: AsyncSequence & Sendable>(_ updates: Source) where Source.Element == Value {
    task = Task { [weak self] in
      do {
        for try await value in updates {
          guard let self else { return }
          self.value = value
        }
      } catch {
        self?.error = StoreError(error)
      }
    }
  }

  deinit { task?.cancel() }
}
