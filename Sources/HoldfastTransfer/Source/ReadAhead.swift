import Foundation
public import Holdfast

extension JSONScanner {
  /// Reads an array in two steps: `convert` makes a value of each element, on a thread of its own, while `use` takes the values before it.
  ///
  /// `use` is called on the calling thread, in the order of the array, at most some 1,300 elements behind `convert`. An error of `convert` is
  /// thrown after `use` has had all values before it. When `use` throws, `convert` is soon called no more.
  ///
  /// - Parameter isLong: false: both are called in turn, without another thread, which takes longer to begin than a short array to read.
  ///   Default true.
  /// - Throws: `JSONScanError` when the value is not an array or is damaged; the errors of `convert` and `use`.
  public mutating func array<Value: Sendable>(
    isLong: Bool = true, converting convert: @escaping @Sendable (Int, inout JSONScanner) throws -> Value, use: (Value) throws -> Void
  ) throws {
    guard isLong else { return try array { index, element in try use(convert(index, &element)) } }
    let start = self
    let values = ReadAhead<Value>()
    let end = Later<JSONScanner> {
      defer { values.end() }
      var scanner = start
      try scanner.array { index, element in try values.put(convert(index, &element)) }
      return scanner
    }
    do {
      while let batch = values.next() { for value in batch { try use(value) } }
    } catch {
      values.stop()
      _ = try? end.value()
      throw error
    }
    self = try end.value()
  }
}

/// Values that one thread makes and another takes, in order. The maker waits when it is too far ahead.
private final class ReadAhead<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `changed` guards what follows, except `batch`, which only the maker uses.
  private let changed = NSCondition()
  private var batches: [[Value]] = []
  private var isEnded = false
  private var isStopped = false
  private var batch: [Value] = []

  private struct Stopped: Error {}

  func put(_ value: Value) throws {
    batch.append(value)
    if batch.count == 128 { try pass() }
  }

  /// After the last value.
  func end() {
    try? pass()
    changed.withLock {
      isEnded = true
      changed.broadcast()
    }
  }

  private func pass() throws {
    try changed.withLock {
      while batches.count >= 8, !isStopped { changed.wait() }
      guard !isStopped else { throw Stopped() }
      batches.append(batch)
      changed.broadcast()
    }
    batch = []
    batch.reserveCapacity(128)
  }

  /// The next values; nil after the last.
  func next() -> [Value]? {
    changed.withLock {
      while batches.isEmpty, !isEnded { changed.wait() }
      changed.broadcast()
      return batches.isEmpty ? nil : batches.removeFirst()
    }
  }

  /// No more values are wanted.
  func stop() {
    changed.withLock {
      isStopped = true
      changed.broadcast()
    }
  }
}
