import Foundation
internal import GRDB

/// A value read from a store, again after each commit that touches its tables.
///
/// Each `for try await` starts its own watch: it delivers the present value first, then the newest after changes.
/// Never reads on the main actor; bursts of commits coalesce to the newest value; values equal to the last are dropped.
/// The sequence ends when its task is cancelled, and throws when a read fails or the store is closed.
/// Commits of other processes are not seen.
public struct Updates<Value: Sendable>: AsyncSequence, Sendable {
  public typealias Element = Value

  private let areEqual: @Sendable (Value, Value) -> Bool
  private let start: @Sendable (AsyncThrowingStream<Value, any Error>.Continuation) -> Void

  init(
    areEqual: @escaping @Sendable (Value, Value) -> Bool,
    start: @escaping @Sendable (AsyncThrowingStream<Value, any Error>.Continuation) -> Void
  ) {
    self.areEqual = areEqual
    self.start = start
  }

  public struct AsyncIterator: AsyncIteratorProtocol {
    var base: AsyncThrowingStream<Value, any Error>.Iterator
    let areEqual: @Sendable (Value, Value) -> Bool
    private var last: Value?

    init(base: AsyncThrowingStream<Value, any Error>.Iterator, areEqual: @escaping @Sendable (Value, Value) -> Bool) {
      self.base = base
      self.areEqual = areEqual
    }

    public mutating func next() async throws -> Value? {
      do {
        while let value = try await base.next() {
          // A change and its undoing, both during one slow round of the consumer, leave what it has already.
          if let last, areEqual(last, value) { continue }
          last = value
          return value
        }
        return nil
      } catch {
        throw StoreError(error)
      }
    }
  }

  public func makeAsyncIterator() -> AsyncIterator {
    // Only the newest waits for a slow consumer.
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: Value.self, throwing: (any Error).self, bufferingPolicy: .bufferingNewest(1))
    start(continuation)
    return AsyncIterator(base: stream.makeAsyncIterator(), areEqual: areEqual)
  }
}

extension Store {
  /// The value that `read` makes of these tables, now and after each commit that changes one of them.
  ///
  /// `tables` names every table that `read` looks at: changes of others are not seen.
  public func updates<Value: Sendable & Equatable>(
    of tables: [String], _ read: @escaping @Sendable (Reader) throws -> Value
  ) -> Updates<Value> {
    let areEqual: @Sendable (Value, Value) -> Bool = { $0 == $1 }
    return Updates(areEqual: areEqual) { [self] continuation in
      // GRDB would touch a connection in memory that was closed.
      guard !connections.isClosed.isRaised else {
        return continuation.finish(throwing: StoreError(.closed, "\(path) is closed"))
      }
      let observation = ValueObservation.tracking(regions: tables.map { Table($0) }) { [connections] db in
        let reader = Reader(db, try connections.connection(of: db))
        defer { reader.isOpen = false }
        return try OpenDoor.within(self) { try read(reader) }
      }.removeDuplicates()
      let watch = observation.start(
        in: writer, scheduling: .async(onQueue: ObservationQueue.shared),
        onError: { continuation.finish(throwing: self.failure($0)) },
        onChange: { continuation.yield($0) })
      let closing = connections.isClosed.whenRaised { [path] in
        watch.cancel()
        continuation.finish(throwing: StoreError(.closed, "\(path) is closed"))
      }
      continuation.onTermination = { [connections] _ in
        watch.cancel()
        connections.isClosed.forget(closing)
      }
    }
  }
}

private enum ObservationQueue {
  /// Values are handed over here; the main actor only ever receives finished ones.
  static let shared = DispatchQueue(label: "holdfast.updates")
}
