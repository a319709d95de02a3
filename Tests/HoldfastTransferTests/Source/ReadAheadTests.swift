import Foundation
import Holdfast
import HoldfastTesting
import Synchronization
import Testing

@testable import HoldfastTransfer

@Suite("Reading ahead on a second thread")
struct ReadAheadTests {
  struct Full: Error {}

  /// `[0, 1, 2, …]`, and what follows it.
  private func numbers(_ count: Int, then rest: String = "]") -> JSONScanner {
    JSONScanner(JSONDocument(Data(("[" + (0..<count).map(String.init).joined(separator: ", ") + rest).utf8)))
  }

  @Test("all values come in order on the calling thread; then the scanner stands behind the array", arguments: [0, 1, 32, 33, 10_000])
  func order(count: Int) throws {
    var scanner = numbers(count)
    var used: [Int64] = []
    let here = Thread.current
    try scanner.array(
      converting: { _, element in try element.int64() },
      use: { value in
        used.append(value)
        #expect(Thread.current === here)
      })
    #expect(used == (0..<Int64(count)).map { $0 })
    try scanner.finish()
  }

  @Test("damage in the array is thrown after all values before it, and the scanner stays where it was")
  func damage() throws {
    var scanner = numbers(1_000, then: ", ?]")
    var used = 0
    #expect(throws: JSONScanError.self) {
      try scanner.array(converting: { _, element in try element.int64() }, use: { _ in used += 1 })
    }
    #expect(used == 1_000 && scanner.offset == 0)
  }

  @Test("an error of the user's ends the converting, which is never far ahead")
  func stopped() throws {
    var scanner = numbers(100_000)
    let converted = Mutex(0)
    #expect(throws: Full.self) {
      try scanner.array(
        converting: { _, element in
          converted.withLock { $0 += 1 }
          return try element.int64()
        },
        use: { value in if value == 10 { throw Full() } })
    }
    #expect(converted.withLock { $0 } <= 400)
  }

  @Test("a maker that goes on after that is told at each later call")
  func goesOn() throws {
    let calls = 10_000
    let refused = Mutex(0)
    #expect(throws: Full.self) {
      try ReadAhead.run(
        { (put: (Int) throws -> Void) throws -> Void in
          for number in 0..<calls {
            do { try put(number) } catch { refused.withLock { $0 += 1 } }
          }
        }, use: { _ in throw Full() })
    }
    // Before the first refusal at most 300 values were taken, and 32 more.
    #expect(refused.withLock { $0 } >= calls - 300 - 32)
  }

  @Test("a short array is converted on the calling thread")
  func short() throws {
    var scanner = numbers(5)
    let caller = ObjectIdentifier(Thread.current)
    var used = 0
    try scanner.array(
      isLong: false,
      converting: { _, element in
        #expect(ObjectIdentifier(Thread.current) == caller)
        return try element.int64()
      }, use: { _ in used += 1 })
    #expect(used == 5)
  }
}
