public import Observation

/// The newest value of `Updates`, for views: SwiftUI redraws when it changes.
///
/// ```swift
/// @State private var shelf = LiveValue(library.collectionUpdates())
/// ```
/// Watching begins with the value and ends when it goes away. Reading from the store happens elsewhere; the main actor
/// only receives finished values.
@available(iOS 17, macOS 14, tvOS 17, watchOS 10, *)
@MainActor @Observable
public final class LiveValue<Value: Sendable> {
  /// Nil until the first value was read.
  public private(set) var value: Value?
  /// Why watching ended; nil while it goes on.
  public private(set) var error: StoreError?

  @ObservationIgnored private var task: Task<Void, Never>?

  /// Starts following; ends when this value goes away.
  public init(_ updates: Updates<Value>) {
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
