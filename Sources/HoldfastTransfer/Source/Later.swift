import Foundation
import Holdfast

/// What a thread of its own works out.
final class Later<Value: Sendable>: @unchecked Sendable {
  // Written once before `isDone` is left, read after it.
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
