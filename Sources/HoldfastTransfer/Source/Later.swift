import Foundation
import Holdfast

/// A value that another thread computes.
final class Later<Value: Sendable>: @unchecked Sendable {
  // Written once before `isDone` is left, and read only after that.
  private var result: Result<Value, any Error>?
  private let isDone = DispatchGroup()

  init(_ work: @escaping @Sendable () throws -> Value) {
    isDone.enter()
    Thread.detachNewThread { [self] in
      result = Result { try work() }
      isDone.leave()
    }
  }

  func value() throws -> Value {
    isDone.wait()
    guard let result else { throw StoreError(.misuse, "a thread ended without a result") }
    return try result.get()
  }
}
