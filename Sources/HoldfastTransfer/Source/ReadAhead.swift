import Foundation
public import Holdfast

/// Reads a source on one thread while another thread uses the values.
public enum ReadAhead {
  /// Runs `make` on a thread of its own. It passes values to its argument; `use` gets them on the calling thread, in order.
  ///
  /// `make` is at most some 300 values ahead. Its error is thrown after `use` had all values before it. When `use` throws, one
  /// of the next 32 calls of its argument throws, too, and `make` should end.
  ///
  /// - Returns: the result of `make`.
  /// - Throws: the first error of `use`, or the error of `make`.
  public static func run<Value: Sendable, End: Sendable>(
    _ make: @escaping @Sendable (_ put: (Value) throws -> Void) throws -> End, use: (consuming Value) throws -> Void
  ) throws -> End {
    let values = ValueQueue<Value>()
    let end = Later<End> {
      defer { values.end() }
      return try make(values.put)
    }
    do {
      while var batch = values.next() { while let value = batch.popLast() { try use(value) } }
    } catch {
      values.stop()
      _ = try? end.value()
      throw error
    }
    return try end.value()
  }
}

extension JSONScanner {
  /// An array with more bytes than this, such as some hundred tracks, is worth a thread of its own.
  public static let longArrayBytes = 1 << 16

  /// Reads an array in two steps: `convert` makes a value of each element on a thread of its own, and `use` takes the values on the calling
  /// thread, as `ReadAhead` does.
  ///
  /// - Parameter isLong: false: both are called in turn, without another thread. To begin a thread takes longer than to read a short array.
  ///   Default true.
  /// - Throws: `JSONScanError` when the value is not an array or is damaged; the errors of `convert` and `use`.
  public mutating func array<Value: Sendable>(
    isLong: Bool = true, converting convert: @escaping @Sendable (Int, inout JSONScanner) throws -> Value,
    use: (consuming Value) throws -> Void
  ) throws {
    guard isLong else { return try array { index, element in try use(convert(index, &element)) } }
    let start = self
    self = try ReadAhead.run(
      { put in
        var scanner = start
        try scanner.array { index, element in try put(convert(index, &element)) }
        return scanner
      }, use: use)
  }
}

/// Values that one thread makes and another takes, in order. The maker waits when it is too far ahead.
private final class ValueQueue<Value: Sendable>: @unchecked Sendable {
  // Unchecked: `changed` guards what follows, except `batch`, which only the maker uses.
  private let changed = NSCondition()
  private var batches: [[Value]] = []
  private var isEnded = false
  private var isStopped = false
  private var batch: [Value] = []

  private struct Stopped: Error {}

  func put(_ value: Value) throws {
    batch.append(value)
    if batch.count >= 32 { try pass() }
  }

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
      // The first last: it is taken from there, without a copy.
      batch.reverse()
      batches.append(batch)
      changed.broadcast()
    }
    batch = []
    batch.reserveCapacity(32)
  }

  /// The next values, the first of them last; nil after the last.
  func next() -> [Value]? {
    changed.withLock {
      while batches.isEmpty, !isEnded { changed.wait() }
      changed.broadcast()
      return batches.isEmpty ? nil : batches.removeFirst()
    }
  }

  func stop() {
    changed.withLock {
      isStopped = true
      changed.broadcast()
    }
  }
}
