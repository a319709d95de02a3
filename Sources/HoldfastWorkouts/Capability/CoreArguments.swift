import Foundation
import Holdfast
import HoldfastTransfer

/// The members of an object that says what an operation needs. What says more than one thing about itself is read by its keys.
struct CoreArguments {
  private let path: String
  private let start: Int
  private var members: [String: JSONScanner] = [:]

  /// Null is an object without members.
  fileprivate init(_ scanner: inout JSONScanner) throws {
    path = "\(scanner.path)"
    start = scanner.offset
    if try scanner.null() { return }
    try scanner.object { key, value in
      guard members.updateValue(value, forKey: key.string) == nil else { throw failure("\(key) stands twice") }
      _ = try value.skip()
    }
  }

  /// What the member with this key is; it must be there.
  mutating func needed<Value: CoreValue>(_ key: String) throws -> Value {
    guard var value = members.removeValue(forKey: key) else { throw failure("\(key) is missing") }
    return try Value(core: &value)
  }

  /// What the member with this key is; nil when it is not there, or null.
  mutating func given<Value: CoreValue>(_ key: String) throws -> Value? {
    guard var value = members.removeValue(forKey: key) else { return nil }
    return try Value?(core: &value)
  }

  mutating func limit() throws -> Int? { try given("limit") }
  mutating func idleLimit() throws -> Int { try given("idle_limit") ?? 900 }
  mutating func pageKey() throws -> PageKey? { try given("after") }
  mutating func unit() throws -> WeightUnit { try given("unit") ?? .pounds }

  mutating func formula() throws -> OneRepMax {
    guard let name: String = try given("formula") else { return .epley }
    guard let formula = OneRepMax(rawValue: name) else { throw failure("there is no formula \(name.prefix(60))") }
    return formula
  }

  mutating func timeZone() throws -> TimeZone? {
    guard let name: String = try given("time_zone") else { return nil }
    guard let zone = TimeZone(identifier: name) else { throw failure("there is no time zone \(name.prefix(60))") }
    return zone
  }

  /// From one date until before another; one that is not there is as far away as dates go.
  mutating func period() throws -> Range<Date>? {
    let (from, to): (Date?, Date?) = (try given("from"), try given("to"))
    if from == nil, to == nil { return nil }
    let (start, end) = (from ?? .distantPast, to ?? .behindAll)
    guard start <= end else { throw failure("from is later than to") }
    return start..<end
  }

  /// A member that nobody asked for would be lost.
  fileprivate func finish() throws {
    if let key = members.keys.min() { throw failure("there is no such key as \(key.prefix(60))") }
  }

  private func failure(_ problem: String) -> StoreError {
    var error = StoreError(.invalidSource, "the object at \(path) cannot be read: \(problem)")
    error.offset = start
    return error
  }
}

extension Date {
  /// The end of a period that has none: `distantFuture` is long before the last time that can be stored.
  static let behindAll = Date(timeIntervalSince1970: Double(DateCodec.range.upperBound + 1) / 1000)
}

extension JSONScanner {
  /// Reads an object that has what `read` asks for, and nothing else.
  ///
  /// - Throws: `.invalidSource` that names the object by its path; what `read` throws.
  mutating func arguments(_ read: (inout CoreArguments) throws -> WorkoutOperation) throws -> WorkoutOperation {
    var arguments = try CoreArguments(&self)
    let operation = try read(&arguments)
    try arguments.finish()
    return operation
  }
}
