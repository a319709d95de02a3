import Foundation
import Holdfast
import HoldfastTransfer

/// The members of an object with an operation's arguments, read by key.
struct CoreArguments {
  private let path: String
  private let start: Int
  private var members: [String: JSONScanner] = [:]

  /// Null counts as an object without members.
  fileprivate init(_ scanner: inout JSONScanner) throws {
    path = "\(scanner.path)"
    start = scanner.offset
    if try scanner.null() { return }
    try scanner.object { key, value in
      guard members.updateValue(value, forKey: key.string) == nil else { throw failure("\(key) appears twice") }
      _ = try value.skip()
    }
  }

  /// The value of a required member.
  mutating func needed<Value: CoreValue>(_ key: String) throws -> Value {
    guard var value = members.removeValue(forKey: key) else { throw failure("\(key) is missing") }
    return try Value(core: &value)
  }

  /// The value of an optional member; nil when it is absent or null.
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

  /// From one date until before another. A missing date means no limit on that side.
  mutating func period() throws -> Range<Date>? {
    let (from, to): (Date?, Date?) = (try given("from"), try given("to"))
    if from == nil, to == nil { return nil }
    let (start, end) = (from ?? .distantPast, to ?? .behindAll)
    guard start <= end else { throw failure("from is later than to") }
    return start..<end
  }

  /// Refuses a member that was not read: its value would be lost.
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
  /// The end of a period without an end. Not `distantFuture`, which is long before the last date that can be stored.
  static let behindAll = Date(timeIntervalSince1970: Double(DateCodec.range.upperBound + 1) / 1000)
}

extension JSONScanner {
  /// Reads an object that has exactly the members that `read` takes.
  ///
  /// - Throws: `.invalidSource`, which names the object by its path; what `read` throws.
  mutating func arguments(_ read: (inout CoreArguments) throws -> WorkoutOperation) throws -> WorkoutOperation {
    var arguments = try CoreArguments(&self)
    let operation = try read(&arguments)
    try arguments.finish()
    return operation
  }
}
